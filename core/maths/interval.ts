/**
 * Interval arithmetic: each operation gives bounds that hold every result of numbers within the bounds that it is given,
 * rounding included. A lower bound is never +Infinity and an upper one never -Infinity, so no sum of bounds is NaN.
 */

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export const WHOLE: Interval = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
export const ZERO: Interval = { low: 0, high: 0 };

/** More than one rounding errs by, relative to the result; V8's functions err by less than twice as much. */
const ROUNDING = 2 ** -52;
const LIBRARY_ROUNDING = 2 * ROUNDING;
/** A positive number stays one, however small: products and quotients never reach 0 by underflow. */
const TINY = Number.MIN_VALUE;
/** Below it, doubles lose their precision: any positive number may be meant. */
export const SMALL = 1e-300;
/** Above this ratio of its ends, the middle of an interval is in proportion to them. */
const LARGE_RATIO = 4;
/** Splits the 53 bits of a double in two halves. */
const SPLITTER = 2 ** 27 + 1;
/** Below it, what a product lost may itself be lost. */
const LEAST_CHECKED_PRODUCT = 1e-270;

export function interval(low: number, high: number): Interval {
  return { low, high };
}

export function point(value: number): Interval {
  return { low: value + 0, high: value + 0 };
}

export function holds({ low, high }: Interval, value: number): boolean {
  return low <= value && value <= high;
}

export function middleOf({ low, high }: Interval): number {
  if (low > 0 && high / low > LARGE_RATIO) return Math.sqrt(low) * Math.sqrt(high);
  if (high < 0 && low / high > LARGE_RATIO) return -Math.sqrt(-low) * Math.sqrt(-high);
  return low + (high - low) / 2;
}

export function widthOf({ low, high }: Interval): number {
  return high - low;
}

/** Bounds around results of a library function. Those that are 0 are exact: sin(0), log(1) and their like. */
export function aroundLibrary(low: number, high: number): Interval {
  if (low > 0) return { low: Math.max(TINY, below(low, LIBRARY_ROUNDING)), high: above(high, LIBRARY_ROUNDING) };
  if (high < 0) return negate(aroundLibrary(-high, -low));
  return {
    low: low === 0 ? 0 : below(low, LIBRARY_ROUNDING),
    high: high === 0 ? 0 : above(high, LIBRARY_ROUNDING),
  };
}

export function hull(one: Interval, other: Interval): Interval {
  return { low: Math.min(one.low, other.low), high: Math.max(one.high, other.high) };
}

export function negate({ low, high }: Interval): Interval {
  // Not by a minus sign: a divisor of -0 would turn the sign of its quotients.
  return { low: 0 - high, high: 0 - low };
}

export function add(one: Interval, other: Interval): Interval {
  const [low, high] = [one.low + other.low, one.high + other.high];
  return {
    low: roundedDown(low, lostInSum(one.low, other.low, low)),
    high: roundedUp(high, lostInSum(one.high, other.high, high)),
  };
}

export function subtract(one: Interval, other: Interval): Interval {
  return add(one, negate(other));
}

export function times(one: Interval, other: Interval): Interval {
  const [sign, otherSign] = [signOf(one), signOf(other)];
  if (sign !== 0 && otherSign !== 0) {
    const [size, otherSize] = [sizeOf(one), sizeOf(other)];
    const low = Math.max(TINY, lowProduct(size.low, otherSize.low));
    const product = { low, high: Math.max(SMALL, highProduct(size.high, otherSize.high)) };
    return sign === otherSign ? product : negate(product);
  }
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const left of [one.low, one.high]) {
    for (const right of [other.low, other.high]) {
      low = Math.min(low, lowProduct(left, right));
      high = Math.max(high, highProduct(left, right));
    }
  }
  return { low, high };
}

