import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { fakeResults } from "../../fakes/results.ts";
import expandResult from "../../../tools/files/expand-result.ts";
import { compileTextPattern } from "../../../tools/files/text-search.ts";
import { runTool } from "../run-tool.ts";

const ID = "call_01hzy3v7k4m8n2p6q9rstvwxyz_3_0";
/** What is shown stays below the threshold from which other results are shortened. */
const MEDIUM = 4_000;

interface Expanded {
  readonly offset: number;
  readonly total_characters: number;
  readonly text: string | null;
  readonly matches: readonly { offset: number; match: string; excerpt: string }[] | null;
  readonly next_offset: number | null;
}

async function expand(text: string, given: object) {
  const ran = await runTool(expandResult, { result_id: ID, ...given }, { results: fakeResults({ [ID]: text }) });
  return { ...ran, result: ran.result as Expanded };
}

/** All the parts of a text, each from where the one before it said. */
async function readOn(text: string, limit: number): Promise<string[]> {
  const parts: string[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const { result, output } = await expand(text, { offset, limit });
    if (result.next_offset !== null) expect(result.next_offset).toBeGreaterThan(offset);
    expect(output?.length).toBeLessThanOrEqual(MEDIUM);
    parts.push(result.text ?? "");
    offset = result.next_offset;
  }
  return parts;
}

/** All matches of a pattern, each search from where the one before it said. */
async function searchOn(text: string, pattern: string): Promise<number[]> {
  const offsets: number[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const { result, output } = await expand(text, { offset, pattern });
    if (result.next_offset !== null) expect(result.next_offset).toBeGreaterThan(offset);
    expect(output?.length).toBeLessThanOrEqual(MEDIUM);
    offsets.push(...(result.matches ?? []).map((match) => match.offset));
    offset = result.next_offset;
  }
  return offsets;
}

describe("reading a result again", () => {
  it("starts at the beginning and names the next offset", async () => {
    const { result, output } = await expand("x".repeat(10_000), {});
    expect(result).toMatchObject({ offset: 0, total_characters: 10_000, next_offset: 3500, matches: null });
    expect(output).toMatch(/^\[characters 0 to 3500 of 10000; go on at offset 3500\]\nx{3500}$/);
  });

  it("reads a part, and says when it is the last", async () => {
    const { result, output } = await expand("0123456789", { offset: 7, limit: 5 });
    expect(result).toMatchObject({ text: "789", next_offset: null });
    expect(output).toBe("[characters 7 to 10 of 10; the end]\n789");
  });

  it("returns, part by part, all of any text, and never half a character", async () => {
    const text = fc.string({ unit: "grapheme", maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 50 }), async (whole, limit) => {
        const parts = await readOn(whole, limit);
        expect(parts.join("")).toBe(whole);
        for (const part of parts) expect(part.isWellFormed()).toBe(true);
      }),
    );
  });

  it("gives an empty result, and one of two million characters", async () => {
    expect(await readOn("", 3500)).toEqual([""]);
    const long = "0123456789\n".repeat(200_000);
    const { result } = await expand(long, { offset: long.length - 4 });
    expect(result.text).toBe("789\n");
  });

  it.each([
    [{ offset: 10 }, "offset", "10 characters"],
    [{ offset: 11, pattern: "a" }, "offset", "10 characters"],
    [{ offset: -1 }, "offset", ""],
    [{ limit: 0 }, "limit", ""],
    [{ limit: 3501 }, "limit", ""],
    [{ pattern: "" }, "pattern", ""],
    [{ pattern: "a".repeat(501) }, "pattern", ""],
    [{ pattern: "(" }, "pattern", "missing closing"],
    [{ pattern: "(?=a)b" }, "pattern", "no look-around"],
    [{ pattern: "(?<=a)b" }, "pattern", "no look-around"],
    [{ pattern: "(a)\\1" }, "pattern", "no back references"],
    [{ pattern: "a{1001}" }, "pattern", "repeats up to 1000"],
    [{ pattern: "x*" }, "pattern", "at least one character"],
    [{ pattern: ".{1000}".repeat(70) }, "pattern", "too large"],
  ])("refuses %j and names the field", async (given, field, words) => {
    const { failure } = await expand("0123456789", given);
    expect(failure).toMatchObject({ code: "invalid_input", field });
    expect(failure?.message).toContain(words);
  });

  it("does not know a result that there is not, and says where ids come from", async () => {
    const { failure } = await runTool(expandResult, { result_id: "call_9_9" }, { results: fakeResults() });
    expect(failure).toMatchObject({ code: "not_found", field: "result_id" });
    expect(failure?.message).toContain('"call_9_9"');
  });

  it("passes on that the store is away", async () => {
    const error = { code: "upstream_failed", message: "The file store did not answer." } as const;
    const results = { ...fakeResults(), read: async () => ({ ok: false, error }) as const };
    const { failure } = await runTool(expandResult, { result_id: ID }, { results });
    expect(failure).toMatchObject(error);
  });

  it("is returned unchanged at any threshold", () => {
    expect(expandResult.wholeResult).toBe(true);
  });
});

