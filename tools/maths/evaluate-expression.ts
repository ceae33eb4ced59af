import { z } from "zod";
import { evaluateText } from "../../core/lib/maths/evaluate.ts";
import { defineTool, failureWithResult } from "../define-tool.ts";

export default defineTool({
  name: "evaluate_expression",
  summary:
    "Evaluate a mathematical expression, written as in Python: + - * / // % **, sqrt, round, log, sin, factorial, gcd, pi and the like. Integers are exact.",
  toolbox: "maths",
  category: "maths",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: [],
  input: z.object({
    expression: z.string().max(10_000).describe("e.g. 2 * sqrt(2) or factorial(20) // 7"),
  }),
  output: z.object({
    /** Null on an error; of an integer beyond 2 ** 53 the nearest double. */
    result: z.number().nullable(),
    /** All digits of such an integer. */
    exact: z.string().optional(),
    expression: z.string(),
    error: z.string().nullable(),
  }),
  run({ expression }) {
    const evaluated = evaluateText(expression);
    if (!evaluated.ok) {
      const { message: error } = evaluated.error;
      return failureWithResult("invalid_input", error, "expression", { result: null, expression, error });
    }
    const { value } = evaluated;
    const result = Number(value);
    if (typeof value === "number" || Number.isSafeInteger(result)) return { result, expression, error: null };
    const exact = value.toString();
    if (Number.isFinite(result)) return { result, exact, expression, error: null };
    return { result: null, exact, expression, error: "Too large for a JSON number: exact holds the digits" };
  },
  show: ({ result, exact }) => exact ?? String(result),
  examples: [
    { note: "a power binds tighter than the sign before it", given: { expression: "-2 ** 2 + 7 % 3" } },
    { note: "an exact integer", given: { expression: "factorial(25) // 3" } },
  ],
});