/** Null where the only divisor is 0. With 0 among the divisors there is a bound on one side at most. */
export function divide(one: Interval, other: Interval): Interval | null {
  if (other.low === 0 && other.high === 0) return null;
  if (other.low < 0 && other.high > 0) return WHOLE;
  if (other.high <= 0) return divide(negate(one), negate(other));
  const sign = signOf(one);
  if (sign < 0) {
    const mirrored = divide(negate(one), other);
    return mirrored === null ? null : negate(mirrored);
  }
  if (sign === 0) return { low: lowQuotient(one.low, other.low), high: highQuotient(one.high, other.low) };
  const low = Math.max(TINY, lowQuotient(one.low, other.high));
  return { low, high: Math.max(SMALL, highQuotient(one.high, other.low)) };
}

export function square(given: Interval): Interval {
  const { low, high } = sizeOf(given);
  const most = highProduct(high, high);
  return low === 0 ? { low, high: most } : { low: Math.max(TINY, lowProduct(low, low)), high: Math.max(SMALL, most) };
}

/** The absolute values. */
export function sizeOf({ low, high }: Interval): Interval {
  if (low >= 0) return { low, high };
  if (high <= 0) return negate({ low, high });
  return { low: 0, high: Math.max(-low, high) };
}

/** 1 or -1 where all numbers have that sign, else 0. */
export function signOf({ low, high }: Interval): number {
  if (low > 0) return 1;
  return high < 0 ? -1 : 0;
}

function lowProduct(left: number, right: number): number {
  const product = productOf(left, right);
  return roundedDown(product, lostInProduct(left, right, product));
}

function highProduct(left: number, right: number): number {
  const product = productOf(left, right);
  return roundedUp(product, lostInProduct(left, right, product));
}

/** A bound that is infinite stands for numbers that are not: 0 times them is 0. */
function productOf(left: number, right: number): number {
  return left === 0 || right === 0 ? 0 : left * right;
}

function lowQuotient(left: number, right: number): number {
  if (left === 0) return 0;
  const quotient = left / right;
  return roundedDown(quotient, lostInQuotient(left, right, quotient));
}

function highQuotient(left: number, right: number): number {
  if (left === 0) return 0;
  const quotient = left / right;
  return roundedUp(quotient, lostInQuotient(left, right, quotient));
}

/** What rounding took from a sum, to the last bit (Knuth's two-sum). NaN where it cannot be told. */
function lostInSum(left: number, right: number, sum: number): number {
  const part = sum - left;
  return left - (sum - part) + (right - part);
}

/** What rounding took from a product, to the last bit (Dekker). NaN where it cannot be told. */
function lostInProduct(left: number, right: number, product: number): number {
  if (left === 0 || right === 0) return 0;
  if (!(Math.abs(product) > LEAST_CHECKED_PRODUCT)) return Number.NaN;
  const [leftHigh, rightHigh] = [highHalf(left), highHalf(right)];
  const [leftLow, rightLow] = [left - leftHigh, right - rightHigh];
  return leftLow * rightLow - (product - leftHigh * rightHigh - leftLow * rightHigh - leftHigh * rightLow);
}

/** 0 for a quotient that is exact; NaN for any other. */
function lostInQuotient(left: number, right: number, quotient: number): number {
  const product = quotient * right;
  return product === left && lostInProduct(quotient, right, product) === 0 ? 0 : Number.NaN;
}

function highHalf(value: number): number {
  const scaled = SPLITTER * value;
  return scaled - (scaled - value);
}

function roundedDown(value: number, lost: number): number {
  return lost >= 0 ? value : below(value, ROUNDING);
}

function roundedUp(value: number, lost: number): number {
  return lost <= 0 ? value : above(value, ROUNDING);
}

function below(value: number, rounding: number): number {
  return value === Number.POSITIVE_INFINITY ? Number.MAX_VALUE : value - Math.abs(value) * rounding - TINY;
}

function above(value: number, rounding: number): number {
  return value === Number.NEGATIVE_INFINITY ? -Number.MAX_VALUE : value + Math.abs(value) * rounding + TINY;
}
