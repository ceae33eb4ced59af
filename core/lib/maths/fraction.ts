/** Reads an expression as a quotient of polynomials in its unknown, with decimal numbers as they are written. */
import { evaluate } from "./evaluate.ts";
import { MathsError } from "./maths-error.ts";
import { add, multiply, type Polynomial } from "./polynomial.ts";
import type { Expression, Operator } from "./syntax.ts";
import type { Work } from "./work.ts";

/** `above / below`, undefined at the roots of `excluded`. */
export interface Fraction {
  readonly above: Polynomial;
  readonly below: Polynomial;
  readonly excluded: Polynomial;
}

const ONE: Polynomial = [1n];
const MAX_POWER = 8_192n;
/** Of a written float: `1e9999` is infinite. */
const MAX_DECIMAL_EXPONENT = 400;

/**
 * Converts an expression to a fraction of polynomials; null if it is not one. `varying` has every part that contains
 * the unknown. Throws a `MathsError`: `refused` for a large one, or why a part without the unknown has no value.
 */
export function toFraction(expression: Expression, varying: ReadonlySet<Expression>, work: Work): Fraction | null {
  switch (expression.kind) {
    case "number":
      return typeof expression.value === "bigint" ? toConstant(expression.value) : toDecimal(expression.text, work);
    case "name":
      return varying.has(expression) ? { above: [0n, 1n], below: ONE, excluded: ONE } : null;
    case "unary": {
      const operand = toFraction(expression.operand, varying, work);
      return operand === null || expression.operator === "+"
        ? operand
        : multiplyFractions(operand, toConstant(-1n), work);
    }
    case "binary": {
      const left = toFraction(expression.left, varying, work);
      const right = left === null ? null : toFraction(expression.right, varying, work);
      return left === null || right === null ? null : join(expression.operator, left, right, work);
    }
    case "call": {
      const value = varying.has(expression) ? null : evaluate(expression, work);
      return typeof value === "bigint" || Number.isSafeInteger(value) ? toConstant(BigInt(value ?? 0)) : null;
    }
    case "forbidden":
      return null;
  }
}

function join(operator: Operator, left: Fraction, right: Fraction, work: Work): Fraction | null {
  if (operator === "+") return addFractions(left, right, work);
  if (operator === "-") return addFractions(left, multiplyFractions(right, toConstant(-1n), work), work);
  if (operator === "*") return multiplyFractions(left, right, work);
  if (operator === "/") return multiplyFractions(left, invert(right, work), work);
  const [exponent = 0n, divisor = 1n] = [right.above[0], right.below[0]];
  const isWhole = right.above.length < 2 && right.below.length < 2 && exponent % divisor === 0n;
  return operator === "**" && isWhole ? raise(left, exponent / divisor, work) : null;
}

function addFractions(one: Fraction, other: Fraction, work: Work): Fraction {
  const above = add(multiply(one.above, other.below, work), multiply(other.above, one.below, work));
  return { ...multiplyFractions(one, other, work), above };
}

function multiplyFractions(one: Fraction, other: Fraction, work: Work): Fraction {
  return {
    above: multiply(one.above, other.above, work),
    below: multiply(one.below, other.below, work),
    excluded: multiply(one.excluded, other.excluded, work),
  };
}

function invert({ above, below, excluded }: Fraction, work: Work): Fraction {
  if (above.length === 0) throw new MathsError("ZeroDivisionError", "division by zero");
  return { above: below, below: above, excluded: multiply(excluded, above, work) };
}

function raise(base: Fraction, exponent: bigint, work: Work): Fraction {
  if (exponent < 0n) return raise(invert(base, work), -exponent, work);
  if (exponent > MAX_POWER) throw new MathsError("refused", "Too large to be solved exactly");
  let power: Fraction = { ...toConstant(1n), excluded: base.excluded };
  for (let count = 0n; count < exponent; count += 1n)
    power = multiplyFractions(power, { ...base, excluded: ONE }, work);
  return power;
}

function toConstant(value: bigint): Fraction {
  return { above: value === 0n ? [] : [value], below: ONE, excluded: ONE };
}

function toDecimal(text: string, work: Work): Fraction | null {
  const [digits = "", exponent = "0"] = text.replaceAll("_", "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = digits.split(".");
  if (Math.abs(Number(exponent)) > MAX_DECIMAL_EXPONENT) return null;
  const scale = raise(toConstant(10n), BigInt(Number(exponent) - fraction.length), work);
  return multiplyFractions(toConstant(BigInt(whole + fraction)), scale, work);
}
