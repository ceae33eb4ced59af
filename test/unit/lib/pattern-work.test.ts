import fc from "fast-check";
import { RE2JS } from "re2js";
import { afterEach, describe, expect, it, vi } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { compileSchema } from "../../../core/lib/json-schema/compile.ts";
import { limitPatterns, PatternBudget } from "../../../core/lib/json-schema/limit-patterns.ts";
import { estimatePattern, MAX_PATTERN_WORK } from "../../../core/lib/pattern-work.ts";
import type { PatternsPort } from "../../../core/lib/patterns.ts";
import { readApiDocument } from "../../../core/openapi/document.ts";
import { importOpenApi } from "../../../core/openapi/import.ts";
import { IMPORT_OPTIONS } from "../openapi/import-options.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** The tokens that are hard for a reader of patterns. */
const PIECES = [
  ...Array.from("()[]{}|*+?^.$-:<>=,0aé😀"),
  ..."(?:|(?i)|(?i:|(?P<n>|(?-m)|\\]|\\[|[:alpha:]|[]|[^]|\\Q|\\E|\\p{L}|\\pN|\\x{ff}|\\x41|\\d|\\W|\\\\|\\b|\\A".split(
    "|",
  ),
  ..."{2} {3,} {2,5} {10} {1000} {0,9} {,3}".split(" "),
];

describe("the work to compile a pattern", () => {
  it("is never estimated below the instructions that the engine makes", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }), (pieces) => {
        const pattern = pieces.join("");
        const { instructions: work } = estimatePattern(pattern, false);
        fc.pre(work <= MAX_PATTERN_WORK);
        let size = 0;
        try {
          size = RE2JS.compile(pattern).programSize();
        } catch {
          return;
        }
        expect([pattern, size <= work]).toEqual([pattern, true]);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ["a short text for many instructions", "(?:ab.cd.ef.gh.){1000}"],
    ["nested repeats", `${"(?:".repeat(9)}abcd.${"){2}".repeat(9)}`.replace("abcd.", "abcd.".repeat(20))],
    ["optional repeats", `(?:${"a?".repeat(100)}){0,1000}`],
    ["a repeat behind flags", `(?:${"a".repeat(100)})(?i){1000}`],
    ["a repeat behind a set that holds brackets", `(?:[\\])]${"a".repeat(100)}){1000}`],
    ["a repeat behind a range that ends with a bracket", `[^](-[:alpha:]${"b".repeat(100)}](?:${"a".repeat(99)}){900}`],
    ["a repeat behind a quoted bracket", `(?:\\Q)\\E${"a".repeat(100)}){1000}`],
    ["Unicode classes without case", `(?i:${"\\p{L}".repeat(150)})`],
  ])("is over the limit for %s, which the engine never sees", (_, pattern) => {
    const compiled = vi.spyOn(RE2JS, "compile");
    expect(estimatePattern(pattern, false).work).toBeGreaterThan(MAX_PATTERN_WORK);
    expect(linearPatterns.estimateWork(pattern)).toBe(0);
    expect(linearPatterns.compile(pattern)).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    const style = { ignoresCase: false, isMultiline: true };
    expect(linearPatterns.estimateWork(pattern, style)).toBe(0);
    expect(linearPatterns.compile(pattern, style)).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(compiled).not.toHaveBeenCalled();
  });

  it.each([`(?i:[${"a-\\u{ffff}".repeat(95)}])`, `(?i:${"\\S".repeat(100)})`])(
    "counts how wide the sets of %s are, and the engine never sees it",
    (pattern) => {
      const compiled = vi.spyOn(RE2JS, "compile");
      expect(linearPatterns.compile(pattern)).toMatchObject({ ok: false, error: { code: "invalid_input" } });
      expect(compiled).not.toHaveBeenCalled();
    },
  );

  it.each([
    "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$",
    "^[\\p{L}\\p{M}\\p{N}\\p{P}\\p{Zs}]{1,256}$",
    "^arn:aws[a-z-]*:[a-z]+:[a-z0-9-]*:\\d{12}:[\\s\\S]{1,512}$",
    "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
    "[\\u0020-\\uD7FF\\uE000-\\uFFFD\\u{10000}-\\u{10FFFF}\\r\\n\\t]{1,900}",
    "(?i:https?)://\\S+",
  ])("allows %s", (pattern) => {
    expect(linearPatterns.compile(pattern)).toMatchObject({ ok: true });
  });

  it("is estimated in one pass over a pattern", () => {
    const long = "(?:[a-z]{2,3}|\\p{L})".repeat(5_000);
    const slices = vi.spyOn(String.prototype, "slice");
    estimatePattern(long.slice(0, long.length / 2), true);
    const half = slices.mock.calls.length;
    slices.mockClear();
    estimatePattern(long, true);
    expect(slices.mock.calls.length).toBeLessThanOrEqual(2 * half + 10);
  });
});

