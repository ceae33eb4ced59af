/** Polynomials with integer coefficients, the constant first and the leading one not 0; the zero polynomial is empty. */
import type { Turns } from "../base/turns.ts";
import { absolute, bitLength, greatestDivisor } from "./exact.ts";
import { type Work, wordsOf } from "./work.ts";

export type Polynomial = readonly bigint[];

/** A product of coefficients costs this beside its words. */
const WORK_A_PRODUCT = 20;

export function trimmed(coefficients: readonly bigint[]): Polynomial {
  const last = coefficients.findLastIndex((coefficient) => coefficient !== 0n);
  return coefficients.slice(0, last + 1);
}

export function degreeOf(polynomial: Polynomial): number {
  return polynomial.length - 1;
}

function leading(polynomial: Polynomial): bigint {
  return polynomial.at(-1) ?? 0n;
}

/** `left * leftFactor + right * rightFactor`. */
export function combine(left: Polynomial, leftFactor: bigint, right: Polynomial, rightFactor: bigint): Polynomial {
  const length = Math.max(left.length, right.length);
  return trimmed(
    Array.from({ length }, (_, power) => (left[power] ?? 0n) * leftFactor + (right[power] ?? 0n) * rightFactor),
  );
}

export function multiply(left: Polynomial, right: Polynomial, work: Work): Polynomial {
  if (left.length === 0 || right.length === 0) return [];
  work.spend(left.length * right.length * (WORK_A_PRODUCT + wordsOf(sizeOf(left)) * wordsOf(sizeOf(right))));
  const product = Array.from({ length: left.length + right.length - 1 }, () => 0n);
  left.forEach((one, i) => {
    if (one === 0n) return;
    right.forEach((other, k) => {
      product[i + k] = (product[i + k] ?? 0n) + one * other;
    });
  });
  return trimmed(product);
}

function derivativeOf(polynomial: Polynomial): Polynomial {
  return polynomial.slice(1).map((coefficient, index) => coefficient * BigInt(index + 1));
}

/** Divided by the greatest divisor of its coefficients, so that the leading one is positive. */
export function primitive(polynomial: Polynomial): Polynomial {
  let divisor = 0n;
  for (const coefficient of polynomial) {
    divisor = greatestDivisor(divisor, coefficient);
    if (divisor === 1n) break;
  }
  if (leading(polynomial) < 0n) divisor = -divisor;
  return divisor === 1n || divisor === 0n ? polynomial : polynomial.map((coefficient) => coefficient / divisor);
}

/** The greatest common divisor, primitive. */
async function commonDivisor(one: Polynomial, other: Polynomial, work: Work, turns: Turns): Promise<Polynomial> {
  if (one.length === 0 || other.length === 0) return primitive(one.length === 0 ? other : one);
  if (areCoprimeByPrime(one, other)) return [1n];
  let [high, low] = [primitive(one), primitive(other)];
  if (high.length < low.length) [high, low] = [low, high];
  while (low.length > 1) [high, low] = [low, primitive(await remainderOf(high, low, work, turns))];
  return low.length === 0 ? high : [1n];
}

/** What is left of a polynomial after division by one that divides it. */
export function exactQuotient(dividend: Polynomial, divisor: Polynomial, work: Work): Polynomial {
  const remainder = [...dividend];
  const quotient = Array.from({ length: Math.max(dividend.length - divisor.length + 1, 0) }, () => 0n);
  work.spend(
    quotient.length * divisor.length * (WORK_A_PRODUCT + wordsOf(sizeOf(dividend)) * wordsOf(sizeOf(divisor))),
  );
  for (let shift = quotient.length - 1; shift >= 0; shift -= 1) {
    const factor = (remainder[shift + divisor.length - 1] ?? 0n) / leading(divisor);
    quotient[shift] = factor;
    divisor.forEach((coefficient, power) => {
      remainder[shift + power] = (remainder[shift + power] ?? 0n) - factor * coefficient;
    });
  }
  return trimmed(quotient);
}

