/**
 * All real roots of a polynomial, each as the double that is nearest to it. Nothing is rounded on the way: Descartes' rule of
 * signs on halved intervals isolates the roots (Collins and Akritas 1976), and steps that double the bits as they succeed
 * close in on each (Abbott's quadratic interval refinement).
 */
import type { Turns } from "../base/turns.ts";
import { nearestNumber } from "./exact.ts";
import {
  degreeOf,
  exactQuotient,
  type Polynomial,
  primitive,
  rootBound,
  scaledValue,
  sizeOf,
  squareFree,
  trimmed,
} from "./polynomial.ts";
import { type Work, wordsOf } from "./work.ts";

/** An addition of coefficients, beside its words; an evaluation has more to it. */
const WORK_AN_ADDITION = 20;

/** A root between `at / 2 ** bits` and the next such fraction, or exactly there. */
interface Isolated {
  readonly at: bigint;
  readonly bits: number;
  readonly isExact: boolean;
}

/** Ascending, each once; infinite where a root is beyond all doubles. Of a polynomial that is not zero. */
export async function realRoots(polynomial: Polynomial, work: Work, turns: Turns): Promise<number[]> {
  const zeros = polynomial.findIndex((coefficient) => coefficient !== 0n);
  const rest = await squareFree(polynomial.slice(zeros), work, turns);
  const mirrored = rest.map((coefficient, power) => (power % 2 === 0 ? coefficient : -coefficient));
  const roots = [
    ...(await positiveRoots(mirrored, work, turns)).map((root) => -root),
    ...(zeros > 0 ? [0] : []),
    ...(await positiveRoots(rest, work, turns)),
  ];
  return [...new Set(roots)].sort((one, other) => one - other);
}

/** Of a polynomial with no root twice and none at 0. */
async function positiveRoots(polynomial: Polynomial, work: Work, turns: Turns): Promise<number[]> {
  if (degreeOf(polynomial) < 1 || signChanges(polynomial) === 0) return [];
  const bound = rootBound(polynomial);
  const squeezed = primitive(stretched(polynomial, bound));
  const isolated = await isolate(squeezed, work, turns);
  // Without the roots that were hit, no end of an interval is a root.
  const rest = isolated.reduce(
    (left, { at, bits, isExact }) => (isExact ? exactQuotient(left, [-at, 1n << BigInt(bits)], work) : left),
    squeezed,
  );
  const roots: number[] = [];
  for (const root of isolated) {
    if (turns.isOver) await turns.next();
    roots.push(root.isExact ? numberOf(root.at, root.bits - bound) : nearestRoot(rest, root, bound, work));
  }
  return roots;
}

/** The polynomial whose roots are those of another divided by `2 ** bits`. */
function stretched(polynomial: Polynomial, bits: number): Polynomial {
  const degree = degreeOf(polynomial);
  return polynomial.map((coefficient, power) =>
    bits >= 0 ? coefficient << BigInt(bits * power) : coefficient << BigInt(-bits * (degree - power)),
  );
}

/** The roots between 0 and 1. */
async function isolate(polynomial: Polynomial, work: Work, turns: Turns): Promise<Isolated[]> {
  const found: Isolated[] = [];
  const open = [{ polynomial, at: 0n, bits: 0 }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (turns.isOver) await turns.next();
    const changes = signChanges(shiftedByOne([...part.polynomial].reverse(), work));
    if (changes === 1) found.push({ at: part.at, bits: part.bits, isExact: false });
    if (changes < 2) continue;
    const lower = stretched(part.polynomial, -1);
    let upper = shiftedByOne(lower, work);
    const [at, bits] = [part.at * 2n, part.bits + 1];
    if (upper[0] === 0n) {
      found.push({ at: at + 1n, bits, isExact: true });
      upper = upper.slice(1);
    }
    open.push({ polynomial: lower, at, bits }, { polynomial: upper, at: at + 1n, bits });
  }
  return found;
}

/** `p(x + 1)`. */
function shiftedByOne(polynomial: Polynomial, work: Work): Polynomial {
  const coefficients = [...polynomial];
  const { length } = coefficients;
  work.spend(((length * length) / 2) * (WORK_AN_ADDITION + wordsOf(sizeOf(polynomial))));
  for (let from = 0; from < length - 1; from += 1) {
    for (let power = length - 2; power >= from; power -= 1) {
      coefficients[power] = (coefficients[power] ?? 0n) + (coefficients[power + 1] ?? 0n);
    }
  }
  return trimmed(coefficients);
}

function signChanges(polynomial: Polynomial): number {
  let changes = 0;
  let last = 0n;
  for (const coefficient of polynomial) {
    if (coefficient === 0n) continue;
    if (last !== 0n && coefficient > 0n !== last > 0n) changes += 1;
    last = coefficient;
  }
  return changes;
}

/** The double nearest to `root * 2 ** bound`. */
function nearestRoot(polynomial: Polynomial, root: Isolated, bound: number, work: Work): number {
  const evaluate = (at: bigint, bits: number): bigint => {
    const words = wordsOf(sizeOf(polynomial) + bits * polynomial.length);
    work.spend(polynomial.length * (WORK_AN_ADDITION + words * wordsOf(bits)));
    return scaledValue(polynomial, at, bits);
  };
  let { at, bits } = root;
  let step = 1;
  let low = evaluate(at, bits);
  let high = evaluate(at + 1n, bits);
  while (numberOf(at, bits - bound) !== numberOf(at + 1n, bits - bound)) {
    const guess = (at << BigInt(step)) + guessOf(low, high, step);
    const cell = cellBeside(guess, bits + step, high, evaluate);
    if (cell === null) {
      step = Math.ceil(step / 2);
      continue;
    }
    ({ at, low, high } = cell);
    bits += step;
    step *= 2;
    if (cell.isExact) break;
  }
  return numberOf(at, bits - bound);
}

/** Where a straight line from one value to the other crosses 0, in units of a finer grid: never at either end. */
function guessOf(low: bigint, high: bigint, step: number): bigint {
  const units = 1n << BigInt(step);
  const crossing = (units * low) / (low - high);
  return crossing < 1n ? 1n : crossing >= units ? units - 1n : crossing;
}

/** The cell of the finer grid on one side of the guess, when the root is in it; null: it is farther away. */
function cellBeside(
  guess: bigint,
  bits: number,
  high: bigint,
  evaluate: (at: bigint, bits: number) => bigint,
): { at: bigint; low: bigint; high: bigint; isExact: boolean } | null {
  const value = evaluate(guess, bits);
  const isBelow = value > 0n === high > 0n;
  const other = isBelow ? guess - 1n : guess + 1n;
  const beyond = evaluate(other, bits);
  if (value === 0n || beyond === 0n) return { at: value === 0n ? guess : other, low: 0n, high: 0n, isExact: true };
  if (beyond > 0n === value > 0n) return null;
  return isBelow
    ? { at: other, low: beyond, high: value, isExact: false }
    : { at: guess, low: value, high: beyond, isExact: false };
}

/** `at / 2 ** bits`, for any sign of `bits`. */
function numberOf(at: bigint, bits: number): number {
  return bits >= 0
    ? nearestNumber({ numerator: at, denominator: 1n << BigInt(bits) })
    : nearestNumber({ numerator: at << BigInt(-bits), denominator: 1n });
}
