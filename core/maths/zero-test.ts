/** A function looked at point by point: its sign, and whether it can be told from 0 at all. */
import type { Enclosing } from "./enclose.ts";
import type { MaybeEnclosure } from "./enclosure.ts";
import { holds, interval, type Interval, point, signOf, SMALL, ZERO } from "./interval.ts";
import type { Work } from "./work.ts";

/** The function at a point or over an interval, against a budget. */
export type Enclose = (low: number, high: number) => MaybeEnclosure;

/** Nanoseconds, about, that one part of an expression takes over one interval. */
const WORK_A_PART = 250;
/** What is nearer to 0 than this without being 0 comes from numbers too small for doubles. */
const UNDERFLOW = 1e-290;
const BESIDE = 2 ** -52;
/** At the edge of its domain a root is this uncertain at most; a logarithm is without bounds. */
const MOST_AT_EDGE = 0.1;
/** The function of an expression. Enclosing it spends work. */
export function enclosed({ parts, over }: Enclosing, work: Work): Enclose {
  return (low, high) => {
    work.spend(parts * WORK_A_PART);
    return over({ value: interval(low, high), slope: point(1), behaviour: "whole" });
  };
}

/** 0 where the sign cannot be told. */
export function signAt(enclose: Enclose, at: number): number {
  const there = enclose(at, at);
  return there === null ? 0 : signOf(there.value);
}

/** The middle of what the function may be at a point. */
export function levelAt(enclose: Enclose, at: number): number {
  const { low, high } = enclose(at, at)?.value ?? ZERO;
  return Math.max(low, -Number.MAX_VALUE) / 2 + Math.min(high, Number.MAX_VALUE) / 2;
}

/** Whether the function cannot be told from 0 at a point where it is defined, other than for numbers too large or small. */
export function isZeroAt(enclose: Enclose, at: number): boolean {
  return (at === 0 || Math.abs(at) > SMALL) && mayBeZero(enclose(at, at));
}

/** The same for a point and the doubles beside it. */
export function isZeroBeside(enclose: Enclose, at: number): boolean {
  const step = Math.abs(at) * BESIDE;
  return mayBeZero(enclose(at - step, at + step));
}

/** False for a value whose bounds say nothing, as they come from numbers too large or too small. */
export function mayBeZero(there: MaybeEnclosure): boolean {
  if (there === null || there.behaviour === "broken" || !holds(there.value, 0) || !isBounded(there.value)) return false;
  const width = there.value.high - there.value.low;
  if (there.behaviour === "part" && width > MOST_AT_EDGE) return false;
  return width === 0 || width > UNDERFLOW;
}

export function isBounded({ low, high }: Interval): boolean {
  return Number.isFinite(low) && Number.isFinite(high);
}
