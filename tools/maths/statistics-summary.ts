import { z } from "zod";
import { summarise } from "../../core/lib/maths/statistics.ts";
import { defineTool } from "../define-tool.ts";

const MAX_NUMBERS = 10_000;

const figure = z.number().nullable();

export default defineTool({
  name: "statistics_summary",
  summary: "Summarise numbers: count, mean, median, sample standard deviation, minimum, maximum and total.",
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
    if (count === 0) return { count, ...NOTHING, error: "No numbers: give at least one" };
    const { mean, median, stdev, minimum, maximum, total } = summarise(numbers);
    const tooLarge = Object.entries({ stdev: stdev ?? 0, total }).filter(([, value]) => !Number.isFinite(value));
    return {
      count,
      mean,
      median,
      stdev: stdev === null ? null : finiteOrNull(stdev),
      minimum,
      maximum,
      total: finiteOrNull(total),
      error:
        tooLarge.length === 0
          ? null
          : `OverflowError: too large for a float: ${tooLarge.map(([name]) => name).join(", ")}`,
    };
  },
  show: ({ error, ...figures }) =>
    [
      ...Object.entries(figures).map(([name, value]) => `${name}: ${value ?? "none"}`),
      ...(error === null ? [] : [`error: ${error}`]),
    ].join("\n"),
  examples: [
    { note: "response times of a day", given: { numbers: [120, 95.5, 101, 480, 99] } },
    { note: "one number has no deviation", given: { numbers: [7] } },
  ],
});

const NOTHING = { mean: null, median: null, stdev: null, minimum: null, maximum: null, total: null };

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
