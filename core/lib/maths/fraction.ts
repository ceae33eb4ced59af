/** Reads an expression as a quotient of polynomials in its unknown, with decimal numbers as they are written. */
import { evaluate } from "./evaluate.ts";
import { MathsError } from "./maths-error.ts";
import { add, multiply, type Polynomial } from "./polynomial.ts";
import type { Expression, Operator } from "./syntax.ts";
import type { Work } from "./work.ts";

/** `above / below`, not reduced: undefined at every root of `below`. */
export interface Fraction {
  readonly above: Polynomial;
  readonly below: Polynomial;
}

const MAX_POWER = 8_192n;
const MAX_DECIMAL_EXPONENT = 2_000;

/**
 * Converts an expression to a fraction of polynomials; null if it is not one. `varying` has every part that contains
 * the unknown. Throws a `MathsError`: `refused` for a large one, or why a part without the unknown has no value.
 */
export function toFraction(part: Expression, varying: ReadonlySet<Expression>, work: Work): Fraction | null {
  switch (part.kind) {
    case "number":
      return typeof part.value === "bigint" ? toConstant(part.value) : toDecimal(part.text);
    case "name":
      return varying.has(part) ? { above: [0n, 1n], below: [1n] } : null;
    case "unary": {
      const operand = toFraction(part.operand, varying, work);
      return operand && part.operator === "-" ? join("*", operand, toConstant(-1n), work) : operand;
    }
    case "binary": {
      const left = toFraction(part.left, varying, work);
      const right = left && toFraction(part.right, varying, work);
      return left && right && join(part.operator, left, right, work);
    }
    case "call": {
      const value = varying.has(part) ? null : evaluate(part, work);
      return typeof value === "bigint" || Number.isSafeInteger(value) ? toConstant(BigInt(value ?? 0)) : null;
    }
    case "forbidden":
      return null;
  }
}

function join(operator: Operator, left: Fraction, right: Fraction, work: Work): Fraction | null {
  const times = (one: Polynomial, other: Polynomial) => multiply(one, other, work);
  switch (operator) {
    case "+":
      return {
        above: add(times(left.above, right.below), times(right.above, left.below)),
        below: times(left.below, right.below),
      };
    case "-":
      return join("+", left, { ...right, above: times(right.above, [-1n]) }, work);
    case "*":
      return { above: times(left.above, right.above), below: times(left.below, right.below) };
    case "/":
      if (right.above.length === 0) throw new MathsError("ZeroDivisionError", "division by zero");
      // Where the divisor is undefined, so is the quotient: its denominator stays on both sides.
      return {
        above: times(left.above, times(right.below, right.below)),
        below: times(left.below, times(right.above, right.below)),
      };
    case "**": {
      const [exponent = 0n, divisor = 1n] = [right.above[0], right.below[0]];
      const isWhole = right.above.length < 2 && right.below.length < 2 && exponent % divisor === 0n;
      return isWhole ? raise(left, exponent / divisor, work) : null;
    }
    default:
      return null;
  }
}

function raise(base: Fraction, exponent: bigint, work: Work): Fraction | null {
  if (exponent < 0n) return join("/", toConstant(1n), raise(base, -exponent, work) ?? base, work);
  if (exponent > MAX_POWER) throw new MathsError("refused", "Too large to be solved exactly");
  let power: Fraction | null = { above: base.below, below: base.below };
  for (let count = 0n; power !== null && count < exponent; count += 1n) power = join("*", power, base, work);
  return power;
}

function toConstant(value: bigint): Fraction {
  return { above: value === 0n ? [] : [value], below: [1n] };
}

function toDecimal(text: string): Fraction | null {
  const [digits = "", exponent = "0"] = text.replaceAll("_", "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = digits.split(".");
  const scale = Number(exponent) - fraction.length;
  if (Math.abs(scale) > MAX_DECIMAL_EXPONENT) return null;
  const value = BigInt(whole + fraction) * 10n ** BigInt(Math.max(scale, 0));
  return { ...toConstant(value), below: [10n ** BigInt(Math.max(-scale, 0))] };
}
