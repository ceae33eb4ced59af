/** Compiles an expression to a function of its unknown in doubles that estimates its own rounding error. */
import { getOwn } from "../../base/own-field.ts";
import { toFloat } from "./arithmetic.ts";
import { evaluate, getCalledName } from "./evaluate.ts";
import { callFunction, refuseCount } from "./functions.ts";
import { MathsError } from "./maths-error.ts";
import type { Expression, Operator } from "./syntax.ts";
import type { PythonNumber } from "./tokens.ts";
import { Work } from "./work.ts";

export interface Sample {
  readonly x: number;
  /** NaN where the expression is undefined or beyond all doubles. */
  readonly value: number;
  readonly error: number;
}

/** The unknown and every result of an operator change by a nudge, relative to the operands: one for each parity of depth. */
type Nudge = readonly [even: number, odd: number];
type Nudged = (x: number, nudge: Nudge) => PythonNumber;

const MAX_CONSTANT_WORK = 5_000_000;
const EXACT: Nudge = [0, 0];
const ROUNDINGS: readonly Nudge[] = [
  [1, 1],
  [-1, -1],
  [1, -1],
].map(([even = 0, odd = 0]) => [even * Number.EPSILON, odd * Number.EPSILON]);
/** How many times the largest change by a rounding an error is at most, and the size below which doubles lose digits. */
const [ERROR_RATIO, UNDERFLOW] = [8, 2 ** -1022];

const OPERATORS: Readonly<Record<Operator, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "//": (left, right) => Math.floor(left / right),
  "%": (left, right) => ((left % right) + right) % right,
  "**": (left, right) => left ** right,
};

const { abs, ceil, floor, sqrt, exp, log, log2, log10, sin, cos, tan, asin, acos, atan } = Math;
/** These are NaN where Python raises an error. Throwing at each point would cost more than all else. */
const NATIVE = { abs, ceil, floor, sqrt, exp, log, log2, log10, sin, cos, tan, asin, acos, atan };

/** `varying` has every part that contains the unknown. Throws a `MathsError` for a part without a value or a meaning. */
export function compile(expression: Expression, varying: ReadonlySet<Expression>): (x: number) => Sample {
  const compute = compilePart(expression, varying, 0);
  const attempt = (x: number, nudge: Nudge): number => {
    try {
      return Number(compute(x, nudge));
    } catch (thrown) {
      if (thrown instanceof MathsError && thrown.kind !== "TypeError") return Number.NaN;
      throw thrown;
    }
  };
  return (x) => {
    const value = attempt(x, EXACT);
    const changes = ROUNDINGS.map((nudge) => Math.abs(attempt(x, nudge) - value));
    return { x, value, error: ERROR_RATIO * Math.max(...changes) + UNDERFLOW };
  };
}

function compilePart(part: Expression, varying: ReadonlySet<Expression>, depth: number): Nudged {
  const work = new Work(MAX_CONSTANT_WORK);
  const compileInside = (inside: Expression): Nudged => compilePart(inside, varying, depth + 1);
  if (!varying.has(part)) {
    const value = evaluate(part, work);
    if (Number.isFinite(toFloat(value))) return () => value;
    throw new MathsError("OverflowError", "a part without the unknown is infinite");
  }
  const parity = depth % 2;
  switch (part.kind) {
    case "unary": {
      const operand = compileInside(part.operand);
      return part.operator === "-" ? (x, nudge) => -operand(x, nudge) : operand;
    }
    case "binary": {
      const [left, right] = [compileInside(part.left), compileInside(part.right)];
      const [operate, isSum] = [OPERATORS[part.operator], "+-".includes(part.operator)];
      return (x, nudges) => {
        const [one, other, nudge] = [Number(left(x, nudges)), Number(right(x, nudges)), nudges[parity] ?? 0];
        const value = operate(one, other);
        return toDefined(value + (isSum ? nudge * Math.abs(one) + nudge * Math.abs(other) : nudge * value));
      };
    }
    case "call": {
      const name = getCalledName(part.callee);
      const given = part.given.map(compileInside);
      refuseCount(name, given.length);
      const [first, second] = given;
      const native = second === undefined || name === "log" ? getOwn(NATIVE, name) : undefined;
      if (first === undefined || native === undefined) {
        return (x, nudge) =>
          toFloat(
            callFunction(
              name,
              given.map((argument) => argument(x, nudge)),
              work,
            ),
          );
      }
      return (x, nudge) => {
        const divisor = second === undefined ? 1 : Math.log(Number(second(x, nudge)));
        return toDefined(native(Number(first(x, nudge))) / divisor);
      };
    }
    default:
      return (x, nudge) => x + (nudge[parity] ?? 0) * x;
  }
}

function toDefined(value: number): number {
  return Number.isFinite(value) ? value : Number.NaN;
}
