import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findNearest } from "../../../core/base/nearest.ts";
import { fitTypes } from "../../../core/gateway/fit-types.ts";
import { getInputSchema } from "../../../core/tool/input-schema.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";

describe("a value of a type that the schema accepts", () => {
  test("stays as it is, in every example of every tool", () => {
    for (const tool of catalogue)
      for (const { given } of tool.examples) expect(fitTypes(given, getInputSchema(tool))).toEqual(given);
  });

  test.each([
    ["a text where a text or an object fits", '{"a":1}', { anyOf: [{ type: "string" }, { type: "object" }] }],
    ["a text where anything fits", "5", {}],
    ["a text of unknown type", "5", { $ref: "#/$defs/x" }],
    ["a text where a part is unknown", "5", { anyOf: [{ type: "number" }, { $ref: "#" }] }],
    ["a text of a choice of texts", "5", { enum: ["5", "6"] }],
    ["null", null, { type: "array", items: { type: "string" } }],
  ])("stays: %s", (_, value, schema) => {
    expect(fitTypes(value, schema)).toEqual(value);
  });

  test("stays, for any JSON and a schema of its own type", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(fitTypes(text, { type: ["string", "number", "boolean", "object", "array"] })).toBe(text);
      }),
    );
  });
});

test.each([
  ["5", { anyOf: [{ type: "number" }, { type: "null" }] }, 5],
  ["5", { type: ["integer", "null"] }, 5],
  ["5", { enum: [5, 6] }, 5],
  [{ a: "5" }, { type: "object", properties: { a: { type: "integer" } } }, { a: 5 }],
  [{ a: "5" }, { type: "object", additionalProperties: { type: "integer" } }, { a: 5 }],
  [[["5"]], { type: "array", items: { type: "array", items: { type: "integer" } } }, [[5]]],
  ['{"a": "5"}', { type: "object", properties: { a: { type: "integer" } } }, { a: 5 }],
  ["6.02e23", { type: "number" }, 6.02e23],
  ["9007199254740993", { type: "number" }, "9007199254740993"],
  ["9007199254740993.0", { type: "number" }, "9007199254740993.0"],
  ["9007199254740993e0", { type: "integer" }, "9007199254740993e0"],
  ["3.14159265358979312", { type: "number" }, "3.14159265358979312"],
  ["1e-400", { type: "number" }, "1e-400"],
  ["9007199254740992.0", { type: "number" }, 9_007_199_254_740_992],
  ["0.30000000000000004", { type: "number" }, 0.30000000000000004],
  ["-0.50", { type: "number" }, -0.5],
  ["1000000000000000000000", { type: "number" }, 1e21],
  ["0.0000001e3", { type: "number" }, 0.0001],
  ["0.0", { type: "integer" }, 0],
  ["5", { anyOf: [{ anyOf: [{ anyOf: [{ anyOf: [{ anyOf: [{ anyOf: [{ type: "number" }] }] }] }] }] }] }, 5],
  ["1e999", { type: "number" }, "1e999"],
  ["NaN", { type: "number" }, "NaN"],
  [
    '{"__proto__": {"a": "1"}}',
    { type: "object", additionalProperties: { type: "object" } },
    JSON.parse('{"__proto__": {"a": "1"}}'),
  ],
])("%j by %j is %j", (value, schema, fitted) => {
  expect(fitTypes(value, schema)).toEqual(fitted);
});

test("any number's own text is that number", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      const text = String(number).replace("e+", "e");
      expect(fitTypes(text, { type: "number" })).toBe(number === 0 ? 0 : number);
    }),
  );
});

test("text nested too deep is left to the schema", () => {
  const deep = `{"a":${"[".repeat(100)}${"]".repeat(100)}}`;
  expect(fitTypes(deep, { type: "object" })).toBe(deep);
});

test.each([
  ["reserch", ["general", "research", "tool-specialist"], "research"],
  ["GTE", ["GET", "HEAD", "POST"], "GET"],
  ["ReadFile", ["write_file", "read_file"], "read_file"],
  ["x", ["general", "research"], null],
  ["", ["a"], null],
  ["zzzzzz", ["general"], null],
])("the nearest to %j of %j is %j", (written, names, nearest) => {
  expect(findNearest(written, names)).toBe(nearest);
});
