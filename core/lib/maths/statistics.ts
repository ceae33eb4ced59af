/**
 * Summaries of numbers like Python's `statistics` and `math.fsum`: computed exactly and rounded once, so that neither
 * the order nor the sizes of the numbers matter.
 */
import { type Dyadic, toDyadic, toRatio, toNearestNumber, computeNearestSquareRoot } from "./exact.ts";

/** A figure is infinite when it is beyond all doubles. */
export interface Summary {
  readonly mean: number;
  readonly median: number;
  /** The sample's deviation; null for one number. */
  readonly stdev: number | null;
  readonly minimum: number;
  readonly maximum: number;
  readonly total: number;
}

/** Summarises one or more finite numbers. */
export function summarise(numbers: readonly number[]): Summary {
  const sorted = Float64Array.from(numbers).sort();
  const count = BigInt(numbers.length);
  const { sum, squares, exponent } = computeExactSums(numbers);
  return {
    mean: computeNearestQuotient({ mantissa: sum, exponent }, count),
    median: computeMedian(sorted),
    stdev:
      numbers.length < 2 ? null : computeDeviation(count * squares - sum * sum, 2 * exponent, count * (count - 1n)),
    minimum: sorted[0] ?? Number.NaN,
    maximum: sorted.at(-1) ?? Number.NaN,
    total: computeNearestQuotient({ mantissa: sum, exponent }, 1n),
  };
}

/** The sums of the numbers and of their squares: `sum * 2 ** exponent` and `squares * 2 ** (2 * exponent)`. */
function computeExactSums(numbers: readonly number[]): { sum: bigint; squares: bigint; exponent: number } {
  const parts = numbers.map(toDyadic);
  const exponent = parts.reduce(
    (lowest, part) => (part.mantissa === 0n ? lowest : Math.min(lowest, part.exponent)),
    1_024,
  );
  let [sum, squares] = [0n, 0n];
  for (const part of parts) {
    if (part.mantissa === 0n) continue;
    const units = part.mantissa << BigInt(part.exponent - exponent);
    sum += units;
    squares += units * units;
  }
  return { sum, squares, exponent };
}

function computeMedian(sorted: Float64Array): number {
  const middle = Math.floor(sorted.length / 2);
  const [below = Number.NaN, above = Number.NaN] = sorted.subarray(middle - 1, middle + 1);
  if (sorted.length % 2 === 1) return sorted[middle] ?? Number.NaN;
  const sum = below + above;
  // Both halves of a sum beyond all doubles are whole numbers, so halving is exact.
  return Number.isFinite(sum) ? sum / 2 : below / 2 + above / 2;
}

function computeNearestQuotient(dividend: Dyadic, divisor: bigint): number {
  const { numerator, denominator } = toRatio(dividend);
  return toNearestNumber({ numerator, denominator: denominator * divisor });
}

function computeDeviation(mantissa: bigint, exponent: number, divisor: bigint): number {
  const { numerator, denominator } = toRatio({ mantissa, exponent });
  return computeNearestSquareRoot({ numerator, denominator: denominator * divisor });
}
