/**
 * Finds where a function of one variable is 0, by exclusion: an interval is dropped when the function provably has no root in
 * it, settled when it provably has exactly one, and halved otherwise. What cannot be told from 0 in doubles is looked at last,
 * as it may touch 0, be 0 over a stretch, jump across it, or come near it only.
 */
import type { Turns } from "../base/turns.ts";
import type { Enclosure } from "./enclosure.ts";
import { add, holds, interval, type Interval, middleOf, point, signOf, subtract, times, widthOf } from "./interval.ts";
import { rootAround, rootsOfStretch } from "./stretch.ts";
import { type Enclose, isBounded, isZeroAt, levelAt, mayBeZero, signAt } from "./zero-test.ts";

/** What a search found: roots, and stretches that are still to be looked at. */
export interface Found {
  readonly roots: readonly number[];
  readonly stretches: readonly Interval[];
}

/** What is in the stretches. Every number of a level is a solution. */
export interface Settled {
  readonly roots: readonly number[];
  /** Stretches that hold no other roots than these. */
  readonly stretches: readonly Interval[];
  readonly levels: readonly Interval[];
}

/** Halving ends here, relative to the numbers themselves, and next to 0. */
const LEAST_RATIO = 1e-14;
export const LEAST_WIDTH = 1e-300;
/** Where a function touches 0, doubles cannot tell it from 0 as far as the root of their precision around. */
const NEAR = 1e-7;
/** A function that moves by no more than so many times what it cannot be told by is lost. */
const LOST = 8;
/** After so many secants comes a halving. */
const SECANTS = 4;
/** Where a function is looked at to learn whether it can be told from 0: fractions without a common period. */
const SAMPLES = [0.0931, 0.2894, 0.4717, 0.6553, 0.8819];
/** More than anybody reads: a search that finds so many roots or stretches is given up. */
const MOST_FOUND = 400;
/** A level stretch is this wide at least, relative to its ends and to 1. */
const LEAST_LEVEL = 1e-3;
/** From here on, numbers are so large that sums lose what could be told: what is 0 only there tends to 0. */
const FAR_AWAY = 1e6;

/** Searches from `low` to `high`; null when there is too much to find. Throws `refused` when the work is used up. */
export async function searchRoots(enclose: Enclose, low: number, high: number, turns: Turns): Promise<Found | null> {
  const roots: number[] = [];
  const stretches: Interval[] = [];
  const open = [interval(low, high)];
  for (let box = open.pop(); box !== undefined; box = open.pop()) {
    if (turns.isOver) await turns.next();
    const verdict = judge(enclose, box);
    if (verdict === "root") roots.push(bracketed(enclose, box.low, box.high));
    if (verdict === "stretch") addStretch(stretches, box);
    if (Math.max(roots.length, stretches.length) > MOST_FOUND) return null;
    if (verdict !== "halve") continue;
    const middle = middleOf(box);
    open.push(interval(middle, box.high), interval(box.low, middle));
  }
  return { roots, stretches };
}

/** They come from low to high. */
function addStretch(stretches: Interval[], next: Interval): void {
  const last = stretches.at(-1);
  if (last?.high === next.low) stretches[stretches.length - 1] = interval(last.low, next.high);
  else stretches.push(next);
}

/** Looks into stretches, which are joined first where they touch. */
export async function settleStretches(
  enclose: Enclose,
  stretches: readonly Interval[],
  turns: Turns,
): Promise<Settled> {
  const roots: number[] = [];
  const levels: Interval[] = [];
  const wholes = joinedStretches(stretches);
  for (const stretch of wholes) {
    if (turns.isOver) await turns.next();
    if (isWide(stretch) && isLevel(enclose, stretch)) levels.push(stretch);
    else if (holds(stretch, 0) && isZeroAt(enclose, 0)) roots.push(0);
    else if (!isWide(stretch)) roots.push(...rootsOfStretch(enclose, stretch));
  }
  return { roots, levels, stretches: wholes };
}

type Verdict = "none" | "root" | "stretch" | "halve";

