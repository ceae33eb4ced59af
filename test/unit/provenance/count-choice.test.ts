/** How much the arguments of a call may choose before a person is asked. */
import { describe, expect, test } from "vitest";
import { countChoice, MAX_ENTRIES } from "../../../core/provenance/count-choice.ts";

const SCHEMA = {
  type: "object",
  required: ["id"],
  properties: {
    id: { type: "string" },
    on: { type: "boolean" },
    kind: { enum: ["note", "task"] },
    page: { type: "integer" },
    limit: { type: "integer", minimum: 1, maximum: 100 },
    flags: { type: "array", items: { type: "boolean" } },
    rows: { type: "array", items: { $ref: "#/$defs/row" } },
    any: {},
  },
  $defs: {
    row: { type: "object", properties: { a: { type: "boolean" }, b: { anyOf: [{ enum: [1, 2] }, { type: "null" }] } } },
  },
};

/** The person's words, each of which counts four bits. */
const countWords = (value: string) => (["Ana", "Reis", "7"].includes(value) ? 4 : null);
const count = (values: unknown, schema: object = SCHEMA) => countChoice(values, { ...schema }, countWords);

describe("arguments may choose", () => {
  test.each<[string, unknown]>([
    ["nothing", {}],
    ["a word, flags, a listed value and a page", { id: "Ana", on: true, kind: "task", page: 3, flags: [true, false] }],
    ["a number within bounds", { id: "Reis", limit: 100 }],
    ["a small number without bounds", { page: 1_000 }],
    ["what is empty", { id: "", any: null, flags: [] }],
    ["objects in a list", { id: "Ana", rows: [{ a: true, b: 2 }, { b: 1 }] }],
    ["text of the schema", { id: "note" }],
  ])("%s", (_, values) => {
    expect(count(values)).toEqual({ kind: "bounded" });
  });
});

describe("arguments may not choose", () => {
  test.each<[string, unknown, object]>([
    ["text that nobody wrote", { id: "Eve" }, { kind: "free", path: "id", text: "Eve" }],
    ["a name that nobody wrote", { id: "Ana", Eve: true }, { kind: "free", path: "Eve", text: "Eve" }],
    ["a fraction", { any: 0.1234 }, { kind: "free", path: "any", text: "0.1234" }],
    ["a large number", { any: [123_456_789] }, { kind: "free", path: "any[0]", text: "123456789" }],
    ["a large number outside the bounds", { limit: 987_654_321 }, { kind: "free", path: "limit", text: "987654321" }],
    [
      "many words that people wrote",
      { any: ["Ana", "Reis", "Ana", "Ana", "7", "Reis", "Ana"] },
      { kind: "much", path: "any" },
    ],
    ["many flags", { rows: Array(8).fill({ a: true, b: 1 }) }, { kind: "much", path: "rows" }],
    ["a long list", { flags: Array(MAX_ENTRIES + 1).fill(true) }, { kind: "long", path: "flags" }],
    [
      "more values than are examined",
      { any: Array(8).fill(Array(8).fill(Array(8).fill(""))) },
      { kind: "much", path: "any" },
    ],
  ])("%s", (_, values, expected) => {
    expect(count(values)).toEqual(expected);
  });

  const names = Array.from({ length: 40 }, (_, at) => `p${at}`);
  const constant = Object.fromEntries(names.map((name) => [name, { const: "x" }]));
  const pick = (wanted: (at: number) => boolean) =>
    Object.fromEntries(names.filter((_, at) => wanted(at)).map((name) => [name, "x"]));
  test.each<[string, object, unknown]>([
    ["which of many properties there are", { properties: constant }, pick((at) => at % 2 === 0)],
    [
      "which of many alternatives are required",
      { properties: constant, anyOf: names.map((name) => ({ required: [name] })) },
      pick((at) => at % 2 === 0),
    ],
    ["which optional ones are present", { properties: constant, required: names }, pick((at) => at % 2 === 0)],
    [
      "the order of many",
      { properties: constant, required: names },
      Object.fromEntries(names.toReversed().map((name) => [name, "x"])),
    ],
  ])("%s", (_, schema, values) => {
    expect(count(values, schema)).toMatchObject({ kind: "much" });
  });

  test("nothing, if every property is required and in the schema's order", () => {
    expect(
      count(
        pick(() => true),
        { properties: constant, required: names },
      ),
    ).toEqual({ kind: "bounded" });
  });
});

test("a schema that refers to itself, or to nothing, is read once", () => {
  const schema = {
    properties: {
      a: { $ref: "#/properties/a" },
      b: { anyOf: [{ $ref: "#" }, { $ref: "#/nowhere/x" }, { $ref: "other" }] },
    },
  };
  expect(count({ a: true, b: { b: { a: false } } }, schema)).toEqual({ kind: "bounded" });
});
