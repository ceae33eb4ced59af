/** Exact numbers for IEEE doubles: bit lengths, the fraction of a double, and the double nearest to a fraction. */

/** Bits of a result before it is rounded; the lowest of them says whether anything is below it. */
const GUARD_BITS = 64;
const MIN_EXPONENT = -1074;
/** Below 2 to this power, doubles have fewer than 53 bits. */
const SUBNORMAL_EXPONENT = -1021;

/** A fraction, its denominator positive. It need not be reduced. */
export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** `mantissa * 2 ** exponent`. */
export interface Dyadic {
  readonly mantissa: bigint;
  readonly exponent: number;
}

export function toAbsolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Counts the bits of the absolute value; 0 for 0. */
export function countBits(value: bigint): number {
  if (value === 0n) return 0;
  const hex = toAbsolute(value).toString(16);
  return (hex.length - 1) * 4 + 32 - Math.clz32(Number.parseInt(hex.charAt(0), 16));
}

/** Returns the exact value of a finite double. The mantissa is odd, or 0. */
export function toDyadic(value: number): Dyadic {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const field = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  let mantissa = field === 0 ? fraction : fraction | 0x10_0000_0000_0000n;
  if (mantissa === 0n) return { mantissa, exponent: 0 };
  let exponent = Math.max(field, 1) + MIN_EXPONENT - 1;
  const zeros = countBits(mantissa & -mantissa) - 1;
  mantissa >>= BigInt(zeros);
  exponent += zeros;
  return { mantissa: bits >> 63n === 1n ? -mantissa : mantissa, exponent };
}

/** Returns `value * 2 ** exponent` as a fraction. */
export function toRatio({ mantissa, exponent }: Dyadic): Ratio {
  return exponent >= 0
    ? { numerator: mantissa << BigInt(exponent), denominator: 1n }
    : { numerator: mantissa, denominator: 1n << BigInt(-exponent) };
}

/** The double nearest to a fraction, ties to even; infinite when it is too large. */
export function toNearestNumber({ numerator, denominator }: Ratio): number {
  if (numerator === 0n) return 0;
  const size = toAbsolute(numerator);
  const scale = GUARD_BITS - (countBits(size) - countBits(denominator));
  const scaled = scale >= 0 ? size << BigInt(scale) : size;
  const divisor = scale >= 0 ? denominator : denominator << BigInt(-scale);
  const quotient = scaled / divisor;
  const nearest = roundScaled(quotient, quotient * divisor !== scaled, scale);
  return numerator < 0n ? -nearest : nearest;
}

/** The double nearest to the root of a fraction that is not negative. */
export function computeNearestSquareRoot({ numerator, denominator }: Ratio): number {
  if (numerator === 0n) return 0;
  const scale = GUARD_BITS - Math.floor((countBits(numerator) - countBits(denominator)) / 2);
  const scaled = scale >= 0 ? numerator << BigInt(2 * scale) : numerator;
  const divisor = scale >= 0 ? denominator : denominator << BigInt(-2 * scale);
  const square = scaled / divisor;
  const root = computeIntegerSquareRoot(square);
  return roundScaled(root, root * root !== square || square * divisor !== scaled, scale);
}

/** The largest integer whose square is not larger. */
function computeIntegerSquareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(countBits(value) / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** `value * 2 ** exponent`, where the result is exact or infinite. */
export function scaleBinary(value: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return value * 2 ** half * 2 ** (exponent - half);
}

/** `quotient / 2 ** scale` and, when `more`, a little above it. A quotient has at least `GUARD_BITS` bits. */
function roundScaled(quotient: bigint, more: boolean, scale: number): number {
  if (countBits(quotient) - scale < SUBNORMAL_EXPONENT) {
    const units = shiftHalfEven(more ? (quotient << 1n) | 1n : quotient << 1n, scale + 1 + MIN_EXPONENT);
    return Number(units) * Number.MIN_VALUE;
  }
  // An odd last bit below the rounding position represents everything below it.
  return scaleBinary(Number(more ? quotient | 1n : quotient), -scale);
}

/** Takes off so many bits, rounding half to even. */
function shiftHalfEven(value: bigint, bits: number): bigint {
  return divideHalfEven(value, 1n << BigInt(bits));
}

/** The integer nearest to a quotient, ties to even; the divisor is positive. */
export function divideHalfEven(value: bigint, divisor: bigint): bigint {
  const floor = floorDivide(value, divisor);
  const twice = (value - floor * divisor) * 2n;
  if (twice === divisor) return floor + (floor & 1n);
  return twice > divisor ? floor + 1n : floor;
}

/** Division that rounds down, for a divisor of either sign that is not 0. */
export function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return quotient * divisor !== value && value < 0n !== divisor < 0n ? quotient - 1n : quotient;
}

/** The greatest common divisor, not negative. */
export function computeGreatestDivisor(left: bigint, right: bigint): bigint {
  let [high, low] = [toAbsolute(left), toAbsolute(right)];
  while (low !== 0n) [high, low] = [low, high % low];
  return high;
}
