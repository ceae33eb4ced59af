/**
 * A function of the unknown, evaluated in doubles with its slope and a bound of its rounding error (forward
 * differentiation and running error analysis). The value is NaN where the function is undefined or overflows.
 */
import { toFloat } from "./arithmetic.ts";
import { getCalledName, evaluate } from "./evaluate.ts";
import { refuseCount } from "./functions.ts";
import { MathsError } from "./maths-error.ts";
import { roundPython } from "./round.ts";
import type { Expression, Operator } from "./syntax.ts";
import { Work } from "./work.ts";

export interface Jet {
  readonly value: number;
  readonly slope: number;
  readonly error: number;
}

export type JetFunction = (x: number) => Jet;

/** Computes a function's value and its derivative at a number. */
type Rule = (value: number) => readonly [value: number, derivative: number];

const EPSILON = Number.EPSILON;
const MAX_CONSTANT_WORK = 5_000_000;

/**
 * Compiles an expression, whose parts in `varying` contain the unknown. Throws a `MathsError` for a part that is
 * undefined or not supported.
 */
export function compileJet(expression: Expression, varying: ReadonlySet<Expression>): JetFunction {
  const compile = (part: Expression): JetFunction => compileJet(part, varying);
  if (!varying.has(expression)) {
    const constant = toConstant(expression);
    return () => constant;
  }
  switch (expression.kind) {
    case "unary": {
      const operand = compile(expression.operand);
      return expression.operator === "+" ? operand : (x) => negate(operand(x));
    }
    case "binary": {
      const [left, right] = [compile(expression.left), compile(expression.right)];
      const join = varying.has(expression.right) || expression.operator !== "**" ? JOINS[expression.operator] : raise;
      return (x) => join(left(x), right(x));
    }
    case "call":
      return compileCall(getCalledName(expression.callee), expression.given, varying, compile);
    default:
      return (x) => ({ value: x, slope: 1, error: EPSILON * Math.abs(x) });
  }
}

function compileCall(
  name: string,
  given: readonly Expression[],
  varying: ReadonlySet<Expression>,
  compile: (part: Expression) => JetFunction,
): JetFunction {
  refuseCount(name, given.length);
  const [first, second] = given;
  const digits = second === undefined || varying.has(second) ? null : evaluate(second, new Work(MAX_CONSTANT_WORK));
  const rounding: Rule = (value) => [
    Number.isNaN(value) ? value : Number(roundPython(value, digits as bigint | null)),
    0,
  ];
  const isRounding = name === "round" && (second === undefined || typeof digits === "bigint");
  const rule = isRounding ? rounding : RULES.get(name);
  if (first !== undefined && rule !== undefined && (second === undefined || isRounding)) {
    const operand = compile(first);
    return (x) => apply(rule, operand(x));
  }
  const join = name === "log" ? computeLogarithm : name === "atan2" ? computeAngle : null;
  if (first === undefined || second === undefined || join === null) {
    throw new MathsError("TypeError", `${name}() of an unknown is not supported: it takes whole numbers only`);
  }
  const [one, other] = [compile(first), compile(second)];
  return (x) => join(one(x), other(x));
}

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["abs", (value) => [Math.abs(value), Math.sign(value)]],
  ["ceil", (value) => [Math.ceil(value), 0]],
  ["floor", (value) => [Math.floor(value), 0]],
  ["sqrt", (value) => [Math.sqrt(value), 0.5 / Math.sqrt(value)]],
  ["exp", (value) => [avoidZero(Math.exp(value)), avoidZero(Math.exp(value))]],
  ["log", (value) => [Math.log(value), 1 / value]],
  ["log2", (value) => [Math.log2(value), Math.LOG2E / value]],
  ["log10", (value) => [Math.log10(value), Math.LOG10E / value]],
  ["sin", (value) => [Math.sin(value), Math.cos(value)]],
  ["cos", (value) => [Math.cos(value), -Math.sin(value)]],
  ["tan", (value) => [Math.tan(value), 1 + Math.tan(value) ** 2]],
  ["asin", (value) => [Math.asin(value), 1 / Math.sqrt(1 - value * value)]],
  ["acos", (value) => [Math.acos(value), -1 / Math.sqrt(1 - value * value)]],
  ["atan", (value) => [Math.atan(value), avoidZero(1 / (1 + value * value))]],
  ["degrees", (value) => [value * (180 / Math.PI), 180 / Math.PI]],
  ["radians", (value) => [value * (Math.PI / 180), Math.PI / 180]],
]);

