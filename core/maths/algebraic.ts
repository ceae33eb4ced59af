/** Equations of polynomials and their quotients, read exactly: every literal stands for the decimal that is written. */
import type { Turns } from "../base/turns.ts";
import { evaluate } from "./evaluate.ts";
import { greatestDivisor, integerSquareRoot } from "./exact.ts";
import { MathsError } from "./maths-error.ts";
import { combine, degreeOf, multiply, type Polynomial, primitive, sizeOf, withoutRootsOf } from "./polynomial.ts";
import { realRoots } from "./real-roots.ts";
import type { Expression, Operator } from "./syntax.ts";
import type { Work } from "./work.ts";

const MAX_DEGREE = 128;
const MAX_COEFFICIENT_BITS = 8_192;
/** Of a written float: `1e9999` is read as a float, which is infinite. */
const MAX_DECIMAL_EXPONENT = 400;

/** A quotient of polynomials. It is defined nowhere that one of `poles` is 0. */
export interface Quotient {
  readonly numerator: Polynomial;
  readonly denominator: Polynomial;
  readonly poles: readonly Polynomial[];
}

/** The real solutions of `quotient = 0`, ascending, each the nearest double; null: every number where it is defined. */
export async function rootsOfQuotient(
  { numerator, poles }: Quotient,
  work: Work,
  turns: Turns,
): Promise<number[] | null> {
  if (numerator.length === 0) return null;
  let rest = primitive(numerator);
  for (const pole of poles) rest = await withoutRootsOf(rest, pole, work, turns);
  return await realRoots(rest, work, turns);
}

/**
 * An expression as a quotient of polynomials in the variable; null: it is none, or one that is too large for this. Throws a
 * `MathsError` for a part without the variable that has no value.
 */
export function asQuotient(expression: Expression, variable: string, work: Work): Quotient | null {
  switch (expression.kind) {
    case "number":
      return typeof expression.value === "bigint" ? constant(expression.value, 1n) : decimal(expression.text);
    case "name":
      return expression.name === variable ? { numerator: [0n, 1n], denominator: [1n], poles: [] } : null;
    case "unary": {
      const operand = asQuotient(expression.operand, variable, work);
      if (operand === null || expression.operator === "+") return operand;
      return { ...operand, numerator: operand.numerator.map((coefficient) => -coefficient) };
    }
    case "call":
      return exactCall(expression, variable, work);
    case "binary": {
      const left = asQuotient(expression.left, variable, work);
      const right = left === null ? null : asQuotient(expression.right, variable, work);
      return left === null || right === null ? null : joined(expression.operator, left, right, work);
    }
    case "forbidden":
      return null;
  }
}

/** `left operator right`; null: it is no quotient of polynomials, or one that is too large. */
export function joined(operator: Operator, left: Quotient, right: Quotient, work: Work): Quotient | null {
  switch (operator) {
    case "+":
      return sum(left, right, 1n, work);
    case "-":
      return sum(left, right, -1n, work);
    case "*":
      return product(left, right, work);
    case "/":
      return product(left, inverse(right), work);
    case "**": {
      const exponent = integerOf(right);
      return exponent === null ? null : power(left, exponent, work);
    }
    default:
      return null;
  }
}

function sum(left: Quotient, right: Quotient, sign: bigint, work: Work): Quotient | null {
  const poles = [...left.poles, ...right.poles];
  if (isSame(left.denominator, right.denominator)) {
    return bounded({
      numerator: combine(left.numerator, 1n, right.numerator, sign),
      denominator: left.denominator,
      poles,
    });
  }
  return bounded({
    numerator: combine(
      multiply(left.numerator, right.denominator, work),
      1n,
      multiply(right.numerator, left.denominator, work),
      sign,
    ),
    denominator: multiply(left.denominator, right.denominator, work),
    poles,
  });
}

function product(left: Quotient, right: Quotient, work: Work): Quotient | null {
  if (isTooLarge(degreesOf(left) + degreesOf(right))) return null;
  return bounded({
    numerator: multiply(left.numerator, right.numerator, work),
    denominator: multiply(left.denominator, right.denominator, work),
    poles: [...left.poles, ...right.poles],
  });
}

function inverse({ numerator, denominator, poles }: Quotient): Quotient {
  if (numerator.length === 0) throw new MathsError("ZeroDivisionError", "division by zero");
  const added = numerator.length > 1 ? [...poles, numerator] : poles;
  return { numerator: denominator, denominator: numerator, poles: added };
}

