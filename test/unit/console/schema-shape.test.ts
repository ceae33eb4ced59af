import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  asFields,
  asText,
  faultsAt,
  freeName,
  memberOf,
  moved,
  pathTo,
  readFilled,
  renamed,
  withItem,
  withMember,
  withoutItem,
} from "../../../web/src/ui/schema-form/json-edit.ts";
import { isJson } from "../../../web/src/ui/schema-form/json-value.ts";
import type { Schema } from "../../../web/src/ui/schema-form/schema-resolve.ts";
import { branchOf, fieldOf, shows, starterOf } from "../../../web/src/ui/schema-form/schema-shape.ts";
import { fieldInWords, plainFault, schemaRows } from "../../../web/src/ui/schema-form/schema-words.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { getInputSchema } from "../../../core/tool/input-schema.ts";

const shapeOf = (schema: Schema) => fieldOf(schema, schema).shape;
const words = (schema: Schema) => fieldInWords(schema, fieldOf(schema, schema));

const anyName = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom("__proto__", "constructor", "toString", "a.b", "0"),
);
const anyJson = fc.jsonValue({ maxDepth: 4 });

/** Schemas as strangers write them: every keyword with fitting and unfitting values, references to anywhere. */
const anySchema = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.boolean(),
    fc.record(
      {
        type: fc.oneof(
          fc.constantFrom("string", "integer", "number", "boolean", "null", "object", "array"),
          fc.array(fc.constantFrom("string", "null", "object", "number"), { maxLength: 3 }),
          fc.integer(),
        ),
        enum: fc.array(anyJson, { maxLength: 3 }),
        const: anyJson,
        minimum: fc.oneof(fc.integer(), fc.string()),
        pattern: fc.constant("(a+)+$"),
        default: anyJson,
        title: fc.string(),
        required: fc.array(anyName, { maxLength: 3 }),
        properties: fc.dictionary(anyName, tie("schema"), { maxKeys: 4 }),
        additionalProperties: tie("schema"),
        items: tie("schema"),
        prefixItems: fc.array(tie("schema"), { maxLength: 2 }),
        anyOf: fc.array(tie("schema"), { maxLength: 3 }),
        oneOf: fc.array(tie("schema"), { maxLength: 3 }),
        allOf: fc.array(tie("schema"), { maxLength: 3 }),
        $ref: fc.constantFrom("#", "#/properties/a", "#/$defs/none", "https://elsewhere.example/s"),
      },
      { requiredKeys: [] },
    ),
  ),
})).schema;

/** Writes every value that fields show back through them, as a form does when each is retyped. */
function retyped(root: Schema, schema: Schema, value: unknown, depth = 0): unknown {
  const one = fieldOf(root, schema);
  if (!shows(root, one, value) || depth > 6) return value;
  const { shape } = one;
  if (shape.kind === "object" && isJson(value)) {
    const known = new Map(shape.members.map((member) => [member.name, member.schema]));
    return Object.keys(value).reduce<unknown>((object, name) => {
      const inner = known.get(name) ?? shape.rest ?? true;
      return withMember(object, name, retyped(root, inner, memberOf(value, name), depth + 1));
    }, value);
  }
  if (shape.kind === "list" && Array.isArray(value)) {
    return value.reduce<readonly unknown[]>((list, item, at) => {
      const inner = shape.first[at] ?? shape.rest ?? true;
      return withItem(list, at, retyped(root, inner, item, depth + 1));
    }, value);
  }
  if (shape.kind === "either") {
    const branch = shape.branches[branchOf(root, shape.branches, value)];
    return branch === undefined ? value : retyped(root, branch.schema, value, depth + 1);
  }
  return value;
}

