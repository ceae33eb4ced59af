/**
 * Searches for roots on a grid of doubles: brackets changes of sign, of slope and of definedness, and bisects them to
 * the last bit. A root is a value within its rounding error of 0, so a pole or a jump is not a root.
 */
import type { Turns } from "../../base/turns.ts";
import type { Jet, JetFunction } from "./jet.ts";

interface Sample extends Jet {
  readonly x: number;
}

/** Two neighbours on the grid that are undefined or not 0 (null at its ends), and the zeros between them. */
interface Segment {
  readonly left: Sample | null;
  readonly zeros: readonly Sample[];
  readonly right: Sample | null;
}

export interface Found {
  /** Ascending. */
  readonly roots: readonly number[];
  /** Intervals that consist of solutions. */
  readonly levels: readonly (readonly [low: number, high: number])[];
  readonly isComplete: boolean;
}

export const MAX_SOLUTIONS = 100;
/** Nanoseconds, about: of the grid, of all, and of one part of an expression. */
const MAX_GRID_WORK = 200_000_000;
const MAX_WORK = 400_000_000;
const WORK_A_PART = 50;
/** Powers of 2 between which the grid is dense, and of the smallest and the largest points. */
const [SMALLEST, DENSE_FROM, DENSE_TO, LARGEST] = [-1070, -10, 10, 1024];
/** Grid points from one power of 2 to the next. */
const [MAX_DENSITY, MIN_DENSITY, DENSITY_RATIO] = [512, 16, 128];
/** How much one step from double to double may change a value, relative to its neighbours on the grid. */
const MAX_STEP = 1e-5;
/**
 * The most zeros between the edge of a domain and the next value that is not 0; more are a limit to which values are
 * rounded.
 */
const MAX_ZEROS_AT_EDGE = 2;
/** Points of an interval of solutions where the slope is not 0. */
const MAX_KINKS = 2;
/** More poles and jumps than this may hide solutions from the grid. */
const MAX_BREAKS = 10;
const MAX_DIGITS = 12;
const NEAR = 2e-15;

/** Searches for roots. `parts` is the cost of computing a value. The choice of the grid bounds the work. */
export async function searchRoots(evaluate: JetFunction, parts: number, turns: Turns): Promise<Found> {
  const cost = parts * WORK_A_PART;
  let left = MAX_WORK;
  const sample = (x: number): Sample => {
    turns.spend(cost);
    left -= cost;
    return { x, ...evaluate(x) };
  };
  const samples: Sample[] = [];
  for (const x of makeGrid(MAX_GRID_WORK / cost)) {
    if (turns.isUsedUp) await turns.next();
    samples.push(sample(x));
  }
  const segments = toSegments(samples).sort((one, other) => measureReach(one) - measureReach(other));
  const [roots, levels]: [Set<number>, [number, number][]] = [new Set(), []];
  let breaks = 0;
  for (const segment of segments) {
    if (turns.isUsedUp) await turns.next();
    if (left < 0 || roots.size + levels.length > MAX_SOLUTIONS) break;
    const level = findLevel(segment, sample);
    if (level !== null) levels.push(level);
    else {
      const found = findRoots(segment, sample);
      breaks += found.filter(Number.isNaN).length;
      for (const root of found) if (!Number.isNaN(root)) roots.add(root);
    }
  }
  const isComplete = left >= 0 && breaks <= MAX_BREAKS && roots.size + levels.length <= MAX_SOLUTIONS;
  return { roots: [...roots].slice(0, MAX_SOLUTIONS).sort((one, other) => one - other), levels, isComplete };
}

