/**
 * Searches for the roots of a function: on a grid of doubles, then by bisection where neighbours differ in sign, in
 * definedness or in where they lead. A root is where the function is continuous at the scale of doubles.
 */
import type { Turns } from "../../base/turns.ts";
import type { Sample } from "./compile.ts";

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
const WORK_A_PART = 200;
/** Powers of 2 between which the grid is dense, and of the smallest and the largest points. */
const [SMALLEST, DENSE_FROM, DENSE_TO, LARGEST] = [-1070, -10, 10, 1024];
/** Grid points from one power of 2 to the next. */
const [DENSE, SPARSE] = [512, 4];
/** The most that a value at a root may be of its neighbours on the grid, or its error: more is a pole or a jump. */
const [MAX_STEP, MAX_ERROR] = [1e-5, 0.1];
/** Steps of derivatives, relative: a longer one suits rounded values, a shorter one those that bend. */
const STEPS = [2 ** -17, 2 ** -26];
/** An interval of solutions is wider, and beyond its ends the value is soon so many times its error. */
const [MIN_WIDTH, SHARPNESS] = [1e-6, 1000];
/** A root of a high multiplicity is no wider; other zeros are a limit to which values are rounded. */
const MAX_WIDTH = 1e-2;
/** More poles and jumps than this may hide solutions from the grid. */
const MAX_BREAKS = 10;

/** `parts` is the cost of computing a value. The choice of the grid bounds the work. */
export async function searchRoots(evaluate: (x: number) => Sample, parts: number, turns: Turns): Promise<Found> {
  const cost = parts * WORK_A_PART;
  let left = MAX_WORK;
  const sample = (x: number): Sample => {
    turns.spend(cost);
    left -= cost;
    return evaluate(x);
  };
  const samples: Sample[] = [];
  for (const x of makeGrid(MAX_GRID_WORK / cost)) {
    if (turns.isUsedUp) await turns.next();
    samples.push(sample(x));
  }
  const [roots, levels]: [Set<number>, [number, number][]] = [new Set(), []];
  let breaks = 0;
  for (const segment of toSegments(samples).sort((one, other) => measureReach(one) - measureReach(other))) {
    if (turns.isUsedUp) await turns.next();
    if (left < 0 || roots.size + levels.length > MAX_SOLUTIONS) break;
    const level = findLevel(segment, sample);
    if (level !== null) levels.push(level);
    for (const root of level === null ? findRoots(segment, sample) : []) {
      if (Number.isNaN(root)) breaks += 1;
      else roots.add(root);
    }
  }
  const isComplete = left >= 0 && breaks <= MAX_BREAKS && roots.size + levels.length <= MAX_SOLUTIONS;
  return { roots: [...roots].slice(0, MAX_SOLUTIONS).sort((one, other) => one - other), levels, isComplete };
}

/** Creates an ascending, symmetrical grid of about `most` points at most; the whole one has all integers up to 512. */
function makeGrid(most: number): number[] {
  const positive: number[] = [];
  for (let exponent = SMALLEST; exponent < LARGEST; exponent += 1) {
    const points = exponent >= DENSE_FROM && exponent < DENSE_TO ? DENSE : SPARSE;
    for (let point = 0; point < points; point += 1) positive.push(2 ** exponent * (1 + point / points));
  }
  positive.push(Number.MAX_VALUE);
  const stride = Math.ceil((2 * positive.length) / most);
  const upper = positive.filter((_, index) => (index + 1) % stride === 0);
  return [...upper.map((x) => -x).reverse(), 0, ...upper];
}

/** Finds the parts of the grid with zeros, an end of the domain, a change of sign, or a turn towards 0 and back. */
function toSegments(samples: readonly Sample[]): Segment[] {
  const segments: Segment[] = [];
  let before: Sample | null = null;
  let left: Sample | null = null;
  let zeros: Sample[] = [];
  for (const right of [...samples, null]) {
    if (right !== null && getSign(right) === 0) {
      zeros.push(right);
      continue;
    }
    const [from, to] = [getSign(left), getSign(right)];
    if (
      zeros.length > 0 ||
      (left !== null && right !== null && from !== to && !(Number.isNaN(from) && Number.isNaN(to)))
    ) {
      segments.push({ left, zeros, right });
    }
    const isTurn =
      zeros.length === 0 && from === to && getSign(before) === from && isNearer(left, before) && !isNearer(right, left);
    if (isTurn) segments.push({ left: before, zeros, right });
    before = zeros.length === 0 ? left : null;
    [left, zeros] = [right, []];
  }
  return segments;
}

