import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { compileSchema } from "../../../core/lib/json-schema/compile.ts";
import { CASES } from "./json-schema-cases.ts";

/** The problems of a value, as `pointer message`. */
function problems(schema: unknown, value: unknown): string[] {
  const compiled = compileSchema(schema, linearPatterns);
  if (!compiled.ok) throw new Error(compiled.error.message);
  return compiled.value(value).map(({ pointer, message }) => `${pointer} ${message}`);
}

function fits(schema: unknown, value: unknown): boolean {
  return problems(schema, value).length === 0;
}

/** Why a schema is refused. */
function refusal(schema: unknown): string {
  const compiled = compileSchema(schema, linearPatterns);
  return compiled.ok ? "taken" : compiled.error.message;
}

const deep = (levels: number, leaf: unknown, wrap: (inside: unknown) => unknown): unknown =>
  Array.from({ length: levels }).reduce<unknown>(wrap, leaf);

describe("a schema", () => {
  it.each(CASES)("%j takes what it should and refuses what it should", (schema, good, bad) => {
    for (const value of good) expect([value, problems(schema, value)]).toEqual([value, []]);
    for (const value of bad) expect([value, fits(schema, value)]).toEqual([value, false]);
  });

  it("names the position as a JSON pointer and each expectation there", () => {
    const schema = {
      type: "object",
      required: ["name", "size"],
      additionalProperties: false,
      properties: {
        name: { type: "string", minLength: 1 },
        size: { enum: ["s", "m"] },
        "a/b": { items: { type: "integer", minimum: 1 } },
      },
    };
    expect(problems(schema, { name: "", "a/b": [1, "x", 0, 1.5], colour: "red" })).toEqual([
      "/size Is missing",
      "/name Expected at least 1 characters, got 0",
      "/a~1b/1 Expected integer, got string",
      "/a~1b/2 Expected at least 1",
      "/a~1b/3 Expected integer, got a number with a fraction",
      "/colour There is no property of this name",
    ]);
    expect(problems(schema, { name: "a", size: "x" })).toEqual(['/size Expected one of "s", "m"']);
    expect(
      problems({ anyOf: [{ type: "string" }, { properties: { a: { type: "null" } }, type: "object" }] }, { a: 1 }),
    ).toEqual([" Fits none of the allowed forms: Expected string, got object; or Expected null, got number at /a"]);
    expect(
      problems(
        { items: { type: "string" } },
        Array.from({ length: 50 }, () => 1),
      ),
    ).toHaveLength(20);
  });

  it.each([
    [5, "expected a schema"],
    [{ type: "any" }, "at /type: expected one or more of array,"],
    [{ properties: { a: { type: "text" } } }, "at /properties/a/type:"],
    [{ properties: [] }, "at /properties: expected an object"],
    [{ allOf: [] }, "at /allOf: expected a list that is not empty"],
    [{ required: "a" }, "at /required: expected a list of names"],
    [{ minLength: -1 }, "at /minLength: expected a whole number from 0 on"],
    [{ multipleOf: 0 }, "at /multipleOf: expected a number above 0"],
    [{ pattern: "(" }, "at /pattern:"],
    [{ pattern: "^(?=.*[A-Z])" }, "no look-around"],
    [{ pattern: "(a)\\1" }, "\\1 is no escape here"],
    [{ pattern: "a{1001}" }, "at /pattern:"],
    [{ patternProperties: { "a/[": true } }, "at /patternProperties/a~1[:"],
    [{ $ref: "https://a.example/schema" }, "leads outside, to https://a.example/schema"],
    [{ $ref: "http://json-schema.org/draft-07/schema#" }, "leads outside"],
    [{ $ref: "#/nowhere" }, "leads to nothing: #/nowhere"],
    [{ $ref: "#/constructor" }, "leads to nothing"],
    [{ $ref: "#/%" }, "badly encoded"],
    [{ $ref: "#" }, "it refers to itself without end"],
    [{ anyOf: [{ $ref: "#/$defs/a" }], $defs: { a: { not: { $ref: "#" } } } }, "it refers to itself without end"],
    [{ $defs: { a: { $id: "https://b.example/" } } }, "at /$defs/a: a schema inside another cannot have an $id"],
    [{ $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }, "the anchor x is there twice"],
    [{ $schema: "https://example.com/own" }, "at /$schema: expected one of the drafts"],
    [deep(70, {}, (items) => ({ items })), "too large: it is nested more than 64 deep"],
    [{ enum: Array.from({ length: 30_000 }, (_, index) => index) }, "too large: it has more than 20000 values"],
    [{ description: "x".repeat(500_000) }, "too large: its texts have more than"],
    [{ anyOf: Array.from({ length: 101 }, (_, index) => ({ pattern: `a${index}` })) }, "too many or too large"],
    [{ $defs: chain(60, (next) => ({ $ref: next })), $ref: "#/$defs/d0" }, "follow each other too far"],
  ])("%# is refused with the reason", (schema, reason) => {
    expect(refusal(schema)).toContain(reason);
  });

  it("is given up when its references multiply, long before they end", () => {
    const doubled = { $defs: chain(14, (next) => ({ allOf: [{ $ref: next }, { $ref: next }] })), $ref: "#/$defs/d0" };
    const tripled = {
      $defs: chain(14, (next) => ({ anyOf: Array(6).fill({ $ref: next }) }), false),
      $ref: "#/$defs/d0",
    };
    expect(problems(doubled, 1)).toEqual([]);
    expect(problems(tripled, 1)).toEqual([" Checking it against the schema takes too much work"]);
  });

  it("bounds the work to compile all patterns of one schema", () => {
    // Each is within the limits of a pattern: about 9,000 units.
    const large = (count: number) => ({
      properties: Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`p${index}`, { pattern: `^${"\\p{L}".repeat(90)}${index}$` }]),
      ),
    });
    const units = linearPatterns.estimateWork(large(1).properties["p0"]?.pattern ?? "");
    const most = Math.floor(40_000 / units);
    expect(most).toBeGreaterThanOrEqual(3);
    expect(compileSchema(large(most), linearPatterns).ok).toBe(true);
    const refused = compileSchema(large(most + 1), linearPatterns);
    expect(refused).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    if (!refused.ok) expect(refused.error.message).toContain(`at /properties/p${most}/pattern`);
  });

  it("bounds the work of patterns by the text", () => {
    const slow = { items: { pattern: "^(a+)+$" } };
    const text = `${"a".repeat(50_000)}!`;
    expect(problems(slow, [text])).toEqual(["/0 Expected text that matches ^(a+)+$"]);
    expect(problems(slow, Array(70).fill(text))).toEqual([" Checking it against the schema takes too much work"]);
  });

  it.each([
    ["date-time", "2020-01-01T00:00:00Z"],
    ["ipv6", "1:2:3:4:5:6:7:8"],
  ])("counts the cost of the format %s in addition to its characters", (format, text) => {
    expect(problems({ items: { format } }, Array(60_000).fill(text))).toEqual([]);
    const many = Array(190_000).fill(text);
    expect(problems({ items: { format } }, many)).toEqual([" Checking it against the schema takes too much work"]);
  });

  it("compares the items of a long list in time that grows with the list", () => {
    const list = Array.from({ length: 50_000 }, (_, index) => ({ index }));
    expect(problems({ uniqueItems: true }, list)).toEqual([]);
    expect(problems({ uniqueItems: true }, [...list, { index: 7 }])).toEqual(["/50000 Is the same as item 7"]);
  });

  it("does not overrun the stack on a deep value", () => {
    const tree = { properties: { a: { allOf: [{ $ref: "#" }] } }, additionalProperties: false };
    expect(
      problems(
        tree,
        deep(50, {}, (a) => ({ a })),
      ),
    ).toEqual([]);
    expect(
      problems(
        tree,
        deep(127, {}, (a) => ({ a })),
      ),
    ).toEqual([" It is nested too deeply for its schema"]);
    expect(
      problems(
        tree,
        deep(200_000, {}, (a) => ({ a })),
      ),
    ).toEqual([" Is too large to be checked: it is nested more than 128 deep"]);
  });

  it("takes what its own examples of values were made from, and refuses another type", () => {
    const leaf = fc.constantFrom(
      [{ type: "string" }, "x"] as const,
      [{ type: "integer", minimum: 3 }, 7] as const,
      [{ enum: [null, true] }, true] as const,
    );
    const { pair } = fc.letrec<{ pair: readonly [object, unknown] }>((tie) => ({
      pair: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        leaf,
        fc
          .array(tie("pair"), { minLength: 1, maxLength: 3 })
          .map((pairs): readonly [object, unknown] => [
            { type: "array", prefixItems: pairs.map(([schema]) => schema), items: false, minItems: pairs.length },
            pairs.map(([, value]) => value),
          ]),
        fc
          .dictionary(fc.string({ maxLength: 3 }), tie("pair"), { maxKeys: 3 })
          .map((members): readonly [object, unknown] => [
            {
              type: "object",
              properties: mapValues(members, ([schema]) => schema),
              required: Object.keys(members),
              unevaluatedProperties: false,
            },
            mapValues(members, ([, value]) => value),
          ]),
      ),
    }));
    fc.assert(
      fc.property(pair, fc.constantFrom("anyOf", "allOf", "oneOf"), ([schema, value], keyword) => {
        expect(problems(schema, value)).toEqual([]);
        expect(problems({ [keyword]: [schema] }, value)).toEqual([]);
        expect(fits({ not: schema }, value)).toBe(false);
        expect(fits(schema, [value, { other: value }])).toBe(false);
      }),
    );
  });

  it("answers every JSON value and every JSON schema without throwing", () => {
    const keywords = [
      "type",
      "items",
      "properties",
      "allOf",
      "$ref",
      "enum",
      "required",
      "not",
      "minimum",
      "pattern",
      "contains",
    ];
    const schemas = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom(...keywords), fc.oneof(fc.jsonValue(), fc.constant({ $ref: "#" }))),
    );
    fc.assert(
      fc.property(schemas, fc.jsonValue(), (schema, value) => {
        const compiled = compileSchema(schema, linearPatterns);
        if (compiled.ok) expect(Array.isArray(compiled.value(value))).toBe(true);
        else expect(compiled.error.code).toBe("invalid_input");
      }),
      { numRuns: 500 },
    );
  });
});

/** Definitions d0, d1, …, each made of a reference to the next; the last one takes everything, or nothing. */
function chain(length: number, link: (next: string) => object, end = true): Record<string, unknown> {
  const links = Array.from({ length }, (_, index) => [`d${index}`, link(`#/$defs/d${index + 1}`)] as const);
  return Object.fromEntries([...links, [`d${length}`, end]]);
}

function mapValues<A, B>(members: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value)]));
}
