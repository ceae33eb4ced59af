/** The functions and constants of expressions, as Python's `math` and builtins have them. */
import { applyOperator, toFloat } from "./arithmetic.ts";
import { toAbsolute, countBits, computeGreatestDivisor, scaleBinary } from "./exact.ts";
import { MathsError } from "./maths-error.ts";
import { roundPython, toInteger } from "./round.ts";
import type { PythonNumber } from "./tokens.ts";
import { refuseBits, type Work, countWords } from "./work.ts";

/** Its factorial has 16,326 digits. */
const MAX_FACTORIAL = 5_000;
/** Estimated cost of Euclid's steps for each word of the larger number. */
const DIVISOR_STEPS = 160;
/** Bits of an integer that is scaled to fit a float before its logarithm is taken. */
const LOGARITHM_BITS = 64;

export const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ["pi", Math.PI],
  ["e", Math.E],
  ["tau", 2 * Math.PI],
  ["inf", Number.POSITIVE_INFINITY],
]);

interface PythonFunction {
  readonly fewest: number;
  readonly most: number;
  run(given: readonly PythonNumber[], work: Work): PythonNumber;
}

/** Calls a function. Throws what Python raises, `name` for an unknown one, `refused` for one that costs too much. */
export function callFunction(name: string, given: readonly PythonNumber[], work: Work): PythonNumber {
  refuseCount(name, given.length);
  return findFunction(name).run(given, work);
}

/** Throws if the function has a different number of arguments. */
export function refuseCount(name: string, count: number): void {
  const { fewest, most } = findFunction(name);
  if (count < fewest || count > most) {
    const takes = fewest === most ? `${fewest}` : `${fewest} to ${most}`;
    throw new MathsError("TypeError", `${name}() takes ${takes} argument${most === 1 ? "" : "s"} (${count} given)`);
  }
}

export function isFunction(name: string): boolean {
  return FUNCTIONS.has(name);
}

/** Finds a function. Throws `name` if unknown. */
export function findFunction(name: string): PythonFunction {
  const found = FUNCTIONS.get(name);
  if (found === undefined) throw new MathsError("name", `Function not permitted: '${name}'`);
  return found;
}

/** Wraps a function of one float. NaN is a domain error, an infinite result an overflow. */
function wrapFloatFunction(compute: (value: number) => number): PythonFunction {
  return {
    fewest: 1,
    most: 1,
    run: ([value = 0]) => {
      const float = toFloat(value);
      const result = compute(float);
      if (Number.isNaN(result) && !Number.isNaN(float)) throw createDomainError();
      if (!Number.isFinite(result) && Number.isFinite(float)) throw new MathsError("OverflowError", "math range error");
      return result;
    },
  };
}

/**
 * Computes a logarithm, even of integers beyond all floats. `compute` is its function, `compute(2)` what a doubling
 * adds.
 */
function logarithm(value: PythonNumber, compute: (value: number) => number): number {
  if (value <= 0) throw createDomainError();
  const excess = typeof value === "bigint" ? countBits(value) - LOGARITHM_BITS : 0;
  if (typeof value === "number" || Number.isFinite(Number(value))) return compute(Number(value));
  // The sum is taken of a part between a half and 1, as CPython takes it.
  return compute(scaleBinary(Number(value >> BigInt(excess)), -LOGARITHM_BITS)) + compute(2) * countBits(value);
}

/** V8's is one bit off at some powers of ten. */
function decimalLogarithm(value: number): number {
  const near = Math.log10(value);
  const whole = Math.round(near);
  return Math.abs(whole) <= 22 && whole >= 0 && 10 ** whole === value ? whole : near;
}

