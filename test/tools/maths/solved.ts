/** What solve_equation gives, and numbers compared. */
import { expect } from "vitest";
import solveEquation from "../../../tools/maths/solve-equation.ts";
import { runDocumented } from "../run-tool.ts";

interface Solved {
  readonly solutions: number[];
  readonly method: "symbolic" | "numeric";
  readonly note?: string;
  readonly error: string | null;
}

export async function solve(equation: string): Promise<Solved> {
  return await runDocumented<Solved>(solveEquation, { equation });
}

/** Each solution near the expected one: relative to it, or to 1. */
export function expectNear(solutions: readonly number[], expected: readonly number[], tolerance: number): void {
  expect(solutions).toHaveLength(expected.length);
  solutions.forEach((solution, index) => {
    const wanted = expected[index] ?? Number.NaN;
    expect(Math.abs(solution - wanted), `${solution} for ${wanted}`).toBeLessThanOrEqual(
      tolerance * Math.max(1, Math.abs(wanted)),
    );
  });
}
