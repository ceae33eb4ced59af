import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectNear, solve } from "./solved.ts";

describe("a polynomial or rational equation", () => {
  it.each<[string, number[]]>([
    ["2*x + 1 = 7", [3]],
    ["x - 5", [5]],
    ["3*x - 1", [1 / 3]],
    ["x**2 - 4", [-2, 2]],
    ["x**2 == 2", [-Math.SQRT2, Math.SQRT2]],
    ["x**2 + 1", []],
    ["x**2 - 2*x + 1", [1]],
    ["0.1*x**2 - 0.3*x + 0.2", [1, 2]],
    ["t**3 = 2", [Math.cbrt(2)]],
    ["x**3 - 6*x**2 + 11*x - 6", [1, 2, 3]],
    ["x**4 - 5*x**2 + 4", [-2, -1, 1, 2]],
    ["x**5 - x - 1", [1.1673039782614187]],
    ["x**100 - 1", [-1, 1]],
    ["(x - 1)**60", [1]],
    ["(x - 1000)*(x + 5000)*(x - 1000000)", [-5000, 1000, 1000000]],
    ["(x - 10**20)*(x - 10**-20)", [1e-20, 1e20]],
    ["(x - 1)*(x - 1 - 10**-12)", [1, 1.000000000001]],
    ["x**10 - 2*(100*x - 1)**2", [-3.45098372337062, 0.009999999999292894, 0.010000000000707106, 3.4459836970922537]],
    ["x**2.0 - 9", [-3, 3]],
    ["x**-2 - 4", [-0.5, 0.5]],
    ["x*sqrt(4) - factorial(3)", [3]],
    ["x/2 + x/3 = 5", [6]],
    ["1/x", []],
    ["1/x - 1/4", [4]],
    ["1/(x - 1) - 1/(x - 2)", []],
    ["(x**2 - 1)/(x - 1)", [-1]],
    ["(x - 1)/(x - 1)", []],
    ["x/x", []],
    ["1/(1/x)", []],
    ["(x**2 - 3*x + 2)/(x**2 - 4) = 0", [1]],
    ["x = 1/x", [-1, 1]],
    ["5 - 0*x", []],
  ])("%s", async (equation, solutions) => {
    expect(await solve(equation)).toEqual({ solutions, method: "symbolic", error: null });
  });

  it.each(["x - x", "(x + 1)**2 = x**2 + 2*x + 1", "1/x - 1/x", "0*x"])("every number solves %s", async (equation) => {
    const note = "Every x for which it is defined is a solution.";
    expect(await solve(equation)).toEqual({ solutions: [], method: "symbolic", note, error: null });
  });

  it("has a solution beyond all floats, and says so", async () => {
    const { solutions, note } = await solve("(x - 2)*(x - 10**400)");
    expect([solutions, note]).toEqual([[2], "A solution is too large for a float and left out."]);
  });

  it("finds all twenty roots of Wilkinson's polynomial from its coefficients, which doubles cannot", async () => {
    const roots = Array.from({ length: 20 }, (_, index) => index + 1);
    expect((await solve(expanded(roots.map((root) => [BigInt(root), 1n])))).solutions).toEqual(roots);
  });

  it("has the roots of a Chebyshev polynomial, which are cosines", async () => {
    let [before, last] = [[1n], [0n, 1n]];
    for (let degree = 2; degree <= 24; degree += 1) {
      const next = [0n, ...last.map((coefficient) => 2n * coefficient)];
      before.forEach((coefficient, power) => {
        next[power] = (next[power] ?? 0n) - coefficient;
      });
      [before, last] = [last, next];
    }
    const roots = Array.from({ length: 24 }, (_, index) => Math.cos(((2 * (24 - index) - 1) * Math.PI) / 48));
    expectNear((await solve(written(last))).solutions, roots, 3e-16);
  });

  it("has exactly the roots that it was made of, whatever their multiplicity, to the nearest double", async () => {
    const fraction = fc.tuple(
      fc.integer({ min: -60, max: 60 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 4 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fraction, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        async (fractions, isExpanded) => {
          const roots = fractions.flatMap(([above, below, times]) =>
            Array.from(
              { length: Math.min(times, 30 / fractions.length) },
              () => [BigInt(above), BigInt(below)] as const,
            ),
          );
          const factors = roots
            .map(([above, below]) => `(${below}*x - ${above < 0n ? `(${above})` : above})`)
            .join("*");
          const { solutions, method, error } = await solve(isExpanded ? expanded(roots) : `(x**2 + 1)*${factors}`);
          const expected = [...new Set(fractions.map(([above, below]) => above / below + 0))].sort(
            (one, other) => one - other,
          );
          expect([solutions.map((root) => root + 0), method, error]).toEqual([expected, "symbolic", null]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("moves its roots as its variable is moved", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -1_000, max: 1_000 }), async (shift) => {
        const { solutions } = await solve(`(x - ${shift})**3 - 8*(x - ${shift}) = 0`.replaceAll("- -", "+ "));
        expectNear(solutions, [shift - Math.sqrt(8), shift, shift + Math.sqrt(8)], 1e-15);
      }),
    );
  });

  it("has the roots that the formula gives for random quadratic equations", async () => {
    const coefficient = fc.integer({ min: -1_000, max: 1_000 });
    await fc.assert(
      fc.asyncProperty(
        coefficient.filter((value) => value !== 0),
        coefficient,
        coefficient,
        async (a, b, c) => {
          const { solutions } = await solve(`(${a})*x**2 + (${b})*x + (${c})`);
          const discriminant = b * b - 4 * a * c;
          expect(solutions).toHaveLength(discriminant < 0 ? 0 : discriminant === 0 ? 1 : 2);
          const roots = [-1, 1]
            .map((sign) => (-b + sign * Math.sqrt(discriminant)) / (2 * a))
            .sort((one, other) => one - other);
          if (discriminant >= 0) expectNear(solutions, [...new Set(roots)].slice(0, solutions.length), 1e-9);
        },
      ),
    );
  });
});

/** The product of `below * x - above` over all roots, its coefficients written out. */
function expanded(roots: readonly (readonly [above: bigint, below: bigint])[]): string {
  let coefficients = [1n];
  for (const [above, below] of roots) {
    const next = [0n, ...coefficients.map((coefficient) => coefficient * below)];
    coefficients.forEach((coefficient, power) => {
      next[power] = (next[power] ?? 0n) - coefficient * above;
    });
    coefficients = next;
  }
  return written(coefficients);
}

function written(coefficients: readonly bigint[]): string {
  return coefficients.map((coefficient, power) => `(${coefficient})*x**${power}`).join(" + ");
}
