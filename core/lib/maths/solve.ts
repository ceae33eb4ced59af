/** Solves an equation in one unknown over the real numbers: polynomials and their quotients exactly, all others by search. */
import { type YieldTurn, Turns } from "../../base/turns.ts";
import { compile } from "./compile.ts";
import { getCalledName } from "./evaluate.ts";
import { toFraction } from "./fraction.ts";
import { CONSTANTS, findFunction, isFunction } from "./functions.ts";
import { MathsError } from "./maths-error.ts";
import { findRealRoots } from "./polynomial.ts";
import { type Found, MAX_SOLUTIONS, searchRoots } from "./search.ts";
import { type Expression, parseEquation } from "./syntax.ts";
import { Work } from "./work.ts";

/** `symbolic`: every real solution, each the nearest double. `numeric`: the solutions that a search found. */
export interface Solved {
  readonly solutions: readonly number[];
  readonly method: "symbolic" | "numeric";
  /** A note for the reader: there are more solutions, or an interval of them. */
  readonly note: string | null;
}

interface Unknown {
  readonly name: string;
  /** The parts of the equation that contain it. */
  readonly varying: ReadonlySet<Expression>;
}

/** The most work of the exact method, in about nanoseconds, and the part of it that is one turn: reading the equation. */
const [MAX_EXACT_WORK, MAX_READING_WORK] = [200_000_000, 50_000_000];
/** Length of a turn, in about nanoseconds. */
const TURN_WORK = 10_000_000;
const MAX_LEVEL_NOTES = 5;
/** The end of an interval that is nearer to 0 is 0, found among the smallest doubles. */
const MIN_END = 1e-300;

/**
 * Solves in turns. Throws a `MathsError` for a text that is not an equation in one unknown, or one that is too much
 * work.
 */
export async function solveText(text: string, giveWay: YieldTurn): Promise<Solved> {
  const { left, right } = parseEquation(text);
  const equation: Expression = right === null ? left : { kind: "binary", operator: "-", left, right };
  const unknown = findUnknown(equation);
  const turns = new Turns(giveWay, TURN_WORK);
  const exact = await solveExactly(equation, unknown, turns).catch((thrown: unknown) => {
    if (thrown instanceof MathsError && thrown.kind === "refused") return null;
    throw thrown;
  });
  if (exact !== null) return exact;
  const found = await searchRoots(compile(equation, unknown.varying), unknown.varying.size, turns);
  return { solutions: found.roots, method: "numeric", note: describe(found, unknown.name) };
}

/** Finds the one name that is not a constant. Throws for anything forbidden. */
function findUnknown(equation: Expression): Unknown {
  const varying = new Set<Expression>();
  const names = new Set<string>();
  const visit = (part: Expression): boolean => {
    const isUnknown = part.kind === "name" && !CONSTANTS.has(part.name);
    if (isUnknown) names.add(part.name);
    const varies = getParts(part).map(visit).includes(true) || isUnknown;
    if (varies) varying.add(part);
    return varies;
  };
  visit(equation);
  const [name, second] = [...names].sort((one, other) => Number(other === "x") - Number(one === "x"));
  if (name === undefined) throw new MathsError("name", "No unknown in the equation: call it x");
  if (second !== undefined) throw new MathsError("name", `Unknown name: '${second}': the unknown is '${name}'`);
  return { name, varying };
}

function getParts(part: Expression): readonly Expression[] {
  switch (part.kind) {
    case "name":
      if (isFunction(part.name)) throw new MathsError("name", `Unknown name: '${part.name}'`);
      return [];
    case "unary":
      return [part.operand];
    case "binary":
      return [part.left, part.right];
    case "call":
      findFunction(getCalledName(part.callee));
      return part.given;
    case "forbidden":
      throw new MathsError("syntax", part.message);
    case "number":
      return [];
  }
}

/** Solves an equation of polynomials; null for another. */
async function solveExactly(equation: Expression, { name, varying }: Unknown, turns: Turns): Promise<Solved | null> {
  const work = new Work(MAX_EXACT_WORK, turns);
  const fraction = toFraction(equation, varying, new Work(MAX_READING_WORK, work));
  if (fraction === null) return null;
  if (fraction.above.length === 0) {
    return { solutions: [], method: "symbolic", note: `Every ${name} for which it is defined is a solution.` };
  }
  const roots = await findRealRoots(fraction.above, fraction.below, work, turns);
  const solutions = roots.filter((root) => Number.isFinite(root));
  const note = solutions.length < roots.length ? "A solution is too large for a float and left out." : null;
  return { solutions, method: "symbolic", note };
}

function describe({ roots, levels, isComplete }: Found, name: string): string | null {
  const notes = levels.slice(0, MAX_LEVEL_NOTES).map(([low, high]) => describeLevel(name, low, high));
  if (levels.length > MAX_LEVEL_NOTES) notes.push("There are more such intervals.");
  if (!isComplete && roots.length === MAX_SOLUTIONS) {
    notes.push(`These are the first ${MAX_SOLUTIONS} solutions from 0 outwards: there are more solutions.`);
  } else if (!isComplete) notes.push("There may be more solutions.");
  return notes.length === 0 ? null : notes.join(" ");
}

function describeLevel(name: string, low: number, high: number): string {
  const [from, to] = [low, high].map((end) => (Math.abs(end) > MIN_END ? Number(end.toPrecision(6)) : 0));
  if (!Number.isFinite(low)) return `Every ${name} ${Number.isFinite(high) ? `up to ${to} ` : ""}is a solution.`;
  return `Every ${name} from ${from} ${Number.isFinite(high) ? `to ${to}` : "on"} is a solution.`;
}