function judge(enclose: Enclose, box: Interval): Verdict {
  const all = enclose(box.low, box.high);
  if (all === null || !holds(all.value, 0)) return "none";
  if (all.behaviour === "whole") {
    const [first, last] = [signAt(enclose, box.low), signAt(enclose, box.high)];
    if (signOf(all.slope) !== 0 && first !== 0 && last !== 0) return first === last ? "none" : "root";
    const bySlope = judgeBySlope(enclose, box, all);
    if (bySlope !== null) return bySlope;
  }
  if (isSmall(box)) return "stretch";
  if (all.behaviour === "broken") return "halve";
  const samples = SAMPLES.map((fraction) => enclose(...sampleOf(box, fraction)));
  if (!samples.every((sample) => sample !== null && holds(sample.value, 0))) return "halve";
  const zeros = samples.filter(mayBeZero).length;
  // Numbers beyond all doubles, or below them, say nothing: there is no more to find.
  return zeros === samples.length ? "stretch" : zeros === 0 ? "none" : "halve";
}

/**
 * By the mean value theorem: from its value in the middle the function cannot get to 0 within the interval, or it moves so
 * little that halves would say no more.
 */
function judgeBySlope(enclose: Enclose, box: Interval, { slope }: Enclosure): Verdict | null {
  const middle = middleOf(box);
  const there = enclose(middle, middle);
  if (there === null) return null;
  const moves = times(slope, subtract(box, point(middle)));
  if (!holds(add(there.value, moves), 0)) return "none";
  const isLost = holds(there.value, 0) && isBounded(there.value) && widthOf(moves) <= LOST * widthOf(there.value);
  return isLost ? "stretch" : null;
}

/**
 * The root between two points where the signs differ: by secants, where an end that stays counts half as much each time
 * (Illinois), and by halves now and then.
 */
function bracketed(enclose: Enclose, from: number, to: number): number {
  let [low, high] = [from, to];
  let [below, above] = [levelAt(enclose, low), levelAt(enclose, high)];
  for (let turn = 1; ; turn += 1) {
    const middle = middleOf(interval(low, high));
    if (middle <= low || middle >= high) break;
    const crossing = low - below * ((high - low) / (above - below));
    const at = turn % SECANTS !== 0 && crossing > low && crossing < high ? crossing : middle;
    const level = levelAt(enclose, at);
    if (level === 0) return rootAround(enclose, at, interval(from, to));
    if (level > 0 === above > 0) {
      [high, above] = [at, level];
      below /= 2;
    } else {
      [low, below] = [at, level];
      above /= 2;
    }
  }
  const isLowNearer = Math.abs(levelAt(enclose, low)) < Math.abs(levelAt(enclose, high));
  return rootAround(enclose, isLowNearer ? low : high, interval(from, to));
}

/** A point of the interval, as the ends of an interval. */
function sampleOf({ low, high }: Interval, fraction: number): readonly [number, number] {
  const at = low + (high - low) * fraction;
  return [at, at];
}

function isSmall({ low, high }: Interval): boolean {
  return high - low <= Math.max(LEAST_RATIO * Math.max(-low, high), LEAST_WIDTH);
}

function isWide({ low, high }: Interval): boolean {
  return high - low > LEAST_LEVEL * Math.max(1, -low, high);
}

/** Whether it is 0 all along a wide stretch, rather than near it: then it has no slope anywhere either. */
function isLevel(enclose: Enclose, stretch: Interval): boolean {
  if (stretch.low > FAR_AWAY || stretch.high < -FAR_AWAY) return false;
  return SAMPLES.every((fraction) => {
    const [at] = sampleOf(stretch, fraction);
    const there = enclose(at, at);
    return there !== null && isZeroAt(enclose, at) && holds(there.slope, 0);
  });
}

/** Joins what touches or is so near that doubles hardly tell it apart. */
export function joinedStretches(stretches: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const next of stretches.toSorted((one, other) => one.low - other.low)) {
    const last = result.at(-1);
    if (last !== undefined && next.low - last.high <= Math.max(nearness(next), nearness(last))) {
      result[result.length - 1] = interval(last.low, Math.max(last.high, next.high));
    } else result.push(next);
  }
  return result;
}

function nearness(stretch: Interval): number {
  const { low, high } = stretch;
  return isWide(stretch) ? 0 : Math.max(high - low, NEAR * Math.max(-low, high));
}

/** Ascending; numbers that rounding alone holds apart are one. */
export function distinct(roots: readonly number[]): number[] {
  const result: number[] = [];
  for (const root of roots.toSorted((one, other) => one - other)) {
    const last = result.at(-1);
    if (last === undefined || root - last > 80 * LEAST_RATIO * Math.abs(root)) result.push(root);
  }
  return result;
}
