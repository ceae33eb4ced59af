import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it, vi } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import grep from "../../../tools/files/grep.ts";
import { compileLinePattern, findLines, SearchTime } from "../../../tools/files/line-search.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { freeWork } from "../../fakes/work-meter.ts";
import { runTool } from "../run-tool.ts";

describe("slow patterns", () => {
  const PATTERNS = [
    "(a+)+$",
    "(a*)*b",
    "(a|aa)+$",
    "(a|a?)+$",
    "([a-z]+)*\\d",
    "(.*a){30}$",
    "(\\w+\\s?)*$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(?:a?){100}a{100}$",
    "\\b(a|b|ab)*c\\b",
    "[ab]*a[ab]{400}c",
    "(x+x+)+y",
    "\\pL{1000}".repeat(50),
    "a{1000}".repeat(70),
    "((((a{30}){30})))".repeat(29),
  ];

  it.each(PATTERNS.map((pattern) => [pattern.slice(0, 40), pattern]))(
    "%s … is answered, or refused",
    async (_, pattern) => {
      const files = fakeFiles();
      const evil = new TextEncoder().encode(`${"a".repeat(30_000)}!\n${"ab".repeat(20_000)}\n${"x".repeat(30_000)}\n`);
      await files.write("evil.txt", evil, { key: "evil" });
      const { result, failure } = await runTool(grep, { pattern, timeout_ms: 300 }, { files });
      if (failure === undefined) expect(result).toMatchObject({ total_matches: expect.any(Number) });
      else expect(failure).toMatchObject({ code: "invalid_input", field: "pattern" });
    },
  );

  it.each([
    "\\pL{1000}".repeat(50),
    "(a{1000}){3}",
    "((a{30}){30}){30}",
    "[^x{2}]{1000}[a]{1001}",
    "(?:\\x{41}|b){900,1000}c{999}",
    "\\p{Greek}{1000}".repeat(3),
  ])("that would be large once their repeats are written out are never compiled: %s", (pattern) => {
    const compiling = vi.spyOn(RE2JS, "compile");
    const refused = compileLinePattern(pattern, true, linearPatterns);
    expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining("too large") } });
    expect(compiling).not.toHaveBeenCalled();
    compiling.mockRestore();
  });

  it.each(["a{2}", "x{0,100}", "[{]{3}", "\\{1000\\}", "{1000}", "a{,1000}", "[]a]{500}", "\\pL{1000}", ")))((("])(
    "that stay small are left to the compiler: %s",
    (pattern) => {
      const compiled = compileLinePattern(pattern, true, linearPatterns);
      expect(compiled.ok || !compiled.error.message.includes("too large")).toBe(true);
    },
  );

  it("yield to others, and stop after their time", async () => {
    const compiled = compileLinePattern("[ab]*a[ab]{100}c", true, linearPatterns);
    if (!compiled.ok) throw new Error(compiled.error.message);
    const text = `${"ab".repeat(40)}\n`.repeat(2_000);
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 0);
    const whole = await findLines(text, compiled.value, 10, new SearchTime(() => false, freeWork.giveWay));
    expect([whole.isCut, turns > 3]).toEqual([false, true]);
    const cut = await findLines(text, compiled.value, 10, new SearchTime(() => turns > 6, freeWork.giveWay));
    clearInterval(ticking);
    expect(cut.isCut).toBe(true);
  });
});

describe("the lines of a text", () => {
  const lines = async (text: string, pattern: string, isCaseSensitive = true, most = 1_000) => {
    const compiled = compileLinePattern(pattern, isCaseSensitive, linearPatterns);
    if (!compiled.ok) throw new Error(compiled.error.message);
    const { lines: matching } = await findLines(
      text,
      compiled.value,
      most,
      new SearchTime(() => false, freeWork.giveWay),
    );
    return matching.map(({ number }) => number);
  };

  it.each([
    ["", "x*", []],
    ["\n", "^$", [1]],
    ["a", "^$", []],
    ["a\n\nb\n", "^$", [2]],
    ["a\n\n", "^$", [2]],
    ["a\nb", "b$", [2]],
    ["a\nb\n", "^b", [2]],
    ["ab\ncd", "b.c", []],
    ["ab\ncd", "b[^x]c", []],
    ["ab\ncd", "b\\s*c", []],
    ["ab\ncd", "(?s)b.c", []],
    ["a\nb\nc", "\\Ab", [2]],
    ["a\nb\nc", "b\\z", [2]],
    ["a\nb\nc", "(?-m)^b$", [2]],
    ["a\r\nb\r\n", "a$", [1]],
    ["a\r\nb\r\n", "^b$", [2]],
    ["x\ny\nx", "x*", [1, 2, 3]],
    ["\uFEFFa", "^\uFEFFa", [1]],
  ])("of %j that match %j are %j", async (text, pattern, expected) => {
    expect(await lines(text, pattern)).toEqual(expected);
  });

  it("are those that match one by one, for any text and many patterns", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", " ", "é", "\r\n"), maxLength: 60 });
    const pattern = fc.constantFrom(
      "a",
      "^a",
      "b$",
      "a b",
      "^$",
      "a*",
      "[^a]b",
      "\\ba",
      "a|é",
      "(ab)+$",
      "\\s",
      "\\Aa",
    );
    await fc.assert(
      fc.asyncProperty(text, pattern, async (whole, source) => {
        const compiled = compileLinePattern(source, true, linearPatterns);
        if (!compiled.ok) throw new Error(compiled.error.message);
        const split = whole.replaceAll("\r\n", "\n").split("\n");
        const all = split.at(-1) === "" ? split.slice(0, -1) : split;
        const expected = all.flatMap((line, index) => (compiled.value.compiled.test(line) ? [index + 1] : []));
        expect(await lines(whole, source)).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it("are found in texts of many chunks, and in lines that are longer than one", async () => {
    const filler = "some words on a line\n";
    const text = `${filler.repeat(9_000)}needle\n${filler.repeat(9_000)}needle`;
    expect(await lines(text, "^needle$")).toEqual([9_001, 18_002]);
    const long = `${"a".repeat(120_000)}needle${"b".repeat(120_000)}`;
    expect(await lines(`x\n${long}\nneedle`, "needle")).toEqual([2, 3]);
    expect(await lines(`x\n${long}\nneedle`, "^needle")).toEqual([3]);
    expect(await lines(`x\n${long}\nneedle`, "needle$")).toEqual([3]);
    expect(await lines(long, "\\bneedle")).toEqual([]);
    expect(await lines(long, "b$")).toEqual([1]);
    expect(await lines(long, "^a+needle")).toEqual([1]);
    expect(await lines(long, "needleb*$")).toEqual([1]);
  });
});