/** The polynomial of the same roots, each once. */
export async function squareFree(polynomial: Polynomial, work: Work, turns: Turns): Promise<Polynomial> {
  const repeated = await commonDivisor(polynomial, derivativeOf(polynomial), work, turns);
  return primitive(repeated.length <= 1 ? polynomial : exactQuotient(primitive(polynomial), repeated, work));
}

/** A polynomial without the roots that it shares with another. */
export async function withoutRootsOf(
  polynomial: Polynomial,
  other: Polynomial,
  work: Work,
  turns: Turns,
): Promise<Polynomial> {
  let rest = polynomial;
  for (;;) {
    const shared = await commonDivisor(rest, other, work, turns);
    if (shared.length <= 1) return rest;
    rest = primitive(exactQuotient(primitive(rest), shared, work));
  }
}

/** Bits of the largest coefficient. */
export function sizeOf(polynomial: Polynomial): number {
  return polynomial.reduce((most, coefficient) => Math.max(most, bitLength(coefficient)), 0);
}

/** The remainder of `high` by `low`, times a power of the leading coefficient of `low` that makes it whole. */
async function remainderOf(high: Polynomial, low: Polynomial, work: Work, turns: Turns): Promise<Polynomial> {
  let rest = high;
  while (rest.length >= low.length) {
    if (turns.isOver) await turns.next();
    work.spend(low.length * (2 * WORK_A_PRODUCT + wordsOf(sizeOf(rest)) * wordsOf(sizeOf(low))));
    const divisor = greatestDivisor(leading(rest), leading(low));
    const shifted = [...Array.from({ length: rest.length - low.length }, () => 0n), ...low];
    rest = combine(rest, leading(low) / divisor, shifted, -leading(rest) / divisor);
  }
  return rest;
}

/** The largest prime below 2 ** 31. */
const PRIME = 2_147_483_647n;

/** True only where they have no common root: they have none modulo a prime that divides neither leading coefficient. */
function areCoprimeByPrime(one: Polynomial, other: Polynomial): boolean {
  const reduce = (polynomial: Polynomial): bigint[] => polynomial.map((coefficient) => modulo(coefficient));
  let [high, low] = [reduce(one), reduce(other)];
  if (high.at(-1) === 0n || low.at(-1) === 0n) return false;
  if (high.length < low.length) [high, low] = [low, high];
  while (low.length > 1) {
    const inverse = inverseOf(low.at(-1) ?? 1n);
    while (high.length >= low.length) {
      const factor = modulo((high.at(-1) ?? 0n) * inverse);
      const shift = high.length - low.length;
      low.forEach((coefficient, power) => {
        high[shift + power] = modulo((high[shift + power] ?? 0n) - factor * coefficient);
      });
      high.length = high.findLastIndex((coefficient) => coefficient !== 0n) + 1;
    }
    [high, low] = [low, high];
  }
  return low.length === 1;
}

function modulo(value: bigint): bigint {
  const rest = value % PRIME;
  return rest < 0n ? rest + PRIME : rest;
}

/** By Fermat's little theorem. */
function inverseOf(value: bigint): bigint {
  let [result, base, exponent] = [1n, value, PRIME - 2n];
  for (; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = modulo(result * base);
    base = modulo(base * base);
  }
  return result;
}

/** The value at `mantissa * 2 ** -scale`, times `2 ** (scale * degree)`; `scale` is not negative. */
export function scaledValue(polynomial: Polynomial, mantissa: bigint, scale: number): bigint {
  let value = 0n;
  for (let power = polynomial.length - 1, shift = 0; power >= 0; power -= 1, shift += scale) {
    value = value * mantissa + ((polynomial[power] ?? 0n) << BigInt(shift));
  }
  return value;
}

/** An exponent so that all real roots lie between `-2 ** n` and `2 ** n` (Fujiwara's bound, in bits). */
export function rootBound(polynomial: Polynomial): number {
  const degree = degreeOf(polynomial);
  const most = bitLength(leading(polynomial)) - 1;
  let bound = Number.NEGATIVE_INFINITY;
  polynomial.slice(0, -1).forEach((coefficient, power) => {
    if (coefficient !== 0n)
      bound = Math.max(bound, Math.ceil((bitLength(absolute(coefficient)) - most) / (degree - power)));
  });
  return bound + 1;
}
