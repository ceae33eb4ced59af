/** What an expression of one variable can be over an interval: its values, its slopes, and how well it behaves there. */
import {
  add,
  aroundLibrary,
  divide,
  holds,
  hull,
  interval,
  type Interval,
  negate,
  point,
  sizeOf,
  SMALL,
  square,
  subtract,
  times,
  WHOLE,
  ZERO,
} from "./interval.ts";

/**
 * `whole`: defined and continuous over all of the interval, `slope` holding every slope; `part`: continuous where it is
 * defined; `broken`: it may jump, or have a pole.
 */
export type Behaviour = "whole" | "part" | "broken";

export interface Enclosure {
  readonly value: Interval;
  readonly slope: Interval;
  readonly behaviour: Behaviour;
}

/** Null: defined nowhere in the interval. */
export type MaybeEnclosure = Enclosure | null;

/** A function of one enclosure. */
export type Rule = (given: Enclosure) => MaybeEnclosure;

const HALF_PI = Math.PI / 2;
/** How far a multiple of pi may be from where it is computed to be, relative to its size. */
const PI_SLACK = 2 ** -50;

const ONE: Enclosure = { value: point(1), slope: ZERO, behaviour: "whole" };

export function constantEnclosure(value: Interval): Enclosure {
  return { value, slope: ZERO, behaviour: "whole" };
}

export function addEnclosures(one: Enclosure, other: Enclosure): Enclosure {
  return made(add(one.value, other.value), add(one.slope, other.slope), worse(one.behaviour, other.behaviour));
}

export function negateEnclosure({ value, slope, behaviour }: Enclosure): Enclosure {
  return { value: negate(value), slope: negate(slope), behaviour };
}

export function multiplyEnclosures(one: Enclosure, other: Enclosure): Enclosure {
  const slope = add(times(one.slope, other.value), times(other.slope, one.value));
  return made(times(one.value, other.value), slope, worse(one.behaviour, other.behaviour));
}

export function divideEnclosures(one: Enclosure, other: Enclosure): MaybeEnclosure {
  const quotient = divide(one.value, other.value);
  if (quotient === null) return null;
  if (holds(other.value, 0)) return made(quotient, WHOLE, "broken");
  const slope = divide(subtract(one.slope, times(quotient, other.slope)), other.value) ?? WHOLE;
  return made(quotient, slope, worse(one.behaviour, other.behaviour));
}

/** To a whole power. */
export function powerRule(exponent: number): Rule {
  if (exponent === 0) return ({ behaviour }) => made(point(1), ZERO, behaviour);
  if (exponent < 0) {
    const positive = powerRule(-exponent);
    return (given) => after(positive(given), (power) => divideEnclosures(ONE, power));
  }
  return ({ value, slope, behaviour }) => {
    const inner = times(point(exponent), powerOf(value, exponent - 1));
    return made(powerOf(value, exponent), times(inner, slope), behaviour);
  };
}

/** To a power that is no whole number: of numbers from 0 on. */
export function rootRule(exponent: Interval): Rule {
  return (given) => {
    if (given.value.high < 0) return null;
    if (given.value.high === 0) return exponent.low > 0 ? made(ZERO, WHOLE, "part") : null;
    const clipped = clip(given, 0, Number.POSITIVE_INFINITY);
    const power = after(logarithmOf(clipped), (log) =>
      exponential(multiplyEnclosures(constantEnclosure(exponent), log)),
    );
    if (power === null || given.value.low > 0) return power;
    if (exponent.low <= 0) return made(power.value, WHOLE, "broken");
    const steepness = interval(exponent.high < 1 ? Number.MIN_VALUE : 0, Number.POSITIVE_INFINITY);
    return made(interval(0, power.value.high), times(steepness, clipped.slope), clipped.behaviour);
  };
}

/** Any power of a positive number. */
export function powerOfEnclosures(base: Enclosure, exponent: Enclosure): MaybeEnclosure {
  return after(logarithmOf(base), (log) => exponential(multiplyEnclosures(exponent, log)));
}

export const exponential: Rule = ({ value, slope, behaviour }) => {
  const around = aroundLibrary(Math.exp(value.low), Math.exp(value.high));
  const low = Math.max(Number.MIN_VALUE, around.low);
  const result = interval(low, Math.max(SMALL, around.high));
  return made(result, times(result, slope), behaviour);
};

/** The natural logarithm, times `factor`. */
export function logarithmRule(factor: Interval): Rule {
  return (given) => after(logarithmOf(given), (log) => multiplyEnclosures(constantEnclosure(factor), log));
}

const logarithmOf: Rule = (given) => {
  const { low, high } = given.value;
  if (high <= 0) return null;
  const result = aroundLibrary(low <= 0 ? Number.NEGATIVE_INFINITY : Math.log(low), Math.log(high));
  const slope = divide(given.slope, interval(Math.max(low, 0), high)) ?? WHOLE;
  return made(result, slope, low <= 0 ? worse(given.behaviour, "part") : given.behaviour);
};

export const squareRoot: Rule = (given) => {
  if (given.value.high < 0) return null;
  const { value, slope, behaviour } = clip(given, 0, Number.POSITIVE_INFINITY);
  const around = aroundLibrary(Math.sqrt(value.low), Math.sqrt(value.high));
  const result = interval(Math.max(0, around.low), around.high);
  return made(result, divide(slope, times(point(2), result)) ?? WHOLE, behaviour);
};

export const sine: Rule = ({ value, slope, behaviour }) => {
  return made(waveOf(value, Math.sin, HALF_PI), times(waveOf(value, Math.cos, 0), slope), behaviour);
};