/** Distance from the middle of the numbers: from 0 outward, then inward from where the grid is dense. */
function measureReach({ left, right }: Segment): number {
  const [low, high] = [left?.x ?? Number.NEGATIVE_INFINITY, right?.x ?? Number.POSITIVE_INFINITY];
  const distance = Math.max(0, low, -high);
  return distance > 0 && distance < 2 ** DENSE_FROM ? 1 / distance : distance;
}

/** Finds an interval of solutions. Around a wide root, and towards a limit, the value leaves 0 slowly. */
function findLevel({ left, zeros, right }: Segment, sample: (x: number) => Sample): [number, number] | null {
  const [first, last] = [zeros[0], zeros.at(-1)];
  if (first === undefined || last === undefined) return null;
  const findEnd = (outside: Sample | null, inside: Sample, infinity: number): number => {
    if (outside === null) return infinity;
    const end = bisect(outside.x, inside.x, (x) => getSign(sample(x)) !== 0);
    const beyond = sample(end + Math.sign(infinity) * MIN_WIDTH * Math.max(1, Math.abs(end)));
    return Math.abs(beyond.value) < SHARPNESS * beyond.error ? Number.NaN : end;
  };
  const low = findEnd(left, first, Number.NEGATIVE_INFINITY);
  const high = findEnd(right, last, Number.POSITIVE_INFINITY);
  return high - low > MIN_WIDTH * Math.max(1, Math.abs(first.x)) ? [low, high] : null;
}

/** Finds roots. NaN is a change of sign without a root: a pole or a jump. */
function findRoots({ left, zeros, right }: Segment, sample: (x: number) => Sample): number[] {
  const [first, last] = [zeros[0]?.x ?? 0, zeros.at(-1)?.x ?? 0];
  if (left === null || right === null || last - first > MAX_WIDTH * Math.max(1, Math.abs(first))) return [];
  const exact = zeros.find(({ x, value }) => value === 0 && (x === 0 || zeros.length === 1));
  if (exact !== undefined) return [exact.x];
  const isSmall = ({ value }: Sample, from: Sample, to: Sample, most: number = MAX_STEP): boolean =>
    Math.abs(value) <= most * Math.max(Math.abs(from.value) || 0, Math.abs(to.value) || 0);
  const cross = (from: Sample, to: Sample): number => {
    const low = bisect(from.x, to.x, (x) => Math.sign(sample(x).value) === Math.sign(from.value));
    const high = bisect(to.x, low, (x) => Math.sign(sample(x).value) === Math.sign(to.value));
    const isRoot = [low, high].map(sample).every((end) => {
      const isRounded = getSign(end) === 0 && isSmall({ ...end, value: end.error }, from, to, MAX_ERROR);
      return isRounded || isSmall(end, from, to);
    });
    return isRoot ? findNeat(low + (high - low) / 2, sample) : Number.NaN;
  };
  if (Number.isNaN(left.value) || Number.isNaN(right.value)) {
    const [inside, outside] = Number.isNaN(right.value) ? [left, right] : [right, left];
    const edge = sample(bisect(inside.x, outside.x, (x) => !Number.isNaN(sample(x).value)));
    if (getSign(edge) === -getSign(inside)) return [cross(inside, edge)];
    return zeros.length < 2 && isSmall(edge, left, right) ? [findNeat(edge.x, sample)] : [];
  }
  if (getSign(left) !== getSign(right)) return [cross(left, right)];
  for (const step of STEPS) {
    const turn = findTurn(left, right, step, sample);
    if (getSign(turn) === -getSign(left)) return [cross(left, turn), cross(turn, right)];
    if (!isSmall(turn, left, right)) return [];
    if (getSign(turn) === 0) return [turn.x];
  }
  return [];
}

/** Finds where the value stops to approach 0, by a numerical derivative. */
function findTurn(left: Sample, right: Sample, step: number, sample: (x: number) => Sample): Sample {
  const isApproaching = (x: number): boolean =>
    (sample(x + step * x).value - sample(x - step * x).value) * Math.sign(x) * left.value < 0;
  return sample(bisect(left.x, right.x, isApproaching));
}

/** Returns the number with fourteen digits where it is as good a root. */
function findNeat(root: number, sample: (x: number) => Sample): number {
  const neat = Number(root.toPrecision(14));
  return Math.abs(sample(neat).value) <= Math.abs(sample(root).value) ? neat : root;
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

/** Returns the sign, 0 within the rounding error; NaN if undefined. */
function getSign(sample: Sample | null): number {
  if (sample === null) return Number.NaN;
  return Math.abs(sample.value) <= sample.error ? 0 : Math.sign(sample.value);
}

function isNearer(one: Sample | null, other: Sample | null): boolean {
  return one !== null && other !== null && Math.abs(one.value) < Math.abs(other.value);
}