function power(base: Quotient, exponent: bigint, work: Work): Quotient | null {
  if (exponent < 0n) return power(inverse(base), -exponent, work);
  const degrees = Math.max(degreesOf(base), 1);
  const bits = Math.max(sizeOf(base.numerator), sizeOf(base.denominator), 1);
  if (exponent > BigInt(Math.floor(MAX_COEFFICIENT_BITS / bits))) return null;
  if (degreesOf(base) > 0 && isTooLarge(degrees * Number(exponent))) return null;
  let result: Quotient | null = { numerator: [1n], denominator: [1n], poles: base.poles };
  for (let times = 0n; times < exponent && result !== null; times += 1n) {
    result = product({ ...base, poles: [] }, result, work);
  }
  return result;
}

/** A call is exact where its arguments hold no variable and its result is an integer, or a root without a rest. */
function exactCall(call: Extract<Expression, { kind: "call" }>, variable: string, work: Work): Quotient | null {
  if (call.given.some((given) => mentions(given, variable))) return null;
  const value = evaluate(call, work);
  if (typeof value === "bigint") return constant(value, 1n);
  const [given] = call.given;
  if (call.callee.kind !== "name" || call.callee.name !== "sqrt" || given === undefined) return null;
  const square = asQuotient(given, variable, work);
  const [numerator, denominator] = [square?.numerator[0] ?? 0n, square?.denominator[0] ?? 1n];
  const roots = [integerSquareRoot(numerator * denominator), denominator] as const;
  return square !== null && roots[0] ** 2n === numerator * denominator ? constant(...roots) : null;
}

/** Whether a name stands anywhere in an expression. */
export function mentions(expression: Expression, name: string): boolean {
  switch (expression.kind) {
    case "name":
      return expression.name === name;
    case "unary":
      return mentions(expression.operand, name);
    case "binary":
      return mentions(expression.left, name) || mentions(expression.right, name);
    case "call":
      return expression.given.some((given) => mentions(given, name));
    default:
      return false;
  }
}

/** The integer that a quotient is; null: it is none. */
function integerOf({ numerator, denominator }: Quotient): bigint | null {
  if (numerator.length === 0) return 0n;
  const [above = 0n, below = 1n] = [numerator[0], denominator[0]];
  return numerator.length === 1 && denominator.length === 1 && above % below === 0n ? above / below : null;
}

function constant(numerator: bigint, denominator: bigint): Quotient | null {
  return bounded({ numerator: numerator === 0n ? [] : [numerator], denominator: [denominator], poles: [] });
}

/** A float as it is written. */
function decimal(text: string): Quotient | null {
  const [digits = "", exponent = "0"] = text.replaceAll("_", "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = digits.split(".");
  const shift = Number(exponent) - fraction.length;
  if (Math.abs(Number(exponent)) > MAX_DECIMAL_EXPONENT) return null;
  const units = BigInt(whole + fraction);
  return shift >= 0 ? constant(units * 10n ** BigInt(shift), 1n) : constant(units, 10n ** BigInt(-shift));
}

/** Without a common whole factor; null: it is too large. */
function bounded({ numerator, denominator, poles }: Quotient): Quotient | null {
  let divisor = 0n;
  for (const coefficient of [...denominator, ...numerator]) {
    divisor = greatestDivisor(divisor, coefficient);
    if (divisor === 1n) break;
  }
  const reduce = (polynomial: Polynomial): Polynomial =>
    divisor > 1n ? polynomial.map((coefficient) => coefficient / divisor) : polynomial;
  const reduced = { numerator: reduce(numerator), denominator: reduce(denominator), poles };
  const bits = Math.max(sizeOf(reduced.numerator), sizeOf(reduced.denominator));
  return bits > MAX_COEFFICIENT_BITS || isTooLarge(degreesOf(reduced)) ? null : reduced;
}

function degreesOf({ numerator, denominator }: Quotient): number {
  return Math.max(degreeOf(numerator), degreeOf(denominator), 0);
}

function isTooLarge(degree: number): boolean {
  return degree > MAX_DEGREE;
}

function isSame(one: Polynomial, other: Polynomial): boolean {
  return one.length === other.length && one.every((coefficient, power) => coefficient === other[power]);
}
