/** Turns an expression of one variable into a function that encloses it over intervals. */
import { mentions } from "./algebraic.ts";
import { toFloat } from "./arithmetic.ts";
import {
  absolute,
  addEnclosures,
  after,
  angle,
  arcCosine,
  arcSine,
  arcTangent,
  constantEnclosure,
  cosine,
  divideEnclosures,
  type Enclosure,
  exponential,
  logarithmRule,
  type MaybeEnclosure,
  multiplyEnclosures,
  negateEnclosure,
  powerOfEnclosures,
  powerRule,
  rootRule,
  type Rule,
  sine,
  squareRoot,
  stepRule,
  tangent,
} from "./enclosure.ts";
import { calledName, evaluate } from "./evaluate.ts";
import { refuseCount } from "./functions.ts";
import { aroundLibrary, type Interval, point } from "./interval.ts";
import { MathsError } from "./maths-error.ts";
import { roundPython } from "./round.ts";
import type { Expression, Operator } from "./syntax.ts";
import { Work } from "./work.ts";

/** An expression over an interval of its variable, and how many parts are computed for it. */
export interface Enclosing {
  readonly parts: number;
  readonly over: (variable: Enclosure) => MaybeEnclosure;
}

/** The largest exponent that is taken as repeated products. */
const MAX_WHOLE_POWER = 1_000_000;
const MAX_CONSTANT_WORK = 5_000_000;

/** Throws a `MathsError` for a part that has no value, or that has no meaning between whole numbers. */
export function enclosing(expression: Expression, variable: string): Enclosing {
  if (!mentions(expression, variable)) {
    const value = constantEnclosure(aroundConstant(expression));
    return { parts: 1, over: () => value };
  }
  switch (expression.kind) {
    case "unary": {
      const operand = enclosing(expression.operand, variable);
      return expression.operator === "+" ? operand : applied(operand, negateEnclosure);
    }
    case "binary":
      return binary(expression, variable);
    case "call":
      return call(calledName(expression.callee), expression.given, variable);
    default:
      return { parts: 1, over: (given) => given };
  }
}

function binary(expression: Extract<Expression, { kind: "binary" }>, variable: string): Enclosing {
  const { operator } = expression;
  if (operator === "**" && !mentions(expression.right, variable)) {
    return applied(enclosing(expression.left, variable), constantPower(expression.right));
  }
  const left = enclosing(expression.left, variable);
  const right = enclosing(expression.right, variable);
  return {
    parts: left.parts + right.parts + 1,
    over(given) {
      const one = left.over(given);
      const other = one === null ? null : right.over(given);
      return one === null || other === null ? null : OPERATIONS[operator](one, other);
    },
  };
}

const floorRule = stepRule(Math.floor);

const OPERATIONS: Readonly<Record<Operator, (one: Enclosure, other: Enclosure) => MaybeEnclosure>> = {
  "+": addEnclosures,
  "-": (one, other) => addEnclosures(one, negateEnclosure(other)),
  "*": multiplyEnclosures,
  "/": divideEnclosures,
  "//": floorQuotient,
  "%": (one, other) =>
    after(floorQuotient(one, other), (times) => addEnclosures(one, negateEnclosure(multiplyEnclosures(times, other)))),
  "**": powerOfEnclosures,
};

function floorQuotient(one: Enclosure, other: Enclosure): MaybeEnclosure {
  return after(divideEnclosures(one, other), floorRule);
}

function constantPower(exponent: Expression): Rule {
  const value = toFloat(evaluate(exponent, new Work(MAX_CONSTANT_WORK)));
  if (Number.isInteger(value) && Math.abs(value) <= MAX_WHOLE_POWER) return powerRule(value);
  return rootRule(around(value));
}

function call(name: string, given: readonly Expression[], variable: string): Enclosing {
  refuseCount(name, given.length);
  const [first, second] = given;
  if (first === undefined) throw new MathsError("TypeError", `${name}() needs an argument`);
  const one = enclosing(first, variable);
  if (second === undefined) return applied(one, ruleNamed(name));
  if (name === "round") return applied(one, roundTo(second, variable));
  const other = enclosing(second, variable);
  const join = name === "log" ? logarithmToBase : name === "atan2" ? angle : null;
  if (join === null) throw notBetweenIntegers(name);
  return {
    parts: one.parts + other.parts + 1,
    over(at) {
      const left = one.over(at);
      const right = left === null ? null : other.over(at);
      return left === null || right === null ? null : join(left, right);
    },
  };
}

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["abs", absolute],
  ["round", stepRule((value) => Number(roundPython(value, null)))],
  ["ceil", stepRule(Math.ceil)],
  ["floor", floorRule],
  ["sqrt", squareRoot],
  ["exp", exponential],
  ["log", logarithmRule(point(1))],
  ["log2", logarithmRule(around(Math.LOG2E))],
  ["log10", logarithmRule(around(Math.LOG10E))],
  ["sin", sine],
  ["cos", cosine],
  ["tan", tangent],
  ["asin", arcSine],
  ["acos", arcCosine],
  ["atan", arcTangent],
  ["degrees", scaleRule(180 / Math.PI)],
  ["radians", scaleRule(Math.PI / 180)],
]);

function ruleNamed(name: string): Rule {
  const rule = RULES.get(name);
  if (rule === undefined) throw notBetweenIntegers(name);
  return rule;
}

function roundTo(digits: Expression, variable: string): Rule {
  const places = mentions(digits, variable) ? null : evaluate(digits, new Work(MAX_CONSTANT_WORK));
  if (typeof places !== "bigint") throw notBetweenIntegers("round");
  return stepRule((value) => Number(roundPython(value, places)));
}

function logarithmToBase(value: Enclosure, base: Enclosure): MaybeEnclosure {
  const natural = logarithmRule(point(1));
  return after(natural(value), (above) => after(natural(base), (below) => divideEnclosures(above, below)));
}

function scaleRule(factor: number): Rule {
  const scale = constantEnclosure(around(factor));
  return (given) => multiplyEnclosures(given, scale);
}

function applied(operand: Enclosing, rule: Rule): Enclosing {
  return { parts: operand.parts + 1, over: (given) => after(operand.over(given), rule) };
}

/** A whole number is meant as it is; any other may stand for one that no float is. */
function aroundConstant(expression: Expression): Interval {
  const value = toFloat(evaluate(expression, new Work(MAX_CONSTANT_WORK)));
  if (!Number.isFinite(value)) throw new MathsError("OverflowError", "a part without the unknown is infinite");
  return Number.isInteger(value) ? point(value) : around(value);
}

function around(value: number): Interval {
  return aroundLibrary(value, value);
}

function notBetweenIntegers(name: string): MathsError {
  return new MathsError("TypeError", `${name}() of an unknown is not supported: it takes whole numbers only`);
}
