/** Python's `round`, `floor` and `ceil`: half to even, on the exact value of a float, so that `round(2.675, 2)` is 2.67. */
import { divideHalfEven, toDyadic, toRatio, toNearestNumber } from "./exact.ts";
import { MathsError } from "./maths-error.ts";
import type { PythonNumber } from "./tokens.ts";
import { refuseBits } from "./work.ts";

/** Rounding changes no float beyond this many decimal places, and none is half as large as 10 ** 309. */
const MOST_DIGITS = 323;
const FEWEST_DIGITS = -308;
const BITS_A_DIGIT = 3.33;

/** Rounds to `digits`; null for an integer. Otherwise an integer stays an integer and a float stays a float. */
export function roundPython(value: PythonNumber, digits: bigint | null): PythonNumber {
  if (typeof value === "bigint") return digits === null || digits >= 0n ? value : roundInteger(value, -digits);
  return digits === null ? toInteger(value, roundHalfEven) : roundFloat(value, digits);
}

/**
 * Rounds a float to an integer by `rounded`; an integer stays unchanged. Throws for infinity and NaN, as Python does.
 */
export function toInteger(value: PythonNumber, rounded: (value: number) => number): bigint {
  if (typeof value === "bigint") return value;
  if (Number.isNaN(value)) throw new MathsError("ValueError", "cannot convert float NaN to integer");
  if (!Number.isFinite(value)) throw new MathsError("OverflowError", "cannot convert float infinity to integer");
  return BigInt(rounded(value));
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  // Exact: two floats this near to one another differ by a float.
  const above = value - floor;
  if (above === 0.5) return floor % 2 === 0 ? floor : floor + 1;
  return above > 0.5 ? floor + 1 : floor;
}

function roundInteger(value: bigint, places: bigint): bigint {
  const digits = BigInt(value < 0n ? value.toString().length - 1 : value.toString().length);
  if (places > digits) return 0n;
  const unit = 10n ** places;
  const rounded = divideHalfEven(value, unit) * unit;
  refuseBits(Number(digits) * BITS_A_DIGIT);
  return rounded;
}

function roundFloat(value: number, digits: bigint): number {
  if (!Number.isFinite(value) || value === 0 || digits > MOST_DIGITS) return value;
  if (digits < FEWEST_DIGITS) return value < 0 ? -0 : 0;
  const { numerator, denominator } = toRatio(toDyadic(value));
  const scale = 10n ** (digits < 0n ? -digits : digits);
  const units =
    digits < 0n ? divideHalfEven(numerator, denominator * scale) : divideHalfEven(numerator * scale, denominator);
  if (units === 0n) return value < 0 ? -0 : 0;
  const rounded =
    digits < 0n
      ? toNearestNumber({ numerator: units * scale, denominator: 1n })
      : toNearestNumber({ numerator: units, denominator: scale });
  if (!Number.isFinite(rounded)) throw new MathsError("OverflowError", "rounded value too large to represent");
  return rounded;
}