describe("a form of JSON", () => {
  test("loses nothing between fields, text and fields, whatever the schema and the value", () => {
    fc.assert(
      fc.property(anySchema, anyJson, (schema, value) => {
        const throughText = asFields(asText({ value, text: null }));
        expect(throughText).toEqual({ value: JSON.parse(JSON.stringify(value)), text: null });
        const typed = retyped(schema, schema, throughText.value);
        expect(JSON.stringify(typed)).toBe(JSON.stringify(throughText.value));
      }),
      { numRuns: 300 },
    );
  });

  test("retains incomplete JSON text, and describes its error", () => {
    const broken = { value: { a: 1 }, text: '{"a": ' };
    expect(asFields(broken)).toBe(broken);
    expect(readFilled(broken)).toMatchObject({ ok: false, message: expect.stringContaining("not JSON") });
    expect(asText(broken)).toBe(broken);
  });

  test("reads a member of any name back as it was written, and leaves the others and the order unchanged", () => {
    fc.assert(
      fc.property(fc.dictionary(anyName, anyJson), anyName, anyJson, (object, name, member) => {
        const changed = withMember(object, name, member);
        expect(memberOf(changed, name)).toEqual(member);
        for (const other of Object.keys(object).filter((one) => one !== name))
          expect(memberOf(changed, other)).toEqual(object[other]);
        if (Object.hasOwn(object, name)) expect(Object.keys(changed)).toEqual(Object.keys(object));
        expect(memberOf(withMember(changed, name, undefined), name)).toBeUndefined();
      }),
    );
  });

  test("has only members that were given, not even __proto__", () => {
    expect(memberOf({}, "__proto__")).toBeUndefined();
    expect(memberOf("text", "length")).toBeUndefined();
  });

  test("renames a member in position, and not to an existing name", () => {
    const value = { a: 1, b: 2, c: 3 };
    expect(Object.entries(renamed(value, "b", "x"))).toEqual([
      ["a", 1],
      ["x", 2],
      ["c", 3],
    ]);
    expect(renamed(value, "b", "c")).toBe(value);
    expect(freeName({ name: 1, "name 2": 2 }, "name")).toBe("name 3");
  });

  test("moves and removes items", () => {
    expect(moved([1, 2, 3], 0, 1)).toEqual([2, 1, 3]);
    expect(moved([1, 2, 3], 2, -1)).toEqual([1, 3, 2]);
    expect(moved([1, 2, 3], 0, -1)).toEqual([1, 2, 3]);
    expect(withoutItem([1, 2, 3], 1)).toEqual([1, 3]);
  });
});

describe("faults", () => {
  const faults = { "to.0.address": "is no address", subject: "is missing", arguments: "too many", "a.b": "odd" };

  test("are listed at their own field, or at the closest visible one", () => {
    expect(faultsAt(faults, "subject")).toBe("is missing");
    expect(faultsAt(faults, "to", ["to.0"])).toBeNull();
    expect(faultsAt(faults, "to.0")).toBe("address: is no address");
    expect(faultsAt(faults, "", ["to", "subject", "a.b"])).toBe("arguments: too many");
    expect(faultsAt(faults, pathTo("", "a.b"))).toBe("odd");
    expect(faultsAt(faults, "sub")).toBeNull();
  });
});

