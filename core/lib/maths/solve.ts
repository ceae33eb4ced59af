/** Solves an equation in one unknown over the real numbers: polynomials and their quotients exactly, all others by search. */
import { type YieldTurn, Turns } from "../../base/turns.ts";
import { getCalledName } from "./evaluate.ts";
import { toFraction } from "./fraction.ts";
import { CONSTANTS, findFunction, isFunction } from "./functions.ts";
import { compileJet } from "./jet.ts";
import { MathsError } from "./maths-error.ts";
import { findRealRoots } from "./polynomial.ts";
import { type Found, MAX_SOLUTIONS, searchRoots } from "./search.ts";
import { type Expression, parseEquation } from "./syntax.ts";
import { runUnlessRefused, Work } from "./work.ts";

/** `symbolic`: every real solution, each the nearest double. `numeric`: the solutions that a search found. */
export interface Solved {
  readonly solutions: readonly number[];
  readonly method: "symbolic" | "numeric";
  /** A note for the reader: there are more solutions, or an interval of them. */
  readonly note: string | null;
}

/** The most work of the exact method, in about nanoseconds. */
const MAX_EXACT_WORK = 200_000_000;
/** The part of it that converts the equation to polynomials, in one turn. */
const MAX_READING_WORK = 50_000_000;
/** Length of a turn, in about nanoseconds. */
const TURN_WORK = 10_000_000;
const MAX_LEVEL_NOTES = 5;

/**
 * Solves in turns. Throws a `MathsError` for a text that is not an equation in one unknown, or one that is too much
 * work.
 */
export async function solveText(text: string, giveWay: YieldTurn): Promise<Solved> {
  const { left, right } = parseEquation(text);
  const equation: Expression = right === null ? left : { kind: "binary", operator: "-", left, right };
  const unknown = findUnknown(equation);
  const turns = new Turns(giveWay, TURN_WORK);
  const exact = await runUnlessRefused(() => solveExactly(equation, unknown, turns));
  if (exact !== null) return exact;
  const found = await searchRoots(compileJet(equation, unknown.varying), unknown.parts, turns);
  return { solutions: found.roots, method: "numeric", note: describe(found, unknown.name) };
}

interface Unknown {
  readonly name: string;
  /** The parts of the equation that contain it. */
  readonly varying: ReadonlySet<Expression>;
  /** How many parts the equation has. */
  readonly parts: number;
}

/** Finds the one name that is not a constant. Throws for anything forbidden. */
function findUnknown(equation: Expression): Unknown {
  const varying = new Set<Expression>();
  const names = new Set<string>();
  let parts = 0;
  const visit = (part: Expression): boolean => {
    parts += 1;
    const varies = visitInside(part);
    if (varies) varying.add(part);
    return varies;
  };
  const visitInside = (part: Expression): boolean => {
    switch (part.kind) {
      case "name":
        if (isFunction(part.name)) throw new MathsError("name", `Unknown name: '${part.name}'`);
        if (CONSTANTS.has(part.name)) return false;
        names.add(part.name);
        return true;
      case "unary":
        return visit(part.operand);
      case "binary":
        return [visit(part.left), visit(part.right)].includes(true);
      case "call":
        findFunction(getCalledName(part.callee));
        return part.given.map(visit).includes(true);
      case "forbidden":
        throw new MathsError("syntax", part.message);
      case "number":
        return false;
    }
  };
  visit(equation);
  const [name, second] = [...names].sort((one, other) => Number(other === "x") - Number(one === "x"));
  if (name === undefined) throw new MathsError("name", "No unknown in the equation: call it x");
  if (second !== undefined) throw new MathsError("name", `Unknown name: '${second}': the unknown is '${name}'`);
  return { name, varying, parts };
}

/** Solves an equation of polynomials; null for another. */
async function solveExactly(equation: Expression, { name, varying }: Unknown, turns: Turns): Promise<Solved | null> {
  const work = new Work(MAX_EXACT_WORK, turns);
  const fraction = toFraction(equation, varying, new Work(MAX_READING_WORK, work));
  if (fraction === null) return null;
  if (fraction.above.length === 0) {
    return { solutions: [], method: "symbolic", note: `Every ${name} for which it is defined is a solution.` };
  }
  const roots = await findRealRoots(fraction.above, fraction.excluded, work, turns);
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
  const [from, to] = [low, high].map((end) => (Math.abs(end) > Number.MIN_VALUE ? Number(end.toPrecision(6)) : 0));
  if (!Number.isFinite(low)) return `Every ${name} ${Number.isFinite(high) ? `up to ${to} ` : ""}is a solution.`;
  return `Every ${name} from ${from} ${Number.isFinite(high) ? `to ${to}` : "on"} is a solution.`;
}