/** Ten thousand instructions are ten milliseconds. */
const large = (index: number) => `^(?:${"ab".repeat(4)}${index}){150}$`;
const workOfCompiled = (compiled: { readonly mock: { readonly calls: readonly (readonly unknown[])[] } }) =>
  compiled.mock.calls.reduce((sum, [pattern]) => sum + estimatePattern(String(pattern), false).work, 0);

describe("many patterns", () => {
  it("of a schema are rejected by their path once they cost too much together", () => {
    const compiled = vi.spyOn(RE2JS, "compile");
    const properties = Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [`p${index}`, { type: "string", pattern: large(index) }]),
    );
    const checker = compileSchema({ type: "object", properties }, linearPatterns);
    expect(checker).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    if (!checker.ok) expect(checker.error.message).toMatch(/at \/properties\/p\d+\/pattern: .*too (?:large|many)/);
    expect(workOfCompiled(compiled)).toBeLessThanOrEqual(40_000);
  });

  it("of an imported document are compiled once each, and left out beyond its bound", async () => {
    const compiled = vi.spyOn(RE2JS, "compile");
    const paths = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `/things/${index}`,
        {
          get: {
            operationId: `get${index}`,
            parameters: [
              { name: "one", in: "query", schema: { type: "string", pattern: large(index) } },
              { name: "all", in: "query", schema: { type: "string", pattern: "^[a-z]+$" } },
            ],
          },
        },
      ]),
    );
    const tools = await importTools({ paths }, linearPatterns);
    expect(tools).toHaveLength(300);
    const kept = tools.filter(({ input }) => JSON.stringify(input).includes("^(?:ab"));
    expect(kept.length).toBeGreaterThan(10);
    expect(kept.length).toBeLessThan(300);
    expect(tools.every(({ input }) => JSON.stringify(input).includes("^[a-z]+$"))).toBe(true);
    expect(workOfCompiled(compiled)).toBeLessThanOrEqual(50_000);
    expect(new Set(compiled.mock.calls.map(String)).size).toBe(compiled.mock.calls.length);
  });

  it("that refer to one refused pattern estimate it once", async () => {
    const read = readerOf(linearPatterns);
    const components = { schemas: { P: { type: "string", pattern: large(0) } } };
    const body = { anyOf: Array.from({ length: 1_400 }, () => ({ $ref: "#/components/schemas/P" })) };
    const bodies = [...Array.from({ length: 40 }, (_, index) => ({ pattern: large(index + 1) })), body];
    await importTools({ components, paths: pathsOf(bodies) }, read.patterns);
    expect(read.estimates.filter((source) => source === large(0))).toHaveLength(1);
  });

  it("that are too large for the engine take no budget from the others", async () => {
    const tooLarge = (index: number) => ({ pattern: `(?:${"ab.".repeat(20)}${index}){1000}` });
    const bodies = [...Array.from({ length: 20 }, (_, index) => tooLarge(index)), { pattern: large(0) }];
    const tools = await importTools({ paths: pathsOf(bodies) }, linearPatterns);
    expect(tools.filter(({ input }) => JSON.stringify(input).includes("pattern"))).toHaveLength(1);
  });

  it("are not even estimated once the budget does not pay for reading them", () => {
    const read = readerOf(linearPatterns);
    const limited = limitPatterns(read.patterns, new PatternBudget(1_000));
    for (let index = 0; index < 500; index += 1) limited.compile(`${"x".repeat(800)}(?:a{1000}){1000}${index}`);
    expect(read.estimates.length).toBeLessThan(10);
  });

  it("that are the same are compiled and charged once", () => {
    const compiled = vi.spyOn(RE2JS, "compile");
    const limited = limitPatterns(linearPatterns, new PatternBudget(linearPatterns.estimateWork("^a{5}$") + 1));
    expect([limited.compile("^a{5}$").ok, limited.compile("^a{5}$").ok, limited.compile("^b{5}$").ok]).toEqual([
      true,
      true,
      false,
    ]);
    expect(compiled).toHaveBeenCalledTimes(1);
  });
});

/** An engine, and the patterns that it was asked to estimate. */
function readerOf(patterns: PatternsPort) {
  const estimates: string[] = [];
  const estimateWork = (source: string) => {
    estimates.push(source);
    return patterns.estimateWork(source);
  };
  return { estimates, patterns: { ...patterns, estimateWork } };
}

/** One operation for each schema of a body. */
function pathsOf(bodies: readonly object[]) {
  const operations = bodies.map((schema, index) => [
    `/things/${index}`,
    { post: { requestBody: { content: { "application/json": { schema: { properties: { one: schema } } } } } } },
  ]);
  return Object.fromEntries(operations) as Readonly<Record<string, unknown>>;
}

async function importTools(document: object, patterns: PatternsPort) {
  const read = readApiDocument({ openapi: "3.0.0", info: { title: "t" }, ...document });
  if (!read.ok) throw new Error("no document");
  const options = { ...IMPORT_OPTIONS, baseUrl: "https://api.example.com" };
  const imported = await importOpenApi(read.value, options, { patterns, giveWay: async () => {} });
  if (!imported.ok) throw new Error(imported.error.message);
  return imported.value.tools;
}
