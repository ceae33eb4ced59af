/**
 * A function of the unknown, evaluated in doubles with its slope and a bound of its rounding error (forward differentiation
 * and running error analysis). NaN where it is undefined or beyond all doubles.
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

/** A function of a number, and its derivative there. */
type Rule = (value: number) => readonly [value: number, derivative: number];

const EPSILON = Number.EPSILON;
const MAX_CONSTANT_WORK = 5_000_000;

/** `varying` has every part that contains the unknown. Throws a `MathsError` for a part that has no value or no meaning. */
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
  const join = name === "log" ? logarithm : name === "atan2" ? angle : null;
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
  ["exp", (value) => [floor(Math.exp(value)), floor(Math.exp(value))]],
  ["log", (value) => [Math.log(value), 1 / value]],
  ["log2", (value) => [Math.log2(value), Math.LOG2E / value]],
  ["log10", (value) => [Math.log10(value), Math.LOG10E / value]],
  ["sin", (value) => [Math.sin(value), Math.cos(value)]],
  ["cos", (value) => [Math.cos(value), -Math.sin(value)]],
  ["tan", (value) => [Math.tan(value), 1 + Math.tan(value) ** 2]],
  ["asin", (value) => [Math.asin(value), 1 / Math.sqrt(1 - value * value)]],
  ["acos", (value) => [Math.acos(value), -1 / Math.sqrt(1 - value * value)]],
  ["atan", (value) => [Math.atan(value), floor(1 / (1 + value * value))]],
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
  const slope = times(one.slope, other.value) + times(other.slope, one.value);
  const error = one.error * Math.abs(other.value) + other.error * Math.abs(one.value) + one.error * other.error;
  return toJet(times(one.value, other.value), slope, error);
}

function divide(one: Jet, other: Jet): Jet {
  const value =
    one.value === 0 ? one.value / other.value : floor(one.value / other.value, one.value < 0 !== other.value < 0);
  const error = (one.error + Math.abs(value) * other.error) / Math.abs(other.value);
  return toJet(value, (one.slope - times(value, other.slope)) / other.value, error);
}

/** Of a base above 0. */
function raiseToVariable(base: Jet, exponent: Jet): Jet {
  const power = apply(findRule("exp"), multiply(exponent, apply(findRule("log"), base)));
  return Number.isNaN(power.value) ? power : { ...power, value: rise(base.value, exponent.value) };
}

/** To a constant power. */
function raise(base: Jet, { value: exponent, error }: Jet): Jet {
  const power = apply((value) => [rise(value, exponent), times(exponent, rise(value, exponent - 1))], base);
  return { ...power, error: power.error + Math.abs(error * power.value * Math.log(Math.abs(base.value) || 1)) };
}

/** A power that is 0 only for 0. */
function rise(base: number, exponent: number): number {
  return base === 0 ? base ** exponent : floor(base ** exponent, base < 0 && exponent % 2 !== 0);
}

function logarithm(value: Jet, base: Jet): Jet {
  return divide(apply(findRule("log"), value), apply(findRule("log"), base));
}

function angle(y: Jet, x: Jet): Jet {
  const square = x.value ** 2 + y.value ** 2;
  const slope = (x.value * y.slope - y.value * x.slope) / square;
  const error = (Math.abs(x.value) * y.error + Math.abs(y.value) * x.error) / square;
  return toJet(Math.atan2(y.value, x.value), slope, error);
}

function apply(rule: Rule, { value: given, slope, error }: Jet): Jet {
  const [value, derivative] = rule(given);
  // At the end of its domain a root or an arc is vertical; its change is at most this.
  const spread = Number.isFinite(derivative) ? Math.abs(derivative) * error : 2 * Math.sqrt(error);
  return toJet(value, times(derivative, slope), spread);
}

function toJet(value: number, slope: number, error: number): Jet {
  return { value: Number.isFinite(value) ? value : Number.NaN, slope, error: error + EPSILON * Math.abs(value) };
}

/** A whole number is exact; any other may be the nearest double to what is meant. */
function toConstant(expression: Expression): Jet {
  const value = toFloat(evaluate(expression, new Work(MAX_CONSTANT_WORK)));
  if (!Number.isFinite(value)) throw new MathsError("OverflowError", "a part without the unknown is infinite");
  return { value, slope: 0, error: Number.isInteger(value) ? 0 : EPSILON * Math.abs(value) };
}

/** A product that is 0 only when a factor is: no underflow looks like a root. */
function times(one: number, other: number): number {
  return one === 0 || other === 0 ? one * other : floor(one * other, one < 0 !== other < 0);
}

/** A number that is not 0, away from 0. */
function floor(value: number, isNegative = false): number {
  return value === 0 ? (isNegative ? -Number.MIN_VALUE : Number.MIN_VALUE) : value;
}
