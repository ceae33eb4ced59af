/**
 * All real roots of a polynomial with integer coefficients, exactly: Sturm's theorem counts the roots of an interval, and
 * halving the interval leads to the nearest double. Coefficients are in order of rising powers, the last one not 0.
 */
import type { Turns } from "../../base/turns.ts";
import { countBits, computeGreatestDivisor, toNearestNumber } from "./exact.ts";
import { MathsError } from "./maths-error.ts";
import { type Work, countWords } from "./work.ts";

export type Polynomial = readonly bigint[];

const MAX_DEGREE = 128;
const MAX_BITS = 8_192;
/** Work of one product or sum of coefficients, besides its words. */
const WORK_A_TERM = 20;
/** Steps of Euclid's algorithm for each word, about. */
const DIVISOR_STEPS = 160;

export function add(one: Polynomial, other: Polynomial): Polynomial {
  const [long, short] = one.length < other.length ? [other, one] : [one, other];
  return trim(long.map((coefficient, power) => coefficient + (short[power] ?? 0n)));
}

/** Throws a `MathsError` of kind `refused` when the product is too large. */
export function multiply(one: Polynomial, other: Polynomial, work: Work): Polynomial {
  const bits = measure(one) + measure(other);
  if (one.length + other.length > MAX_DEGREE + 2 || bits > MAX_BITS) {
    throw new MathsError("refused", "Too large to be solved exactly");
  }
  work.spend(one.length * other.length * (WORK_A_TERM + countWords(measure(one)) * countWords(measure(other))));
  const product = Array.from({ length: Math.max(one.length + other.length - 1, 0) }, () => 0n);
  one.forEach((left, i) => other.forEach((right, k) => (product[i + k] = (product[i + k] ?? 0n) + left * right)));
  return trim(product);
}

/** The distinct real roots without those of `excluded`, ascending; infinite where a root is beyond all doubles. */
export async function findRealRoots(polynomial: Polynomial, excluded: Polynomial, work: Work, turns: Turns) {
  const repeated = (await toSturmChain(polynomial, derive(polynomial), work, turns)).at(-1) ?? [1n];
  const distinct = divide(polynomial, repeated, work).quotient;
  const shared = (await toSturmChain(distinct, excluded, work, turns)).at(-1) ?? [1n];
  const simple = reduce(divide(distinct, shared, work).quotient, work);
  const chain = await toSturmChain(simple, derive(simple), work, turns);
  const roots: number[] = [];
  const start = -boundRoots(simple);
  const ends = [-1n, 1n].map((at) => countChanges(chain, at, start, work)) as [number, number];
  const open = [{ low: -1n, high: 1n, bits: start, before: ends[0], after: ends[1] }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (turns.isUsedUp) await turns.next();
    const { low, high, bits, before, after } = part;
    if (before === after) continue;
    const [middle, finer, isSingle] = [low + high, bits + 1, before - after === 1];
    const signAtHigh = isSingle ? getSignAt(simple, high, bits, work) : 1;
    if (signAtHigh === 0 || toNumber(low, bits) === toNumber(high, bits)) {
      roots.push(toNumber(high, bits));
      continue;
    }
    const sign = isSingle ? getSignAt(simple, middle, finer, work) : 0;
    const single = sign === 0 || sign === signAtHigh ? after : before;
    const between = isSingle ? single : countChanges(chain, middle, finer, work);
    open.push({ low: middle, high: 2n * high, bits: finer, before: between, after });
    open.push({ low: 2n * low, high: middle, bits: finer, before, after: between });
  }
  return roots;
}

/** Returns two polynomials and their negated remainders; the last one is their greatest common divisor. */
async function toSturmChain(one: Polynomial, other: Polynomial, work: Work, turns: Turns): Promise<Polynomial[]> {
  const chain = [one];
  for (let next = other; next.length > 0; ) {
    if (turns.isUsedUp) await turns.next();
    const { rest } = divide(chain.at(-1) ?? [], next, work);
    chain.push(next);
    next = reduce(rest, work).map((coefficient) => -coefficient);
  }
  return chain;
}

