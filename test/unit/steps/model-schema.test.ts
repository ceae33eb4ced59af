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
});
