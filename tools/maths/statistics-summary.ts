import { z } from "zod";
import { summarise } from "../../core/lib/maths/statistics.ts";
import { defineTool, failureWithResult } from "../define-tool.ts";

const MAX_NUMBERS = 10_000;

const figure = z.number().nullable();

export default defineTool({
  name: "statistics_summary",
  summary: "Summarise numbers: count, mean, median, sample standard deviation, minimum, maximum, total.",
  toolbox: "maths",
  category: "maths",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: [],
  input: z.object({
    numbers: z.array(z.number()).max(MAX_NUMBERS).describe(`At most ${MAX_NUMBERS} numbers, e.g. [2, 4, 4.5]`),
  }),
  output: z.object({
    count: z.int(),
    mean: figure,
    median: figure,
    /** Of a sample; null of fewer than two numbers. */
    stdev: figure,
    minimum: figure,
    maximum: figure,
    total: figure,
    /** Why a figure is null that numbers like these usually have. */
    error: z.string().nullable(),
  }),
  run({ numbers }) {
    const count = numbers.length;
    if (count === 0) return fail({ count, ...NOTHING }, "No numbers: give at least one");
    const { mean, median, stdev, minimum, maximum, total } = summarise(numbers);
    const tooLarge = Object.entries({ stdev: stdev ?? 0, total }).filter(([, value]) => !Number.isFinite(value));
    const figures = { count, mean, median, minimum, maximum };
    const rest = { stdev: stdev === null ? null : finiteOrNull(stdev), total: finiteOrNull(total) };
    if (tooLarge.length === 0) return { ...figures, ...rest, error: null };
    const names = tooLarge.map(([name]) => name).join(", ");
    return fail({ ...figures, ...rest }, `OverflowError: too large for a float: ${names}`);
  },
  show: ({ error: _, ...figures }) =>
    Object.entries(figures)
      .map(([name, value]) => `${name}: ${value ?? "none"}`)
      .join("\n"),
  examples: [
    { note: "response times of a day", given: { numbers: [120, 95.5, 101, 480, 99] } },
    { note: "one number has no deviation", given: { numbers: [7] } },
  ],
});

const NOTHING = { mean: null, median: null, stdev: null, minimum: null, maximum: null, total: null };

function fail(figures: object, error: string) {
  return failureWithResult("invalid_input", error, "numbers", { ...figures, error });
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