describe("the shape of a schema", () => {
  test.each<[string, Schema, unknown]>([
    ["text", { type: "string", maxLength: 9 }, { kind: "text", format: null, least: 0, most: 9 }],
    ["a whole number", { type: "integer", minimum: 1 }, { kind: "number", isWhole: true, least: 1, most: Infinity }],
    ["yes or no", { type: "boolean" }, { kind: "flag" }],
    ["a fixed value", { const: 7 }, { kind: "choice", options: [{ label: "7", value: 7 }] }],
    ["what says nothing", {}, { kind: "json" }],
    ["a reference that leads outside", { $ref: "https://elsewhere.example/s" }, { kind: "json" }],
    ["a reference to itself", { $ref: "#" }, { kind: "json" }],
  ])("%s", (_, schema, shape) => expect(shapeOf(schema)).toEqual(shape));

  test("reads a type with null as a nullable field", () => {
    for (const schema of [
      { type: ["string", "null"], title: "Name" },
      { anyOf: [{ type: "string" }, { type: "null" }], title: "Name" },
    ])
      expect(fieldOf(schema, schema)).toMatchObject({ title: "Name", isNullable: true, shape: { kind: "text" } });
  });

  test("names branches by title, by a fixed member, or by what they hold", () => {
    const shape = shapeOf({
      oneOf: [
        { title: "By mail", type: "object", properties: { to: { type: "string" } } },
        { type: "object", properties: { kind: { const: "slack" }, channel: {} }, required: ["kind"] },
        { type: "object", properties: { x: {}, y: {} } },
        { type: "number" },
      ],
    });
    expect(shape).toMatchObject({
      kind: "either",
      branches: [{ label: "By mail" }, { label: "slack" }, { label: "With x, y" }, { label: "A number" }],
    });
  });

  test("finds the branch of a value by its fixed members and names", () => {
    const member = (kind: string) => ({
      type: "object",
      properties: { kind: { const: kind }, value: {} },
      required: ["kind"],
    });
    const schema = { anyOf: [member("a"), member("b"), { type: "string" }] };
    const shape = shapeOf(schema);
    const branches = shape.kind === "either" ? shape.branches : [];
    expect([{ kind: "b" }, "text", { kind: "c" }, 5].map((value) => branchOf(schema, branches, value))).toEqual([
      1, 2, 0, -1,
    ]);
    expect(starterOf(schema, branches[1]?.schema ?? {})).toEqual({ kind: "b" });
  });

  test("merges the parts of allOf, and leaves the rest to JSON", () => {
    const base = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const both = { $defs: { base }, allOf: [{ $ref: "#/$defs/base" }, { properties: { b: {} } }] };
    expect(shapeOf(both)).toMatchObject({ kind: "object", members: [{ name: "b" }, { name: "a", isRequired: true }] });
    expect(shapeOf({ allOf: [{ type: "string" }, { type: "number" }] })).toEqual({ kind: "json" });
  });

  test("is found in bounded time for schemas made to hang a reader", () => {
    const wide = {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`p${at}`, { $ref: "#" }])),
    };
    const branching = {
      $defs: { a: { anyOf: Array.from({ length: 60 }, () => ({ $ref: "#/$defs/a" })) } },
      $ref: "#/$defs/a",
    };
    const circle = { $defs: { a: { $ref: "#/$defs/b" }, b: { anyOf: [{ $ref: "#/$defs/a" }] } }, $ref: "#/$defs/a" };
    const slow = {
      type: "object",
      patternProperties: { "(a+)+$": { type: "string" } },
      propertyNames: { pattern: "(a+)+$" },
    };
    const choice = { enum: Array.from({ length: 100_000 }, (_, at) => `v${at}`) };
    for (const schema of [wide, branching, circle, slow, choice]) {
      fieldOf(schema, schema);
      starterOf(schema, schema);
      expect(schemaRows(schema).length).toBeLessThanOrEqual(200);
    }
  });

  test("is found for every schema without a failure", () => {
    fc.assert(
      fc.property(anySchema, anyJson, (schema, value) => {
        const one = fieldOf(schema, schema);
        shows(schema, one, value);
        starterOf(schema, schema);
        plainFault(one, value);
        schemaRows(schema);
        expect(fieldInWords(schema, one)).toBeTypeOf("string");
      }),
      { numRuns: 500 },
    );
  });

  test("of every built-in tool is a form that shows the tool's own examples", () => {
    for (const tool of catalogue) {
      const schema = { ...getInputSchema(tool) };
      expect(shapeOf(schema).kind, tool.name).toBe("object");
      for (const { given } of tool.examples) expect(retyped(schema, schema, given)).toEqual(given);
    }
  });
});

describe("a schema in words", () => {
  test.each<[Schema, string]>([
    [{ type: "string", maxLength: 20 }, "text of up to 20 characters"],
    [{ type: "integer", minimum: 1, maximum: 5 }, "whole number from 1 to 5"],
    [{ type: "array", items: { type: "string" }, maxItems: 3 }, "list of up to 3 of text"],
    [{ enum: ["a", "b"] }, "one of a, b"],
    [{ type: ["boolean", "null"] }, "yes or no, or null"],
    [{ type: "string", format: "email" }, "e-mail address"],
    [{ type: "object", additionalProperties: { type: "string" } }, "fields of any name"],
  ])("%j", (schema, expected) => expect(words(schema)).toBe(expected));

  test("lists fields inside others below them", () => {
    const schema = {
      type: "object",
      required: ["to"],
      properties: {
        to: { type: "array", items: { type: "object", properties: { mail: { type: "string" } } } },
        dry: { type: "boolean", default: false },
      },
    };
    expect(schemaRows(schema).map(({ path, isRequired, usual }) => [path, isRequired, usual])).toEqual([
      ["to", true, undefined],
      ["to[].mail", false, undefined],
      ["dry", false, false],
    ]);
  });

  test("says what is plainly wrong and no more", () => {
    const whole: Schema = { type: "integer", minimum: 1, maximum: 5 };
    expect([3, 0, 9, 2.5, "x", "2,5", undefined].map((value) => plainFault(fieldOf(whole, whole), value))).toEqual([
      null,
      "At least 1.",
      "At most 5.",
      "Only whole numbers.",
      "This is not a number.",
      "Only whole numbers, such as 100,000.",
      null,
    ]);
  });
});
