/** Searches for the roots of an expression from the middle of the numbers outward and inward, as far as the work lasts. */
import type { Turns } from "../base/turns.ts";
import { enclosing } from "./enclose.ts";
import { holds, interval, type Interval } from "./interval.ts";
import { MathsError } from "./maths-error.ts";
import { distinct, type Found, joinedStretches, LEAST_WIDTH, searchRoots, settleStretches } from "./root-search.ts";
import type { Expression } from "./syntax.ts";
import { unlessRefused, Work } from "./work.ts";
import { type Enclose, enclosed } from "./zero-test.ts";

/** Solutions, ascending, and what a reader has to know beside them: that there are more, or that whole intervals are solutions. */
export interface FoundAround {
  readonly solutions: readonly number[];
  readonly notes: readonly string[];
}

/** A search gives at most so many solutions. */
const MAX_SOLUTIONS = 100;
/** Nanoseconds, about: of a whole search, and of one ring of it. */
const MAX_SEARCH_WORK = 400_000_000;
const MAX_RING_WORK = 100_000_000;
/** Distances from 0. A search begins in the middle, where most solutions are, and goes on in both directions while it can. */
const MIDDLES = [interval(1e-3, 10), interval(0.1, 10), interval(1e-3, 3), interval(1e-3, 1), interval(1e-3, 0.1)];
const INNER = [1e-3, 1e-6, 1e-10, 1e-30, 1e-100, 1e-300, 0] as const;
const OUTER = [10, 30, 100, 1e3, 1e4, 1e6, 1e10, 1e20, 1e50, 1e100, 1e200, Number.MAX_VALUE] as const;

/** Throws a `MathsError` where the expression makes no sense, or is too much work even in the middle. */
export async function searchAround(expression: Expression, variable: string, turns: Turns): Promise<FoundAround> {
  const { over, parts } = enclosing(expression, variable);
  const total = new Work(MAX_SEARCH_WORK, turns);
  const roots: number[] = [];
  const stretches: Interval[] = [];
  /** Searches both sides of 0 between two distances; false: that is too much. */
  const reach = async (near: number, far: number): Promise<boolean> => {
    const found = await searchRing(enclosed({ over, parts }, new Work(MAX_RING_WORK, total)), near, far, turns);
    roots.push(...(found?.roots ?? []));
    stretches.push(...(found?.stretches ?? []));
    return found !== null;
  };
  const bounds = await reachOut(reach, () => roots.length + joinedStretches(stretches).length);
  const settling = enclosed({ over, parts }, new Work(MAX_SEARCH_WORK, turns));
  const settled = await settleStretches(settling, stretches, turns);
  const others = roots.filter((root) => !settled.stretches.some((stretch) => holds(stretch, root)));
  const all = distinct([...others, ...settled.roots]);
  const notes = [...settled.levels.map((level) => levelNote(variable, level)), ...boundsNotes(variable, all, bounds)];
  const reached = all.toSorted(compareReach);
  return {
    solutions: reached.slice(0, MAX_SOLUTIONS).sort((one, other) => one - other),
    notes,
  };
}

/** Null: too much work, or too many roots. */
async function searchRing(enclose: Enclose, near: number, far: number, turns: Turns): Promise<Found | null> {
  return await unlessRefused(async () => {
    const below = await searchRoots(enclose, -far, -near, turns);
    const above = await searchRoots(enclose, near, far, turns);
    if (below === null || above === null) return null;
    return { roots: [...below.roots, ...above.roots], stretches: [...below.stretches, ...above.stretches] };
  });
}

/**
 * Searches rings around 0, inward and outward in turn, and gives the distances between which all was searched. Throws when that
 * is nowhere.
 */
async function reachOut(
  reach: (near: number, far: number) => Promise<boolean>,
  count: () => number,
): Promise<Interval> {
  let start: Interval | undefined;
  for (const middle of MIDDLES) {
    if (!(await reach(middle.low, middle.high))) continue;
    start = middle;
    break;
  }
  if (start === undefined) {
    throw new MathsError("refused", "Too much work: the equation is too long, or has too many solutions");
  }
  let { low, high } = start;
  const inner = INNER.filter((distance) => distance < low);
  const outer = OUTER.filter((distance) => distance > high);
  while (inner.length > 0 || outer.length > 0) {
    const [before, nearer, farther] = [count(), inner.shift(), outer.shift()];
    if (nearer !== undefined && (await reach(nearer, low))) low = nearer;
    else inner.length = 0;
    // Towards 0 it goes on while nothing more comes of it: 0 itself is often a solution.
    if (count() > Math.max(before, MAX_SOLUTIONS)) inner.length = 0;
    if (farther !== undefined && count() <= MAX_SOLUTIONS && (await reach(high, farther))) high = farther;
    else outer.length = 0;
  }
  return interval(low, high);
}

/** Sorts numbers as a search from the middle reaches them: ring by ring, and in a ring the nearest first. 0 comes first. */
function compareReach(one: number, other: number): number {
  const [near, far] = [Math.abs(one), Math.abs(other)];
  return ringOf(near) - ringOf(far) || orderInRing(near) - orderInRing(far);
}

function ringOf(distance: number): number {
  if (distance === 0) return 0;
  return Math.max(
    OUTER.findIndex((far) => distance <= far),
    INNER.findIndex((near) => distance >= near),
  );
}

function orderInRing(distance: number): number {
  return distance < INNER[0] ? -distance : distance;
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
  return [`${searched}; there are more solutions than these ${MAX_SOLUTIONS}.`];
}