export const cosine: Rule = ({ value, slope, behaviour }) => {
  return made(waveOf(value, Math.cos, 0), negate(times(waveOf(value, Math.sin, HALF_PI), slope)), behaviour);
};

export const tangent: Rule = ({ value, slope, behaviour }) => {
  if (passesMultiple(value, HALF_PI, Math.PI)) return made(WHOLE, WHOLE, "broken");
  const result = aroundLibrary(Math.tan(value.low), Math.tan(value.high));
  return made(result, times(add(point(1), square(result)), slope), behaviour);
};

export const arcSine: Rule = (given) => arc(given, (low, high) => aroundLibrary(Math.asin(low), Math.asin(high)), 1);

export const arcCosine: Rule = (given) => arc(given, (low, high) => aroundLibrary(Math.acos(high), Math.acos(low)), -1);

export const arcTangent: Rule = ({ value, slope, behaviour }) => {
  const steepness = divide(slope, add(point(1), square(value))) ?? WHOLE;
  return made(aroundLibrary(Math.atan(value.low), Math.atan(value.high)), steepness, behaviour);
};

/** The angle of a point; without bounds for its slope where it jumps, on the left of the origin. */
export function angle(y: Enclosure, x: Enclosure): MaybeEnclosure {
  const behaviour = worse(y.behaviour, x.behaviour);
  if (x.value.low > 0) return after(divideEnclosures(y, x), arcTangent);
  const isPoint = y.value.low === y.value.high && x.value.low === x.value.high;
  const exact = Math.atan2(y.value.low, x.value.low);
  if (isPoint) return made(aroundLibrary(exact, exact), WHOLE, worse(behaviour, "broken"));
  return made(aroundLibrary(-Math.PI, Math.PI), WHOLE, "broken");
}

export const absolute: Rule = ({ value, slope, behaviour }) => {
  const falling = negate(slope);
  const bent = value.low >= 0 ? slope : value.high <= 0 ? falling : hull(slope, falling);
  return made(sizeOf(value), bent, behaviour);
};

/** A function that is level between jumps, such as `Math.floor`. */
export function stepRule(step: (value: number) => number): Rule {
  return ({ value, behaviour }) => {
    const result = interval(finite(value.low, step), finite(value.high, step));
    return made(result, ZERO, result.low === result.high ? behaviour : "broken");
  };
}

/** Applies a rule unless there is nothing to apply it to. */
export function after(given: MaybeEnclosure, rule: Rule): MaybeEnclosure {
  return given === null ? null : rule(given);
}

function arc(given: Enclosure, bounds: (low: number, high: number) => Interval, sign: number): MaybeEnclosure {
  if (given.value.low > 1 || given.value.high < -1) return null;
  const { value, slope, behaviour } = clip(given, -1, 1);
  const rest = subtract(point(1), square(value));
  const root = aroundLibrary(Math.sqrt(Math.max(0, rest.low)), Math.sqrt(Math.max(0, rest.high)));
  const steepness = divide(times(point(sign), slope), interval(Math.max(0, root.low), root.high)) ?? WHOLE;
  return made(bounds(value.low, value.high), steepness, behaviour);
}

function made(value: Interval, slope: Interval, behaviour: Behaviour): Enclosure {
  return { value, slope: behaviour === "whole" ? slope : WHOLE, behaviour };
}

function worse(one: Behaviour, other: Behaviour): Behaviour {
  if (one === "broken" || other === "broken") return "broken";
  return one === "part" ? one : other;
}

/** Only the values between two bounds, of which there is one at least. */
function clip(given: Enclosure, low: number, high: number): Enclosure {
  const { value } = given;
  if (value.low >= low && value.high <= high) return given;
  const kept = interval(Math.max(low, value.low), Math.min(high, value.high));
  return made(kept, WHOLE, worse(given.behaviour, "part"));
}

function powerOf(value: Interval, exponent: number): Interval {
  if (exponent === 0) return point(1);
  if (exponent === 1) return value;
  return exponent % 2 === 0 ? square(powerOf(value, exponent / 2)) : oddPower(value, exponent);
}

/** Rises with its argument, so that only the ends count, and a point's one end once: each end halves the exponent anew. */
function oddPower({ low, high }: Interval, exponent: number): Interval {
  const end = (value: number): Interval => times(point(value), powerOf(point(value), exponent - 1));
  return low === high ? end(low) : interval(end(low).low, end(high).high);
}

/** Of sine or cosine, whose tops stand at `top` and a whole number of turns from there. */
function waveOf(value: Interval, wave: (value: number) => number, top: number): Interval {
  if (value.low === value.high && Number.isFinite(value.low)) {
    const level = wave(value.low);
    const { low, high } = aroundLibrary(level, level);
    return interval(Math.max(-1, low), Math.min(1, high));
  }
  if (!(value.high - value.low < 2 * Math.PI)) return interval(-1, 1);
  const [one, other] = [wave(value.low), wave(value.high)];
  const around = aroundLibrary(Math.min(one, other), Math.max(one, other));
  return interval(
    passesMultiple(value, top + Math.PI, 2 * Math.PI) ? -1 : Math.max(-1, around.low),
    passesMultiple(value, top, 2 * Math.PI) ? 1 : Math.min(1, around.high),
  );
}

/** Whether `first` or a multiple of `period` from there may lie in the interval. */
function passesMultiple({ low, high }: Interval, first: number, period: number): boolean {
  const slack = Math.max(Math.abs(low), Math.abs(high), 1) * PI_SLACK;
  if (!(high - low < period) || slack > period) return true;
  const next = first + Math.ceil((low - slack - first) / period) * period;
  return next <= high + slack;
}

function finite(value: number, step: (value: number) => number): number {
  return Number.isFinite(value) ? step(value) : value;
}