/** Divides after multiplying the dividend by a positive integer that makes all coefficients whole. */
function divide(dividend: Polynomial, divisor: Polynomial, work: Work) {
  const lead = divisor.at(-1) ?? 1n;
  let rest = dividend;
  let quotient = Array.from({ length: Math.max(dividend.length - divisor.length + 1, 0) }, () => 0n);
  while (rest.length >= divisor.length) {
    const top = rest.at(-1) ?? 0n;
    const shift = rest.length - divisor.length;
    spendOnDivisors(1, Math.max(measure(rest), measure(divisor)), work);
    const common = computeGreatestDivisor(top, lead) * (lead < 0n ? -1n : 1n);
    const [scale, factor] = [lead / common, top / common];
    quotient = quotient.map((coefficient, power) => (power === shift ? factor : coefficient * scale));
    rest = trim(rest.map((coefficient, power) => coefficient * scale - factor * (divisor[power - shift] ?? 0n)));
  }
  return { quotient, rest };
}

/** Divides by the greatest common divisor of the coefficients. */
function reduce(polynomial: Polynomial, work: Work): Polynomial {
  spendOnDivisors(polynomial.length, measure(polynomial), work);
  const common = polynomial.reduce((divisor, coefficient) => computeGreatestDivisor(divisor, coefficient), 0n);
  return polynomial.map((coefficient) => coefficient / common);
}

function spendOnDivisors(count: number, bits: number, work: Work): void {
  work.spend(count * (WORK_A_TERM + DIVISOR_STEPS * countWords(bits) ** 2));
}

function derive(polynomial: Polynomial): Polynomial {
  return polynomial.slice(1).map((coefficient, power) => coefficient * BigInt(power + 1));
}

function countChanges(chain: readonly Polynomial[], at: bigint, bits: number, work: Work): number {
  const signs = chain.map((polynomial) => getSignAt(polynomial, at, bits, work)).filter((sign) => sign !== 0);
  return signs.filter((sign, index) => index > 0 && sign !== signs[index - 1]).length;
}

/** The sign of the value at `at / 2 ** bits`. */
function getSignAt(polynomial: Polynomial, at: bigint, bits: number, work: Work): number {
  const [x, shift] = bits < 0 ? [at << BigInt(-bits), 0] : [at, bits];
  const size = countBits(x) + shift;
  work.spend(
    polynomial.length * (WORK_A_TERM + countWords(measure(polynomial) + size * polynomial.length) * countWords(size)),
  );
  const value = polynomial.reduceRight(
    (sum, coefficient, power) => sum * x + (coefficient << BigInt(shift * (polynomial.length - 1 - power))),
    0n,
  );
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}

/** Fujiwara's bound: the absolute value of every root is below 2 to this power. */
function boundRoots(polynomial: Polynomial): number {
  const lead = countBits(polynomial.at(-1) ?? 1n);
  const bounds = polynomial.slice(0, -1).map((coefficient, power) => {
    return Math.ceil((countBits(coefficient) - lead + 1) / (polynomial.length - 1 - power));
  });
  return Math.max(0, ...bounds) + 1;
}

function toNumber(at: bigint, bits: number): number {
  const ratio = { numerator: at << BigInt(Math.max(-bits, 0)), denominator: 1n << BigInt(Math.max(bits, 0)) };
  return toNearestNumber(ratio);
}

/** Bits of the largest coefficient. */
function measure(polynomial: Polynomial): number {
  return polynomial.reduce((most, coefficient) => Math.max(most, countBits(coefficient)), 0);
}

function trim(coefficients: Polynomial): Polynomial {
  return coefficients.slice(0, coefficients.findLastIndex((coefficient) => coefficient !== 0n) + 1);
}
