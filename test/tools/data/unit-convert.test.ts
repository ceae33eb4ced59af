import fc from "fast-check";
import { describe, expect, it } from "vitest";
import unitConvert from "../../../tools/data/unit-convert.ts";
import { unitNames } from "../../../tools/data/units.ts";
import { runDocumented, runTool } from "../run-tool.ts";

interface Converted {
  readonly result: number | null;
  readonly category: string | null;
  readonly error: string | null;
  readonly from_unit: string;
  readonly to_unit: string;
}

async function convert(value: number, from_unit: string, to_unit: string): Promise<Converted> {
  return await runDocumented<Converted>(unitConvert, { value, from_unit, to_unit });
}

/** Every unit of the specification. */
const UNITS: Readonly<Record<string, string>> = {
  length: "mm cm m km in inch ft foot feet yd yard mi mile miles nmi ly",
  mass: "mg g kg t tonne oz lb lbs pound pounds stone ton",
  volume: "ml l litre liter cl dl m3 cm3 mm3 tsp tbsp floz cup pt pint qt quart gal gallon",
  time: "ns us ms s sec second seconds min minute minutes h hr hour hours d day days week weeks year years",
  speed: "m/s mps km/h kph mph knot knots ft/s",
  area: "mm2 cm2 m2 km2 ha hectare acre ft2 sqft yd2 mi2",
  data: "bit byte b kb kib mb mib gb gib tb tib pb",
  temperature: "c celsius °c f fahrenheit °f k kelvin",
};

