/** Which root, if any, stands in a short stretch where a function cannot be told from 0 or where it does not behave. */
import { interval, type Interval, middleOf, signOf, widthOf } from "./interval.ts";
import { type Enclose, isZeroAt, isZeroBeside, signAt } from "./zero-test.ts";

/** How far a neater number may be from a root that is known to the last bits, relative to it. */
const NEAR = 2e-15;
/** A number with more digits is no neater than any other. */
const MOST_DIGITS = 12;
/** Numbers that are no farther apart than this, relative to them, are next to one another. */
const NEXT = 4e-15;
/** A point whose slope changes sign is looked for a little outside of the stretch, too. */
const MARGIN = 0.5;

/** The root, or none. */
export function rootsOfStretch(enclose: Enclose, stretch: Interval): number[] {
  const middle = stretch.low + (stretch.high - stretch.low) / 2;
  const crossing = crossingPoint(enclose, stretch);
  if (crossing !== null) return [crossing];
  const turn = turningPoint(enclose, stretch);
  if (turn !== null && isZeroBeside(enclose, turn)) return [neatestNear(enclose, turn, 0)];
  const edge = edgeOfDomain(enclose, stretch);
  if (edge !== null && isZeroAt(enclose, edge)) return [neatestNear(enclose, edge, 0)];
  const neat = Array.from({ length: MOST_DIGITS }, (_, index) => Number(middle.toPrecision(index + 1)));
  const inside = neat.filter((number) => number >= stretch.low && number <= stretch.high);
  const root = [...inside, middle, stretch.low, stretch.high].find((at) => isZeroAt(enclose, at));
  return root === undefined ? [] : [root];
}

/** A root whose sign cannot be told is in the middle of all such points, unless they are next to one another. */
export function rootAround(enclose: Enclose, at: number, { low, high }: Interval): number {
  if (signAt(enclose, at) !== 0) return at;
  const first = -boundary(-at, -low, (mirrored) => signAt(enclose, -mirrored) === 0);
  const around = interval(
    first,
    boundary(at, high, (other) => signAt(enclose, other) === 0),
  );
  const root = widthOf(around) > NEXT * Math.abs(at) ? middleOf(around) : at;
  return neatestNear(enclose, root, widthOf(around));
}

/** The number with the fewest digits no farther from a root than `reach` at which the function cannot be told from 0 either. */
function neatestNear(enclose: Enclose, root: number, reach: number): number {
  for (let digits = 1; digits <= MOST_DIGITS; digits += 1) {
    const neat = Number(root.toPrecision(digits));
    if (Math.abs(neat - root) <= Math.max(reach, NEAR * Math.abs(root)) && isZeroAt(enclose, neat)) return neat;
  }
  return root;
}

/** Where the function changes its sign without a jump, although its slope is not known to be other than 0. */
function crossingPoint(enclose: Enclose, { low, high }: Interval): number | null {
  const margin = (high - low) * MARGIN;
  const [from, to] = [low - margin, high + margin];
  const [first, last] = [signAt(enclose, from), signAt(enclose, to)];
  if (first === 0 || first !== -last || enclose(from, to)?.behaviour !== "whole") return null;
  const crossing = boundary(from, to, (at) => {
    const sign = signAt(enclose, at);
    return sign === 0 ? null : sign === first;
  });
  return rootAround(enclose, crossing, interval(from, to));
}

/** Where the slope changes its sign: where a function that only touches 0 does. */
function turningPoint(enclose: Enclose, { low, high }: Interval): number | null {
  const slopeSign = (at: number): number => {
    const there = enclose(at, at);
    return there === null || there.behaviour !== "whole" ? 0 : signOf(there.slope);
  };
  const margin = (high - low) * MARGIN;
  const [first, last] = [slopeSign(low - margin), slopeSign(high + margin)];
  if (first === 0 || first !== -last) return null;
  return boundary(low - margin, high + margin, (at) => {
    const sign = slopeSign(at);
    return sign === 0 ? null : sign === first;
  });
}

/** Where the function ends to be defined: half-way from where it surely is to where it may be, as rounding has it. */
function edgeOfDomain(enclose: Enclose, { low, high }: Interval): number | null {
  const edge = (isDefined: (at: number) => boolean): number | null => {
    const atLow = isDefined(low);
    if (atLow === isDefined(high)) return null;
    return atLow ? boundary(low, high, isDefined) : -boundary(-high, -low, (at) => isDefined(-at));
  };
  const possible = edge((at) => enclose(at, at) !== null);
  const certain = edge((at) => enclose(at, at)?.behaviour === "whole");
  return possible === null || certain === null ? possible : possible + (certain - possible) / 2;
}

/** The last number from `from` on for which something holds that does not hold at `to`; where it cannot be told, that one. */
function boundary(from: number, to: number, isBefore: (at: number) => boolean | null): number {
  let [before, behind] = [from, to];
  for (;;) {
    const middle = before + (behind - before) / 2;
    if (middle <= before || middle >= behind) return before;
    const answer = isBefore(middle);
    if (answer === null) return middle;
    if (answer) before = middle;
    else behind = middle;
  }
}
