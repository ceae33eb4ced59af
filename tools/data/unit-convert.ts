import { z } from "zod";
import { defineTool, failureWithResult } from "../define-tool.ts";
import { convertExactly, findUnit, isBelowZeroKelvin, listUnits, readFraction, toNumber, type Unit } from "./units.ts";

/** Longer than every unit's name. */
const MAX_UNIT = 50;
const unit = z.string().min(1).max(MAX_UNIT);

export default defineTool({
  name: "unit_convert",
  summary: `Convert a value between units: ${listUnits()}. Usual longer names work too; case does not count. Volumes are US ones, ton is 2000 lb, kb to pb are powers of 1000 bytes.`,
  toolbox: "maths",
  category: "maths",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: [],
  input: z.object({
    value: z.number(),
    from_unit: unit.describe("e.g. mi, lb, celsius"),
    to_unit: unit.describe("e.g. km, kg, fahrenheit"),
  }),
  output: z.object({
    result: z.number().nullable().describe("Null on error"),
    category: z.string().nullable().describe("What the units measure; null on error"),
    error: z.string().nullable(),
    from_unit: z.string(),
    to_unit: z.string(),
  }),
  run({ value, from_unit, to_unit }) {
    const asked = { from_unit, to_unit };
    const fail = (error: string, field: string) =>
      failureWithResult("invalid_input", error, field, { result: null, category: null, error, ...asked });
    const from = findUnit(from_unit);
    const to = findUnit(to_unit);
    if (from === null) return fail(formatUnknown(from_unit, to), "from_unit");
    if (to === null) return fail(formatUnknown(to_unit, from), "to_unit");
    if (from.category !== to.category)
      return fail(`Incompatible categories: '${from.category}' vs '${to.category}'`, "to_unit");
    const exact = readFraction(String(value));
    if (isBelowZeroKelvin(exact, from)) return fail(`Below absolute zero: ${value} ${from_unit}`, "value");
    const result = toNumber(convertExactly(exact, from, to));
    if (!Number.isFinite(result)) return fail("The result is too large for a number", "value");
    return { result, category: from.category, error: null, ...asked };
  },
  show: ({ result, to_unit }) => `${result} ${to_unit}`,
  examples: [
    { note: "a marathon in miles", given: { value: 42.195, from_unit: "km", to_unit: "mi" } },
    { note: "a temperature", given: { value: 100, from_unit: "celsius", to_unit: "fahrenheit" } },
  ],
});

/** What is wrong with an unknown unit, in the words of document 001. */
function formatUnknown(name: string, other: Unit | null): string {
  return `Unknown ${other?.category === "temperature" ? "temperature unit" : "unit"}: '${name}'`;
}
