/** Solves an equation in one unknown over the real numbers: polynomials and their quotients exactly, all others by search. */
import { type GiveWay, Turns } from "../base/turns.ts";
import { asQuotient, joined, rootsOfQuotient } from "./algebraic.ts";
import { calledName } from "./evaluate.ts";
import { CONSTANTS, functionNamed, isFunction } from "./functions.ts";
import { MathsError } from "./maths-error.ts";
import { searchAround } from "./search-around.ts";
import { type Equation, type Expression, parseEquation } from "./syntax.ts";
import { unlessRefused, Work } from "./work.ts";

/** `symbolic`: every real solution, each the nearest double. `numeric`: what a search found. */
export interface Solved {
  readonly solutions: readonly number[];
  readonly method: "symbolic" | "numeric";
  /** What a reader of the solutions has to know beside them. */
  readonly note: string | null;
}

/** Nanoseconds, about, that the exact way may take. */
const MAX_EXACT_WORK = 200_000_000;
/** The part of it for writing the equation as polynomials, which is one turn. */
const MAX_READING_WORK = 50_000_000;
/** Length of a turn, in about nanoseconds. */
const TURN_WORK = 10_000_000;
const TOO_LARGE = "Too large to be solved exactly: there may be other solutions.";

/** Works in turns. Throws a `MathsError` for a text that is no equation in one unknown, or one that is too much work. */
export async function solveText(text: string, giveWay: GiveWay): Promise<Solved> {
  const { left, right } = parseEquation(text);
  const difference: Expression = right === null ? left : { kind: "binary", operator: "-", left, right };
  const variable = unknownOf(difference);
  const turns = new Turns(giveWay, TURN_WORK);
  const [exact] = (await unlessRefused(async () => [await solveExactly({ left, right }, variable, turns)])) ?? [];
  if (exact != null) return exact;
  const found = await searchAround(difference, variable, turns);
  const notes = [...(exact === undefined ? [TOO_LARGE] : []), ...found.notes];
  return { solutions: found.solutions, method: "numeric", note: notes.length === 0 ? null : notes.join(" ") };
}

/** The one name that is no constant. */
function unknownOf(expression: Expression): string {
  const names = [...new Set(namesIn(expression))];
  const [first, second] = names.toSorted((one, other) => Number(other === "x") - Number(one === "x"));
  if (first === undefined) throw new MathsError("name", "No unknown in the equation: call it x");
  if (second !== undefined) throw new MathsError("name", `Unknown name: '${second}' beside the unknown '${first}'`);
  return first;
}

/** The free names, in order. Throws for what is not permitted anywhere. */
function* namesIn(expression: Expression): Generator<string> {
  switch (expression.kind) {
    case "name":
      if (isFunction(expression.name)) throw new MathsError("name", `Unknown name: '${expression.name}'`);
      if (!CONSTANTS.has(expression.name)) yield expression.name;
      return;
    case "unary":
      yield* namesIn(expression.operand);
      return;
    case "binary":
      yield* namesIn(expression.left);
      yield* namesIn(expression.right);
      return;
    case "call":
      functionNamed(calledName(expression.callee));
      for (const given of expression.given) yield* namesIn(given);
      return;
    case "forbidden":
      throw new MathsError("syntax", expression.message);
    case "number":
  }
}

/** Null: it is no equation of polynomials, or too large a one. */
async function solveExactly({ left, right }: Equation, variable: string, turns: Turns): Promise<Solved | null> {
  const work = new Work(MAX_EXACT_WORK, turns);
  const reading = new Work(MAX_READING_WORK, work);
  const one = asQuotient(left, variable, reading);
  if (one === null) return null;
  const other = right === null ? null : asQuotient(right, variable, reading);
  if (right !== null && other === null) return null;
  const difference = other === null ? one : joined("-", one, other, reading);
  if (difference === null) return null;
  const roots = await rootsOfQuotient(difference, work, turns);
  if (roots === null) {
    return { solutions: [], method: "symbolic", note: `Every ${variable} for which it is defined is a solution.` };
  }
  const solutions = roots.filter((root) => Number.isFinite(root));
  const note = solutions.length < roots.length ? "A solution is too large for a float and left out." : null;
  return { solutions, method: "symbolic", note };
}
