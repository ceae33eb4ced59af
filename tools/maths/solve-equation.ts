import { z } from "zod";
import { MathsError } from "../../core/lib/maths/maths-error.ts";
import { solveText } from "../../core/lib/maths/solve.ts";
import { defineTool, failureWithResult } from "../define-tool.ts";

/** Solutions that the model reads. A periodic equation has infinitely many. */
const MAX_SHOWN = 10;

export default defineTool({
  name: "solve_equation",
  summary:
    "Solve an equation: the real solutions of an expression that is to be 0, or of two with = between them, in one unknown.",
  toolbox: "maths",
  category: "maths",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: [],
  input: z.object({
    equation: z.string().max(2_000).describe("e.g. x**2 - 4 or 3 * x + 1 = 7"),
  }),
  output: z.object({
    /** Ascending. */
    solutions: z.array(z.number()),
    /** `symbolic`: all real solutions, each the nearest float. `numeric`: by search. */
    method: z.enum(["symbolic", "numeric"]),
    /** Says that there are more solutions, or that every number of an interval is one. */
    note: z.string().optional(),
    error: z.string().nullable(),
  }),
  async run({ equation }, { giveWay }) {
    try {
      const { solutions, method, note } = await solveText(equation, giveWay);
      return { solutions: [...solutions], method, ...(note === null ? {} : { note }), error: null };
    } catch (thrown) {
      if (!(thrown instanceof MathsError)) throw thrown;
      const { message: error } = thrown;
      return failureWithResult("invalid_input", error, "equation", { solutions: [], method: "numeric", error });
    }
  },
  show({ solutions, method, note }) {
    const none = note === undefined ? "No real solution" : "No single solution";
    if (solutions.length > MAX_SHOWN) {
      const nearest = [...solutions].sort((one, other) => Math.abs(one) - Math.abs(other)).slice(0, MAX_SHOWN);
      const first = nearest.sort((one, other) => one - other).join(", ");
      return `The ${MAX_SHOWN} solutions nearest to 0, of ${solutions.length} that were found (${method}): ${first}.`;
    }
    const found = solutions.length === 0 ? none : `Solutions: ${solutions.join(", ")}`;
    return [`${found} (${method}).`, ...(note === undefined ? [] : [note])].join(" ");
  },
  examples: [
    { note: "a quadratic equation", given: { equation: "x**2 - 5*x + 6" } },
    { note: "two sides", given: { equation: "exp(-t) = t" } },
    { note: "solutions without end", given: { equation: "sin(x) = 0.5" } },
  ],
});