describe("unit_convert", () => {
  it("has the units of the specification and no others", () => {
    const sorted = (names: readonly string[]) => [...names].sort();
    const has = Array.from(unitNames(), ([category, names]) => [category, sorted(names)] as const);
    expect(Object.fromEntries(has)).toEqual(
      Object.fromEntries(Object.entries(UNITS).map(([category, names]) => [category, sorted(names.split(" "))])),
    );
  });

  it.each([
    [1, "mile", "m", 1609.344],
    [1, "ft", "in", 12],
    [1, "yard", "feet", 3],
    [1, "mi", "yd", 1760],
    [1, "nmi", "km", 1.852],
    [1, "ly", "m", 9_460_730_472_580_800],
    [2.54, "cm", "inch", 1],
    [1, "lb", "g", 453.59237],
    [1, "pound", "oz", 16],
    [1, "stone", "lbs", 14],
    [1, "ton", "pounds", 2000],
    [1, "t", "kg", 1000],
    [1, "oz", "g", 28.349523125],
    [1, "gal", "l", 3.785411784],
    [1, "gallon", "qt", 4],
    [1, "quart", "pints", null],
    [1, "qt", "pt", 2],
    [1, "pint", "cup", 2],
    [1, "cup", "floz", 8],
    [1, "floz", "tbsp", 2],
    [1, "tbsp", "tsp", 3],
    [1, "m3", "litre", 1000],
    [1, "cm3", "ml", 1],
    [1, "ml", "mm3", 1000],
    [1, "year", "days", 365.25],
    [1, "week", "hours", 168],
    [1, "us", "ns", 1000],
    [90, "minutes", "hr", 1.5],
    [1, "m/s", "km/h", 3.6],
    [60, "mph", "ft/s", 88],
    [1, "knot", "kph", 1.852],
    [1, "acre", "sqft", 43_560],
    [1, "mi2", "acre", 640],
    [1, "ha", "m2", 10_000],
    [1, "yd2", "ft2", 9],
    [1, "byte", "bit", 8],
    [1, "kib", "b", 1024],
    [1, "gb", "mb", 1000],
    [1, "tib", "gib", 1024],
    [1, "pb", "tb", 1000],
    [100, "c", "f", 212],
    [0, "celsius", "kelvin", 273.15],
    [-40, "fahrenheit", "celsius", -40],
    [98.6, "°F", "°C", 37],
    [0, "K", "c", -273.15],
    [-459.67, "f", "k", 0],
    [0.1, "ft", "in", 1.2],
    [-5, "km", "m", -5000],
    [0, "kg", "lb", 0],
  ])("%d %s in %s is exactly %d", async (value, from, to, expected) => {
    const { result, error } = await convert(value, from, to);
    if (expected === null) expect(error).toBe(`Unknown unit: '${to}'`);
    else expect([result, error]).toEqual([expected, null]);
  });

  it.each(Object.entries(UNITS))("goes from every unit of %s to every other and back", async (category, names) => {
    for (const from of names.split(" ")) {
      for (const to of names.split(" ")) {
        for (const value of [1, 0.1, 123.456, 98_765.4321]) {
          const there = await convert(value, from, to);
          expect(there).toMatchObject({ category, error: null, from_unit: from, to_unit: to });
          const back = await convert(there.result ?? Number.NaN, to, from);
          expect(Math.abs((back.result ?? Number.NaN) - value) / value).toBeLessThanOrEqual(1e-12);
        }
      }
    }
  });

  it("gives a number back as it was when both units are one", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(...Object.values(UNITS).flatMap((names) => names.split(" "))),
        async (value, unit) => {
          const { result, error } = await convert(value, unit, unit.toUpperCase());
          if (error === null) expect(result).toBe(value === 0 ? 0 : value);
          else expect(error).toContain("Below absolute zero");
        },
      ),
    );
  });

  it("is as near as a double can be, whatever the value", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 1e-300, noDefaultInfinity: true, noNaN: true }), async (value) => {
        const { result, error } = await convert(value, "km", "m");
        if (error === null) expect(Math.abs((result ?? 0) - value * 1000)).toBeLessThanOrEqual(Math.abs(value) * 1e-12);
        else expect(Math.abs(value)).toBeGreaterThan(1e305);
      }),
    );
  });

  it.each([
    ["KM", "mI"],
    [" km ", "MILES"],
    ["Mb", "MB"],
    ["\u212a", "°C"],
  ])("does not count the case: %j to %j", async (from, to) => {
    expect((await convert(300, from, to)).error).toBeNull();
  });

  it("reads Mb, MB and mb as a million bytes, and M as a metre", async () => {
    for (const name of ["Mb", "MB", "mb"]) expect((await convert(1, name, "byte")).result).toBe(1_000_000);
    expect((await convert(1, "M", "CM")).result).toBe(100);
  });

  it.each([
    ["parsec", "m", "Unknown unit: 'parsec'"],
    ["m", "Parsec", "Unknown unit: 'Parsec'"],
    ["x", "y", "Unknown unit: 'x'"],
    ["toString", "m", "Unknown unit: 'toString'"],
    ["m", "kg", "Incompatible categories: 'length' vs 'mass'"],
    ["l", "m3/s", "Unknown unit: 'm3/s'"],
    ["c", "m", "Incompatible categories: 'temperature' vs 'length'"],
    ["c", "rankine", "Unknown temperature unit: 'rankine'"],
    ["réaumur", "K", "Unknown temperature unit: 'réaumur'"],
  ])("from %j to %j there is no way: %s", async (from_unit, to_unit, error) => {
    expect(await convert(1, from_unit, to_unit)).toEqual({ result: null, category: null, error, from_unit, to_unit });
  });

  it.each([
    [-273.16, "c", "k", "Below absolute zero: -273.16 c"],
    [-460, "°F", "c", "Below absolute zero: -460 °F"],
    [-1e-300, "kelvin", "kelvin", "Below absolute zero: -1e-300 kelvin"],
    [1e300, "ly", "mm", "The result is too large for a number"],
  ])("%d %s is no value: %s", async (value, from, to, error) => {
    expect(await convert(value, from, to)).toMatchObject({ result: null, error });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, "5 km", null, undefined, 5n])(
    "refuses the value %s",
    async (value) => {
      const { failure } = await runTool(unitConvert, { value, from_unit: "m", to_unit: "km" });
      expect(failure).toMatchObject({ code: "invalid_input", field: "value" });
    },
  );

  it.each(["", "x".repeat(51), 5, null])("refuses the unit %j", async (unit) => {
    const { failure } = await runTool(unitConvert, { value: 1, from_unit: unit, to_unit: "km" });
    expect(failure).toMatchObject({ code: "invalid_input", field: "from_unit" });
  });

  it("shows the value with its unit, or fails with the error", async () => {
    expect((await runTool(unitConvert, { value: 1, from_unit: "ft", to_unit: "in" })).output).toBe("12 in");
    expect((await runTool(unitConvert, { value: 1, from_unit: "ft", to_unit: "x" })).failure).toMatchObject({
      code: "invalid_input",
      message: "Unknown unit: 'x'",
      field: "to_unit",
    });
  });
});
