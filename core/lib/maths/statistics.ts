/**
 * Summaries of numbers as Python's `statistics` and `math.fsum` give them: computed exactly and rounded once, so that
 * neither the order of the numbers nor their sizes matter.
 */
import { type Dyadic, dyadicOf, dyadicRatio, nearestNumber, nearestSquareRoot } from "./exact.ts";

/** A figure is infinite when it is beyond all doubles. */
export interface Summary {
  readonly mean: number;
  readonly median: number;
  /** Of a sample; null of one number. */
  readonly stdev: number | null;
  readonly minimum: number;
  readonly maximum: number;
  readonly total: number;
}

/** Of one finite number at least. */
export function summarise(numbers: readonly number[]): Summary {
  const sorted = Float64Array.from(numbers).sort();
  const count = BigInt(numbers.length);
  const { sum, squares, exponent } = exactSums(numbers);
  return {
    mean: nearestQuotient({ mantissa: sum, exponent }, count),
    median: medianOf(sorted),
    stdev: numbers.length < 2 ? null : deviationOf(count * squares - sum * sum, 2 * exponent, count * (count - 1n)),
    minimum: sorted[0] ?? Number.NaN,
    maximum: sorted.at(-1) ?? Number.NaN,
    total: nearestQuotient({ mantissa: sum, exponent }, 1n),
  };
}

/** The sums of the numbers and of their squares: `sum * 2 ** exponent` and `squares * 2 ** (2 * exponent)`. */
function exactSums(numbers: readonly number[]): { sum: bigint; squares: bigint; exponent: number } {
  const parts = numbers.map(dyadicOf);
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

function medianOf(sorted: Float64Array): number {
  const middle = Math.floor(sorted.length / 2);
  const [below = Number.NaN, above = Number.NaN] = sorted.subarray(middle - 1, middle + 1);
  if (sorted.length % 2 === 1) return sorted[middle] ?? Number.NaN;
  const sum = below + above;
  // Both halves of a sum beyond all doubles are whole numbers: they lose nothing.
  return Number.isFinite(sum) ? sum / 2 : below / 2 + above / 2;
}

function nearestQuotient(dividend: Dyadic, divisor: bigint): number {
  const { numerator, denominator } = dyadicRatio(dividend);
  return nearestNumber({ numerator, denominator: denominator * divisor });
}

function deviationOf(mantissa: bigint, exponent: number, divisor: bigint): number {
  const { numerator, denominator } = dyadicRatio({ mantissa, exponent });
  return nearestSquareRoot({ numerator, denominator: denominator * divisor });
}