/** Creates an ascending, symmetrical grid with all integers up to 512 and about `most` points. */
function makeGrid(most: number): number[] {
  let density = MAX_DENSITY;
  const spread = (): number => Math.max(1, density / DENSITY_RATIO);
  const count = (): number => 2 * ((DENSE_TO - DENSE_FROM) * density + (LARGEST - SMALLEST) * spread());
  while (density > MIN_DENSITY && count() > most) density /= 2;
  const positive: number[] = [];
  for (let exponent = SMALLEST; exponent < LARGEST; exponent += 1) {
    const points = exponent >= DENSE_FROM && exponent < DENSE_TO ? density : spread();
    for (let point = 0; point < points; point += 1) positive.push(2 ** exponent * (1 + point / points));
  }
  positive.push(Number.MAX_VALUE);
  return [...positive.map((x) => -x).reverse(), 0, ...positive];
}

function toSegments(samples: readonly Sample[]): Segment[] {
  const segments: Segment[] = [];
  let left: Sample | null = null;
  let zeros: Sample[] = [];
  for (const next of [...samples, null]) {
    if (next !== null && getSign(next) === 0) zeros.push(next);
    else {
      const segment: Segment = { left, zeros, right: next };
      if (isOfInterest(segment)) segments.push(segment);
      [left, zeros] = [next, []];
    }
  }
  return segments;
}

function isOfInterest({ left, zeros, right }: Segment): boolean {
  if (zeros.length > 0) return true;
  if (left === null || right === null) return false;
  return (getSign(left) !== getSign(right) && (isDefined(left) || isDefined(right))) || isTurning(left, right);
}

/** Distance from the middle of the numbers: from 0 outward, then inward from where the grid is dense. */
function measureReach({ left, right }: Segment): number {
  const [low, high] = [left?.x ?? Number.NEGATIVE_INFINITY, right?.x ?? Number.POSITIVE_INFINITY];
  const distance = Math.max(0, low, -high);
  return distance > 0 && distance < 2 ** DENSE_FROM ? 1 / distance : distance;
}

/** Finds an interval of zeros: the slope is 0 too, except at its ends. */
function findLevel({ left, zeros, right }: Segment, sample: (x: number) => Sample): [number, number] | null {
  const [first, last] = [zeros[0], zeros.at(-1)];
  const sloping = zeros.filter(({ slope }) => Math.abs(slope) > 0).length;
  if (first === undefined || last === undefined) return null;
  if ((zeros.length - sloping < 2 || sloping > MAX_KINKS) && (left !== null || right !== null)) return null;
  const isOutside = (x: number): boolean => getSign(sample(x)) !== 0;
  return [
    left === null ? Number.NEGATIVE_INFINITY : bisect(left.x, first.x, isOutside),
    right === null ? Number.POSITIVE_INFINITY : bisect(right.x, last.x, isOutside),
  ];
}

/** Finds roots. NaN is a change of sign without a root: a pole or a jump. */
function findRoots({ left, zeros, right }: Segment, sample: (x: number) => Sample): number[] {
  if (left === null || right === null) return [];
  if (!isDefined(left) && !isDefined(right)) return zeros.filter(({ value }) => value === 0).map(({ x }) => x);
  if (!isDefined(left) || !isDefined(right)) {
    const [inside, outside] = isDefined(left) ? [zeros.at(-1) ?? left, right] : [zeros[0] ?? right, left];
    const edge = sample(bisect(inside.x, outside.x, (x) => isDefined(sample(x))));
    const [from, to] = isDefined(left) ? [left, edge] : [edge, right];
    if (getSign(edge) !== 0) return findRoots({ left: from, zeros, right: to }, sample);
    if (zeros.length > MAX_ZEROS_AT_EDGE) return [];
    if (isRoot(edge, from, to)) return [findNeat(edge.x, 0, sample)];
    return findBesideEdge(isDefined(left) ? left : right, edge, sample);
  }
  const cross = (from: Sample, to: Sample): number => {
    const isLike = (end: Sample) => (x: number) => getSign(sample(x)) === getSign(end);
    const [low, high] = enclose(from.x, to.x, isLike(from), isLike(to));
    const middle = sample(low + (high - low) / 2);
    return isRoot(middle, from, to) ? findNeat(middle.x, high - low, sample) : Number.NaN;
  };
  if (getSign(left) !== getSign(right)) return [cross(left, right)];
  const turn = zeros.length > 0 ? findFlattest(zeros) : findTurn(left, right, sample);
  if (turn === null) return [];
  if (getSign(turn) !== 0) return getSign(turn) === getSign(left) ? [] : [cross(left, turn), cross(turn, right)];
  return isRoot(turn, left, right) ? [findNeat(turn.x, 0, sample)] : [];
}

