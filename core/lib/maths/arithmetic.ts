/**
 * Python's arithmetic: integers stay exact, `/` and a negative power give a float, `//` and `%` round down. An integer
 * becomes a float by correct rounding. https://docs.python.org/3/reference/expressions.html
 */
import { countBits, floorDivide, toNearestNumber } from "./exact.ts";
import { MathsError } from "./maths-error.ts";
import type { Operator } from "./syntax.ts";
import type { PythonNumber } from "./tokens.ts";
import { refuseBits, type Work, countWords } from "./work.ts";

/** Throws a `MathsError` where Python raises, where it would give a complex number, and where the cost is too high. */
export function applyOperator(operator: Operator, left: PythonNumber, right: PythonNumber, work: Work): PythonNumber {
  if (typeof left === "bigint" && typeof right === "bigint") return applyToIntegers(operator, left, right, work);
  return applyToFloats(operator, toFloat(left), toFloat(right));
}

/** The nearest float. Throws for an integer beyond all floats, as Python does. */
export function toFloat(value: PythonNumber): number {
  if (typeof value === "number") return value;
  const float = Number(value);
  if (!Number.isFinite(float)) throw new MathsError("OverflowError", "int too large to convert to float");
  return float;
}

function applyToIntegers(operator: Operator, left: bigint, right: bigint, work: Work): PythonNumber {
  const [leftBits, rightBits] = [countBits(left), countBits(right)];
  work.spend(countWords(leftBits) + countWords(rightBits));
  switch (operator) {
    case "+":
      return limitSize(left + right);
    case "-":
      return limitSize(left - right);
    case "*":
      refuseBits(leftBits + rightBits - 1);
      work.spend(countWords(leftBits) * countWords(rightBits));
      return left * right;
    case "/":
      work.spend(countWords(leftBits) * countWords(rightBits));
      return trueDivide(left, right);
    case "//":
    case "%":
      if (right === 0n) throw createZeroDivisionError();
      work.spend(countWords(leftBits) * countWords(rightBits));
      return operator === "//" ? floorDivide(left, right) : left - floorDivide(left, right) * right;
    case "**":
      return raiseInteger(left, right, work);
  }
}

function applyToFloats(operator: Operator, left: number, right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      if (right === 0) throw createZeroDivisionError();
      return left / right;
    case "//":
      return floorDivideFloats(left, right);
    case "%":
      return computeFloatRemainder(left, right);
    case "**":
      return raiseFloat(left, right);
  }
}

/** An integer divided by another, correctly rounded whatever their size. */
function trueDivide(left: bigint, right: bigint): number {
  if (right === 0n) throw createZeroDivisionError();
  if (left === 0n) return right < 0n ? -0 : 0;
  const ratio = right < 0n ? { numerator: -left, denominator: -right } : { numerator: left, denominator: right };
  const quotient = toNearestNumber(ratio);
  if (!Number.isFinite(quotient)) {
    throw new MathsError("OverflowError", "integer division result too large for a float");
  }
  return quotient;
}

function raiseInteger(base: bigint, exponent: bigint, work: Work): PythonNumber {
  if (exponent < 0n) return raiseFloat(toFloat(base), toFloat(exponent));
  if (base === 0n || base === 1n) return exponent === 0n ? 1n : base;
  if (base === -1n) return exponent % 2n === 0n ? 1n : -1n;
  // A power of 2 has one bit more than its exponent says, any other number more than this.
  refuseBits(Math.max(countBits(base) - 1, 1) * Number(exponent));
  const bits = countBits(base) * Number(exponent);
  work.spend(countWords(bits) ** 2);
  return limitSize(base ** exponent);
}

/** Computes the remainder with the divisor's sign, also for 0. */
function computeFloatRemainder(left: number, right: number): number {
  if (right === 0) throw createZeroDivisionError();
  const remainder = left % right;
  if (remainder === 0) return right < 0 ? -0 : 0;
  return remainder < 0 !== right < 0 ? remainder + right : remainder;
}

function floorDivideFloats(left: number, right: number): number {
  if (right === 0) throw createZeroDivisionError();
  const remainder = left % right;
  const corrected = remainder !== 0 && remainder < 0 !== right < 0 ? 1 : 0;
  // Without the remainder, the quotient is whole up to the rounding of this division.
  const quotient = (left - remainder) / right - corrected;
  if (quotient === 0) return left / right < 0 || Object.is(left / right, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function raiseFloat(base: number, exponent: number): number {
  // C's pow gives 1 here, JavaScript's NaN.
  if (base === 1 || exponent === 0) return 1;
  if (base === -1 && !Number.isFinite(exponent) && !Number.isNaN(exponent)) return 1;
  if (base === 0 && exponent < 0 && Number.isFinite(exponent)) {
    throw new MathsError("ZeroDivisionError", "0.0 cannot be raised to a negative power");
  }
  if (base < 0 && Number.isFinite(base) && Number.isFinite(exponent) && !Number.isInteger(exponent)) {
    throw new MathsError("complex", "The result is a complex number: a negative number to a fractional power");
  }
  const power = base ** exponent;
  if (!Number.isFinite(power) && Number.isFinite(base) && Number.isFinite(exponent)) {
    throw new MathsError("OverflowError", "the result of ** is too large for a float");
  }
  return power;
}

function limitSize(value: bigint): bigint {
  refuseBits(countBits(value));
  return value;
}

function createZeroDivisionError(): MathsError {
  return new MathsError("ZeroDivisionError", "division by zero");
}