function findRule(name: "exp" | "log"): Rule {
  return RULES.get(name) ?? ((value) => [value, 1]);
}

const JOINS: Readonly<Record<Operator, (one: Jet, other: Jet) => Jet>> = {
  "+": add,
  "-": (one, other) => add(one, negate(other)),
  "*": multiply,
  "/": divide,
  "//": (one, other) => apply((value) => [Math.floor(value), 0], divide(one, other)),
  "%": (one, other) => add(one, negate(multiply(JOINS["//"](one, other), other))),
  "**": raiseToVariable,
};

function add(one: Jet, other: Jet): Jet {
  const value = one.value + other.value;
  return toJet(value, one.slope + other.slope, one.error + other.error);
}

function negate({ value, slope, error }: Jet): Jet {
  return { value: -value, slope: -slope, error };
}

function multiply(one: Jet, other: Jet): Jet {
  const slope = multiplyDoubles(one.slope, other.value) + multiplyDoubles(other.slope, one.value);
  const error = one.error * Math.abs(other.value) + other.error * Math.abs(one.value) + one.error * other.error;
  return toJet(multiplyDoubles(one.value, other.value), slope, error);
}

function divide(one: Jet, other: Jet): Jet {
  const value =
    one.value === 0 ? one.value / other.value : avoidZero(one.value / other.value, one.value < 0 !== other.value < 0);
  const error = (one.error + Math.abs(value) * other.error) / Math.abs(other.value);
  return toJet(value, (one.slope - multiplyDoubles(value, other.slope)) / other.value, error);
}

/** Raises a base above 0 to a power that contains the unknown. */
function raiseToVariable(base: Jet, exponent: Jet): Jet {
  const power = apply(findRule("exp"), multiply(exponent, apply(findRule("log"), base)));
  return Number.isNaN(power.value) ? power : { ...power, value: pow(base.value, exponent.value) };
}

/** Raises to a constant power. */
function raise(base: Jet, { value: exponent, error }: Jet): Jet {
  const power = apply((value) => [pow(value, exponent), multiplyDoubles(exponent, pow(value, exponent - 1))], base);
  return { ...power, error: power.error + Math.abs(error * power.value * Math.log(Math.abs(base.value) || 1)) };
}

/** Computes a power that is 0 only if its base is: underflow must not look like a root. */
function pow(base: number, exponent: number): number {
  return base === 0 ? base ** exponent : avoidZero(base ** exponent, base < 0 && exponent % 2 !== 0);
}

function computeLogarithm(value: Jet, base: Jet): Jet {
  return divide(apply(findRule("log"), value), apply(findRule("log"), base));
}

function computeAngle(y: Jet, x: Jet): Jet {
  const square = x.value ** 2 + y.value ** 2;
  const slope = (x.value * y.slope - y.value * x.slope) / square;
  const error = (Math.abs(x.value) * y.error + Math.abs(y.value) * x.error) / square;
  return toJet(Math.atan2(y.value, x.value), slope, error);
}

function apply(rule: Rule, { value: given, slope, error }: Jet): Jet {
  const [value, derivative] = rule(given);
  // At the edge of its domain a root or an arc has no finite slope. There it changes by at most this bound.
  const changeBound = Number.isFinite(derivative) ? Math.abs(derivative) * error : 2 * Math.sqrt(error);
  return toJet(value, multiplyDoubles(derivative, slope), changeBound);
}

function toJet(value: number, slope: number, error: number): Jet {
  return { value: Number.isFinite(value) ? value : Number.NaN, slope, error: error + EPSILON * Math.abs(value) };
}

/** Evaluates a part without the unknown. Integers are exact; other numbers may be rounded to the nearest double. */
function toConstant(expression: Expression): Jet {
  const value = toFloat(evaluate(expression, new Work(MAX_CONSTANT_WORK)));
  if (!Number.isFinite(value)) throw new MathsError("OverflowError", "a part without the unknown is infinite");
  return { value, slope: 0, error: Number.isInteger(value) ? 0 : EPSILON * Math.abs(value) };
}

/** Multiplies. The product is 0 only if a factor is: underflow must not look like a root. */
function multiplyDoubles(one: number, other: number): number {
  return one === 0 || other === 0 ? one * other : avoidZero(one * other, one < 0 !== other < 0);
}

/** Returns the smallest double with this sign in place of 0. */
function avoidZero(value: number, isNegative = false): number {
  return value === 0 ? (isNegative ? -Number.MIN_VALUE : Number.MIN_VALUE) : value;
}
