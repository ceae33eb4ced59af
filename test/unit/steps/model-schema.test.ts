import { describe, expect, test } from "vitest";
import { toModelSchema } from "../../../core/steps/model-schema.ts";

describe("a schema for a model", () => {
  test("keeps names, types, enums, required and descriptions, without bounds", () => {
    const schema = {
      type: "object",
      additionalProperties: false,
      properties: {
        city: { type: "string", minLength: 1, maxLength: 80, pattern: "^[A-Z]", description: "Where" },
        unit: { enum: ["c", "f"], default: "c" },
        days: { type: "array", items: { type: "integer", minimum: 1 }, maxItems: 7 },
        minimum: { type: ["number", "null"] },
      },
      required: ["city"],
    };
    expect(toModelSchema(schema)).toEqual({
      type: "object",
      properties: {
        city: { type: "string", description: "Where" },
        unit: { enum: ["c", "f"] },
        days: { type: "array", items: { type: "integer" } },
        minimum: { type: ["number", "null"] },
      },
      required: ["city"],
    });
  });

  test("follows references, and joins equal alternatives", () => {
    const schema = {
      $defs: { id: { type: "string", maxLength: 9 } },
      properties: {
        id: { $ref: "#/$defs/id" },
        any: { anyOf: [{ type: "string" }, { type: "string", minLength: 1 }] },
      },
    };
    expect(toModelSchema(schema)["properties"]).toEqual({
      id: { type: "string" },
      any: { anyOf: [{ type: "string" }] },
    });
  });

  test("is an object of bounded size, for any schema of a server", () => {
    const node: Record<string, unknown> = { type: "object", description: "d".repeat(2_000) };
    node["properties"] = { left: { $ref: "#" }, right: { $ref: "#" }, odd: null, lost: { $ref: "#/nowhere" } };
    const field = { type: "string", description: "d".repeat(500) };
    const wide = {
      properties: Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`field_${at}`, field])),
      required: ["field_1", "field_7"],
    };
    for (const schema of [node, wide, { properties: "none", required: "all" }, {}])
      expect(JSON.stringify(toModelSchema(schema)).length).toBeLessThan(6_000);
    expect(Object.keys(toModelSchema(wide)["properties"] as object)).toEqual(["field_1", "field_7"]);
    expect(toModelSchema({})).toEqual({ type: "object", properties: {} });
  });

  test("has only types that there are, and no empty list", () => {
    const properties = {
      odd: { type: "text", description: "Any" },
      mixed: { type: ["string", 7] },
      none: { type: [], enum: [], anyOf: [], description: "None" },
      right: { type: ["string", "null"] },
    };
    expect(toModelSchema({ type: "object", properties })["properties"]).toEqual({
      odd: { description: "Any" },
      mixed: {},
      none: { description: "None" },
      right: { type: ["string", "null"] },
    });
  });

  test("that refers to itself is read with bounded work", () => {
    const properties = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`p${at}`, { $ref: "#/$defs/node" }]));
    let reads = 0;
    const node = {
      type: "object",
      get properties() {
        reads += 1;
        return properties;
      },
    };
    const short = toModelSchema({ type: "object", properties, $defs: { node } });
    expect(short).toMatchObject({ properties: { p0: { type: "object" }, p59: { type: "object" } } });
    // Of 60^5 places.
    expect(reads).toBeLessThan(10_000);
  });

  test("does not multiply a long list of values by the references to it", () => {
    const names = Array.from({ length: 50 }, (_, at) => `field_${at}`);
    const schema = {
      properties: Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/long" }])),
      required: names,
      $defs: { long: { enum: Array.from({ length: 50 }, (_, at) => `${at} ${"x".repeat(1_000)}`) } },
    };
    expect(toModelSchema(schema)).toEqual({
      type: "object",
      properties: {},
      description: "The parameters are too long to list.",
    });
  });
});