const FUNCTIONS: ReadonlyMap<string, PythonFunction> = new Map<string, PythonFunction>([
  [
    "abs",
    { fewest: 1, most: 1, run: ([value = 0]) => (typeof value === "bigint" ? toAbsolute(value) : Math.abs(value)) },
  ],
  [
    "round",
    {
      fewest: 1,
      most: 2,
      run: ([value = 0, digits]) => roundPython(value, digits === undefined ? null : integer(digits)),
    },
  ],
  ["ceil", { fewest: 1, most: 1, run: ([value = 0]) => toInteger(value, Math.ceil) }],
  ["floor", { fewest: 1, most: 1, run: ([value = 0]) => toInteger(value, Math.floor) }],
  ["sqrt", wrapFloatFunction(Math.sqrt)],
  ["exp", wrapFloatFunction(Math.exp)],
  ["log", { fewest: 1, most: 2, run: log }],
  ["log10", { fewest: 1, most: 1, run: ([value = 0]) => logarithm(value, decimalLogarithm) }],
  ["log2", { fewest: 1, most: 1, run: ([value = 0]) => logarithm(value, Math.log2) }],
  ["sin", wrapFloatFunction(Math.sin)],
  ["cos", wrapFloatFunction(Math.cos)],
  ["tan", wrapFloatFunction(Math.tan)],
  ["asin", wrapFloatFunction(Math.asin)],
  ["acos", wrapFloatFunction(Math.acos)],
  ["atan", wrapFloatFunction(Math.atan)],
  ["atan2", { fewest: 2, most: 2, run: ([y = 0, x = 0]) => Math.atan2(toFloat(y), toFloat(x)) }],
  ["degrees", { fewest: 1, most: 1, run: ([value = 0]) => toFloat(value) * (180 / Math.PI) }],
  ["radians", { fewest: 1, most: 1, run: ([value = 0]) => toFloat(value) * (Math.PI / 180) }],
  ["factorial", { fewest: 1, most: 1, run: ([value = 0], work) => factorial(integer(value), work) }],
  [
    "gcd",
    {
      fewest: 0,
      most: Number.POSITIVE_INFINITY,
      run: (given, work) => given.reduce((one, other) => computeDivisor(one, other, work), 0n),
    },
  ],
  [
    "lcm",
    {
      fewest: 0,
      most: Number.POSITIVE_INFINITY,
      run: (given, work) => given.reduce((one, other) => computeMultiple(one, other, work), 1n),
    },
  ],
]);

function log([value = 0, base]: readonly PythonNumber[], work: Work): PythonNumber {
  const natural = logarithm(value, Math.log);
  return base === undefined ? natural : applyOperator("/", natural, logarithm(base, Math.log), work);
}

function factorial(value: bigint, work: Work): bigint {
  if (value < 0n) throw new MathsError("ValueError", "factorial() not defined for negative values");
  if (value > BigInt(MAX_FACTORIAL)) {
    throw new MathsError("refused", `factorial() takes numbers up to ${MAX_FACTORIAL} here`);
  }
  const product = multiplyRange(2, Number(value));
  work.spend(countWords(countBits(product)) ** 2);
  return product;
}

/** Multiplies the whole numbers from `low` to `high`, by halves, so that the factors have similar sizes. */
function multiplyRange(low: number, high: number): bigint {
  if (low > high) return 1n;
  if (low === high) return BigInt(low);
  const middle = Math.floor((low + high) / 2);
  return multiplyRange(low, middle) * multiplyRange(middle + 1, high);
}

function computeDivisor(one: PythonNumber, other: PythonNumber, work: Work): bigint {
  const [left, right] = [integer(one), integer(other)];
  work.spend(DIVISOR_STEPS * countWords(countBits(left)) * countWords(countBits(right)));
  return computeGreatestDivisor(left, right);
}

function computeMultiple(one: PythonNumber, other: PythonNumber, work: Work): bigint {
  const [left, right] = [integer(one), integer(other)];
  if (left === 0n || right === 0n) return 0n;
  refuseBits(Math.max(countBits(left), countBits(right)));
  const factor = right / computeDivisor(left, right, work);
  refuseBits(countBits(left) + countBits(factor) - 1);
  return toAbsolute(left * factor);
}

function integer(value: PythonNumber): bigint {
  if (typeof value === "bigint") return value;
  throw new MathsError("TypeError", "'float' object cannot be interpreted as an integer");
}

function createDomainError(): MathsError {
  return new MathsError("ValueError", "math domain error");
}