describe("searching a result", () => {
  it("returns each match with its offset and the text around it on its line", async () => {
    const text = `first line\nan Error here, and an error there\n${"y".repeat(200)}error${"z".repeat(200)}\n`;
    const { result, output } = await expand(text, { pattern: "(?i)error" });
    expect(result.matches?.map(({ offset }) => offset)).toEqual([14, 33, 245]);
    expect(result.matches?.[0]).toEqual({ offset: 14, match: "Error", excerpt: "an Error here, and an error there" });
    expect(result.matches?.[2]?.excerpt).toBe(`…${"y".repeat(60)}error${"z".repeat(60)}…`);
    expect(result.next_offset).toBeNull();
    expect(output).toMatch(/^\[3 matches in characters 0 to 451 of 451; the end\]\n14: an Error here/);
  });

  it("is case-sensitive unless the pattern says otherwise", async () => {
    expect(await searchOn("Error error ERROR", "error")).toEqual([6]);
  });

  it("starts at the offset, and continues from its last position until it has found all", async () => {
    const text = "id=7; ".repeat(100);
    const { result } = await expand(text, { pattern: "id=\\d", offset: 30 });
    expect(result.matches?.length).toBeGreaterThan(20);
    expect(result.matches?.[0]?.offset).toBe(30);
    expect(await searchOn(text, "id=\\d")).toEqual(Array.from({ length: 100 }, (_, i) => i * 6));
  });

  it("matches within a line: ^ and $ are its ends", async () => {
    expect(await searchOn("ab\nab\ncab", "^ab$")).toEqual([0, 3]);
    expect(await searchOn("a\nb", "a[^x]b")).toEqual([]);
  });

  it("finds what lies anywhere in a line of a hundred thousand characters, once", async () => {
    for (const at of [0, 8_995, 9_000, 9_999, 10_001, 54_321, 99_995]) {
      const line = `${"x".repeat(at)}match${"x".repeat(100_000 - at - 5)}`;
      expect(await searchOn(line, "m\\w{3}h"), String(at)).toEqual([at]);
    }
  });

  it("finds in any text what the engine's own search of each line finds", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "\n"), maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(text, async (whole) => {
        const expected = [...whole.matchAll(/a[bc]+|cc/g)].map((match) => match.index);
        expect(await searchOn(whole, "a[bc]+|cc")).toEqual(expected);
      }),
    );
  });

  it("never gives half a character", async () => {
    const { result, output } = await expand("😀".repeat(500), { pattern: "😀{3,}" });
    expect(output?.isWellFormed()).toBe(true);
    expect(result.matches?.[0]?.match.isWellFormed()).toBe(true);
  });

  const a = "a".repeat(500_000);
  const ab = Array.from({ length: 500_000 }, (_, i) => (((i * 2_654_435_761) >>> 7) % 2 === 0 ? "a" : "b")).join("");
  it.each([
    ["(a+)+$", `${a}!`],
    ["(a|aa)+$", `${a}!`],
    ["(a|a?)+b", a],
    ["(.*a){20}!", ab],
    ["(?:a?){300}a{300}!", ab],
    ["[ab]*a[ab]{400}c", `${ab}!c`],
    ["\\b(?:[^z]*z)?", "a ".repeat(250_000)],
    [".{1000}.{900}[bc]", a],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", a],
  ])("takes a bounded time for %s", { timeout: 20_000 }, async (pattern, text) => {
    const { result } = await expand(text, { pattern });
    expect(result.matches).not.toBeNull();
  });

  const long = 1_900_000;
  it.each([
    ["one long line", "a".repeat(long)],
    ["long lines", `${"a".repeat(99)}\n`.repeat(long / 100)],
    ["short lines", "a\n".repeat(long / 2)],
  ])("does no more work than one search may on %s, however the pattern is built", async (_, text) => {
    const patterns = ["(a{1,30}){1,30}[bc]", "(?:a?){200}[bc]", "(?i)(a|aa|aaa|aaaa|aaaaa){1,60}[bc]", "[b-d][e-g]"];
    for (const pattern of patterns) {
      const compiled = compileTextPattern(pattern, linearPatterns);
      const { result } = await expand(text, { pattern });
      expect(result.matches).toEqual([]);
      const size = compiled.ok ? compiled.value.compiled.size : 0;
      expect(size).toBeGreaterThan(0);
      expect(result.next_offset).toBeGreaterThan(0);
      expect((result.next_offset ?? text.length) * size).toBeLessThanOrEqual(5_000_000);
    }
  });

  it("lets others have their turn while it searches", async () => {
    let turns = 0;
    const others = setInterval(() => {
      turns += 1;
    }, 0);
    await expand("a".repeat(long), { pattern: "(?:a?){200}[bc]" });
    clearInterval(others);
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it("refuses a pattern of which one look would take too long", async () => {
    const { failure } = await expand("a", { pattern: ".{1000}.{1000}[bc]" });
    expect(failure).toMatchObject({ code: "invalid_input", field: "pattern" });
  });

  it("reads less of the text at once when the pattern is large, and finds all of it from where it stopped", async () => {
    const text = "x".repeat(200_000);
    const { result } = await expand(text, { pattern: "\\w{500}!" });
    expect(result.matches).toEqual([]);
    expect(result.next_offset).toBeGreaterThan(2_000);
    expect(result.next_offset).toBeLessThan(20_000);
    const part = `${"x".repeat(317)}m${"y".repeat(300)}h`;
    const offsets = await searchOn(part.repeat(60), "my{300}h");
    expect(offsets).toEqual(Array.from({ length: 60 }, (_, i) => i * part.length + 317));
    const even = Array.from({ length: 100 }, (_, i) => i * 300);
    expect(await searchOn("y".repeat(30_100), "y{300}")).toEqual(even);
  });

  it("never finds the end of a match again where one search stopped", async () => {
    for (const at of [3_700, 7_700, 11_700]) {
      const text = `${"x".repeat(at)}${"z".repeat(500)}h${"x".repeat(20_000)}`;
      expect(await searchOn(text, "z{1,500}h"), String(at)).toEqual([at]);
    }
  });
});