/**
 * Finds a root between a point of the grid and the edge of a domain, where rounding hides the sign: `log(1 + K*(x - A))` begins
 * close to its root for a large K. The sign between both has to be the other one.
 */
function findBesideEdge(inner: Sample, edge: Sample, sample: (x: number) => Sample): number[] {
  const isLike = (x: number): boolean => getSign(sample(x)) === getSign(inner);
  const last = bisect(inner.x, edge.x, isLike);
  const root = sample(bisect(edge.x, last, (x) => !isLike(x)));
  const isCrossed = getSign(sample(root.x / 2 + edge.x / 2)) === -getSign(inner);
  return isCrossed && isRoot(root, inner, inner) ? [findNeat(root.x, 0, sample)] : [];
}

/** Whether the value is 0 within its error, which is small enough to tell it from the neighbours on the grid. */
function isRoot(candidate: Sample, left: Sample, right: Sample): boolean {
  const step = Math.abs(candidate.slope * candidate.x) * Number.EPSILON;
  const scale = Math.max(Math.abs(left.value), Math.abs(right.value));
  return candidate.value === 0 || (getSign(candidate) === 0 && step <= MAX_STEP * scale);
}

function findFlattest(samples: readonly Sample[]): Sample {
  return samples.reduce((flat, other) => (Math.abs(other.slope) < Math.abs(flat.slope) ? other : flat));
}

/** Finds where the slope changes its sign towards 0. */
function findTurn(left: Sample, right: Sample, sample: (x: number) => Sample): Sample | null {
  if (!isTurning(left, right)) return null;
  const hasSlope = (sign: number) => (x: number) => Math.sign(sample(x).slope) === sign;
  const [low, high] = enclose(left.x, right.x, hasSlope(-getSign(left)), hasSlope(getSign(left)));
  return sample(low + (high - low) / 2);
}

/** Returns the number with the fewest digits that is indistinguishable from a root. */
function findNeat(root: number, width: number, sample: (x: number) => Sample): number {
  for (let digits = 0; digits <= MAX_DIGITS; digits += 1) {
    const neat = digits === 0 ? 0 : Number(root.toPrecision(digits));
    const isNear = Math.abs(neat - root) <= Math.max(width, digits === 0 ? NEAR : NEAR * Math.abs(root));
    if (isNear && getSign(sample(neat)) === 0) return neat;
  }
  return root;
}

/** Returns the bounds of the part that is like neither end of an interval. */
function enclose(from: number, to: number, isFrom: (x: number) => boolean, isTo: (x: number) => boolean) {
  const low = bisect(from, to, isFrom);
  return [low, bisect(to, low, isTo)] as const;
}

/** Returns the last double on the way to `to` for which a condition of `from` is true. */
function bisect(from: number, to: number, holds: (x: number) => boolean): number {
  let [inside, outside] = [from, to];
  for (;;) {
    const middle = inside / 2 + outside / 2;
    if (middle === inside || middle === outside) return inside;
    if (holds(middle)) inside = middle;
    else outside = middle;
  }
}

function isTurning(left: Sample, right: Sample): boolean {
  const sign = getSign(left);
  return sign === getSign(right) && left.slope * sign < 0 && right.slope * sign > 0;
}

/** Returns the sign, 0 within the rounding error; NaN if undefined. */
function getSign({ value, error }: Jet): number {
  return Math.abs(value) <= error ? 0 : Math.sign(value);
}

function isDefined({ value }: Jet): boolean {
  return !Number.isNaN(value);
}
