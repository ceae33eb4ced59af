/** Evaluates an expression with Python's meaning. */
import { applyOperator } from "./arithmetic.ts";
import { callFunction, CONSTANTS, findFunction } from "./functions.ts";
import { MathsError } from "./maths-error.ts";
import { type Expression, parseExpression } from "./syntax.ts";
import type { PythonNumber } from "./tokens.ts";
import { Work } from "./work.ts";

/** The work of tens of milliseconds. */
const MAX_WORK = 30_000_000;
const WORK_A_PART = 50;

/** A value, or the error. `kind` is for code, `message` for a reader. */
export type Evaluated =
  | { readonly ok: true; readonly value: PythonNumber }
  | { readonly ok: false; readonly error: MathsError };

/** Evaluates a text. An infinite float or NaN is an error, because JSON has neither. */
export function evaluateText(text: string): Evaluated {
  return attempt(() => {
    const value = evaluate(parseExpression(text), new Work(MAX_WORK));
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw Number.isNaN(value)
        ? new MathsError("ValueError", "the result is not a number (NaN)")
        : new MathsError("OverflowError", "the result is infinite");
    }
    return value;
  });
}

/** Evaluates an expression. Throws a `MathsError`. */
export function evaluate(expression: Expression, work: Work): PythonNumber {
  // A chain of operators nests to the left as deep as the expression is long, so it is walked iteratively.
  const chain: Extract<Expression, { kind: "binary" }>[] = [];
  let first = expression;
  for (; first.kind === "binary"; first = first.left) chain.push(first);
  let value = evaluateFirst(first, work);
  for (const { operator, right } of chain.reverse()) {
    work.spend(WORK_A_PART);
    value = applyOperator(operator, value, evaluate(right, work), work);
  }
  return value;
}

function evaluateFirst(expression: Exclude<Expression, { kind: "binary" }>, work: Work): PythonNumber {
  work.spend(WORK_A_PART);
  switch (expression.kind) {
    case "number":
      return expression.value;
    case "name":
      return findConstant(expression.name);
    case "unary": {
      const value = evaluate(expression.operand, work);
      return expression.operator === "-" ? -value : value;
    }
    case "call": {
      const name = getCalledName(expression.callee);
      findFunction(name);
      return callFunction(
        name,
        expression.given.map((given) => evaluate(given, work)),
        work,
      );
    }
    case "forbidden":
      throw new MathsError("syntax", expression.message);
  }
}

/** Returns the name of the called function. Throws when anything but a name is called. */
export function getCalledName(callee: Expression): string {
  if (callee.kind === "name") return callee.name;
  const message = callee.kind === "forbidden" ? callee.message : "Only a function can be called";
  throw new MathsError("syntax", message);
}

function findConstant(name: string): number {
  const value = CONSTANTS.get(name);
  if (value === undefined) throw new MathsError("name", `Unknown name: '${name}'`);
  return value;
}

function attempt(run: () => PythonNumber): Evaluated {
  try {
    return { ok: true, value: run() };
  } catch (thrown) {
    if (thrown instanceof MathsError) return { ok: false, error: thrown };
    throw thrown;
  }
}
