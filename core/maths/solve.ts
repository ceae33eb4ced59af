/** Solves an equation in one unknown over the real numbers: polynomials and their quotients exactly, all others by search. */
import { asQuotient, joined, rootsOfQuotient } from "./algebraic.ts";
import { enclosing } from "./enclose.ts";
import { calledName } from "./evaluate.ts";
import { CONSTANTS, functionNamed, isFunction } from "./functions.ts";
import { holds, interval, type Interval } from "./interval.ts";
import { MathsError } from "./maths-error.ts";
import { distinct, type Found, joinedStretches, LEAST_WIDTH, searchRoots, settleStretches } from "./root-search.ts";
import { type Equation, type Expression, parseEquation } from "./syntax.ts";
import { Work } from "./work.ts";
import { type Enclose, enclosed } from "./zero-test.ts";

/** `symbolic`: every real solution, each the nearest double. `numeric`: what a search found. */
export interface Solved {
  readonly solutions: readonly number[];
  readonly method: "symbolic" | "numeric";
  /** What a reader of the solutions has to know beside them. */
  readonly note: string | null;
}

/** A search gives at most so many solutions. */
const MAX_SOLUTIONS = 100;
/** Nanoseconds, about: of the exact way, of a whole search, and of one part of it. */
const MAX_EXACT_WORK = 200_000_000;
const MAX_SEARCH_WORK = 400_000_000;
const MAX_RING_WORK = 100_000_000;
/** Distances from 0. A search begins in the middle, where most solutions are, and goes on in both directions while it can. */
const MIDDLES = [interval(1e-3, 10), interval(0.1, 10), interval(1e-3, 3), interval(1e-3, 1), interval(1e-3, 0.1)];
const INNER = [1e-3, 1e-6, 1e-10, 1e-30, 1e-100, 1e-300, 0] as const;
const OUTER = [10, 30, 100, 1e3, 1e4, 1e6, 1e10, 1e20, 1e50, 1e100, 1e200, Number.MAX_VALUE] as const;

const TOO_LARGE = "Too large to be solved exactly: there may be other solutions.";

/** Throws a `MathsError` for a text that is no equation in one unknown, or one that is too much work. */
export function solveText(text: string): Solved {
  const { left, right } = parseEquation(text);
  const difference: Expression = right === null ? left : { kind: "binary", operator: "-", left, right };
  const variable = unknownOf(difference);
  const [exact] = unlessRefused(() => [solveExactly({ left, right }, variable)]) ?? [];
  if (exact != null) return exact;
  const found = search(difference, variable);
  return exact === null
    ? found
    : { ...found, note: [TOO_LARGE, ...(found.note === null ? [] : [found.note])].join(" ") };
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
function solveExactly({ left, right }: Equation, variable: string): Solved | null {
  const work = new Work(MAX_EXACT_WORK);
  const one = asQuotient(left, variable, work);
  if (one === null) return null;
  const other = right === null ? null : asQuotient(right, variable, work);
  if (right !== null && other === null) return null;
  const difference = other === null ? one : joined("-", one, other, work);
  if (difference === null) return null;
  const roots = rootsOfQuotient(difference, work);
  if (roots === null) {
    return { solutions: [], method: "symbolic", note: `Every ${variable} for which it is defined is a solution.` };
  }
  const solutions = roots.filter((root) => Number.isFinite(root));
  const note = solutions.length < roots.length ? "A solution is too large for a float and left out." : null;
  return { solutions, method: "symbolic", note };
}

function search(expression: Expression, variable: string): Solved {
  const { over, parts } = enclosing(expression, variable);
  const total = new Work(MAX_SEARCH_WORK);
  const roots: number[] = [];
  const stretches: Interval[] = [];
  /** Searches both sides of 0 between two distances; false: that is too much. */
  const reach = (near: number, far: number): boolean => {
    const found = ringOf(enclosed({ over, parts }, new Work(MAX_RING_WORK, total)), near, far);
    roots.push(...(found?.roots ?? []));
    stretches.push(...(found?.stretches ?? []));
    return found !== null;
  };
  const bounds = reachOut(reach, () => roots.length + joinedStretches(stretches).length > MAX_SOLUTIONS);
  const settled = settleStretches(enclosed({ over, parts }, new Work(MAX_SEARCH_WORK)), stretches);
  const others = roots.filter((root) => !settled.stretches.some((stretch) => holds(stretch, root)));
  const all = distinct([...others, ...settled.roots]);
  const notes = [...settled.levels.map((level) => levelNote(variable, level)), ...boundsNotes(variable, all, bounds)];
  const solutions = all.toSorted((one, other) => Math.abs(one) - Math.abs(other)).slice(0, MAX_SOLUTIONS);
  return {
    solutions: solutions.toSorted((one, other) => one - other),
    method: "numeric",
    note: notes.length === 0 ? null : notes.join(" "),
  };
}

/** Null: too much work, or too many roots. */
function ringOf(enclose: Enclose, near: number, far: number): Found | null {
  return unlessRefused(() => {
    const [below, above] = [searchRoots(enclose, -far, -near), searchRoots(enclose, near, far)];
    if (below === null || above === null) return null;
    return { roots: [...below.roots, ...above.roots], stretches: [...below.stretches, ...above.stretches] };
  });
}

/** Null when something is too much work. */
function unlessRefused<T>(run: () => T): T | null {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof MathsError && thrown.kind === "refused") return null;
    throw thrown;
  }
}

/** The distances from 0 between which all was searched. Throws when that is nowhere. */
function reachOut(reach: (near: number, far: number) => boolean, isEnough: () => boolean): Interval {
  const start = MIDDLES.find((middle) => reach(middle.low, middle.high));
  if (start === undefined) {
    throw new MathsError("refused", "Too much work: the equation is too long, or has too many solutions");
  }
  let { low, high } = start;
  for (const next of INNER.filter((distance) => distance < start.low)) {
    if (!reach(next, low)) break;
    low = next;
  }
  for (const next of OUTER.filter((distance) => distance > start.high)) {
    if (isEnough() || !reach(high, next)) break;
    high = next;
  }
  return interval(low, high);
}

function levelNote(variable: string, { low, high }: Interval): string {
  const [from, to] = [low, high].map((end) => (Math.abs(end) > LEAST_WIDTH ? Number(end.toPrecision(6)) : 0));
  if (low === -Number.MAX_VALUE && high === Number.MAX_VALUE) return `Every ${variable} is a solution.`;
  if (low === -Number.MAX_VALUE) return `Every ${variable} up to ${to} is a solution.`;
  return `Every ${variable} from ${from} ${high === Number.MAX_VALUE ? "on" : `to ${to}`} is a solution.`;
}

function boundsNotes(variable: string, roots: readonly number[], { low, high }: Interval): string[] {
  if (low === 0 && high === Number.MAX_VALUE && roots.length <= MAX_SOLUTIONS) return [];
  const searched = `Searched where ${low === 0 ? "" : `${low} ≤ `}|${variable}| ≤ ${high}`;
  if (roots.length <= MAX_SOLUTIONS) return [`${searched}; there may be more solutions.`];
  return [`${searched}; there are more solutions than these ${MAX_SOLUTIONS}, which are nearest to 0.`];
}
