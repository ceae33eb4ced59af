import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fnmatch, matchesOneOf } from "../../../core/lib/fnmatch.ts";
import recorded from "../__fixtures__/fnmatch.json" with { type: "json" };

describe("fnmatch", () => {
  it("answers as CPython does, in every recorded case", () => {
    const rows = recorded as [name: string, pattern: string, answer: boolean][];
    expect(rows.length).toBeGreaterThan(7_000);
    expect(rows.filter(([name, pattern, answer]) => fnmatch(name, pattern) !== answer)).toEqual([]);
  });

  it.each([
    ["composio_gmail_send", "composio_*", true],
    ["a/b/c.txt", "*.txt", true],
    [".env", "*", true],
    ["Read_file", "read_*", false],
    ["a", "[!b]", true],
    ["a]", "a]", true],
    ["[abc", "[abc", true],
    ["a", "{a,b}", false],
    ["{a,b}", "{a,b}", true],
    ["😀", "?", true],
    ["a\nb", "a*b", true],
  ])("fnmatch(%j, %j) is %j", (name, pattern, answer) => {
    expect(fnmatch(name, pattern)).toBe(answer);
  });

  it("matches every name with a star, and a name without special characters with itself only", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (name, other) => {
        expect(fnmatch(name, "*")).toBe(true);
        const plain = name.replace(/[*?[]/g, "");
        expect(fnmatch(plain, plain)).toBe(true);
        expect(fnmatch(other, plain)).toBe(other === plain);
      }),
    );
  });

  it("takes any text as a pattern", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from("*?[]!-^ab\\")) }), fc.string(), (pattern, name) => {
        expect(typeof fnmatch(name, pattern)).toBe("boolean");
      }),
    );
  });

  it("steps through a pattern of stars in a number of steps that grows with the product of the lengths", () => {
    const pattern = `${"*a".repeat(100)}b`;
    expect(fnmatch("a".repeat(5_000), pattern)).toBe(false);
    expect(fnmatch(`${"a".repeat(5_000)}b`, pattern)).toBe(true);
  });

  it("finds a match of a pattern in a list, at every call", () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from("*?[]!-ab")), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), fc.array(text, { maxLength: 5 }), (patterns, names) => {
        for (const name of [...names, ...patterns])
          expect(matchesOneOf(name, patterns)).toBe(patterns.some((pattern) => fnmatch(name, pattern)));
      }),
    );
  });

  it("reads a list once for as many names as there are", () => {
    const patterns = Array.from({ length: 200 }, (_, index) => `*${"ab*".repeat(50)}${index}`);
    const names = Array.from({ length: 3_000 }, (_, index) => `server_tool_${index}`);
    expect(names.filter((name) => matchesOneOf(name, patterns))).toEqual([]);
  });
});
