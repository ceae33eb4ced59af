import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";

/** Whether the pattern matches, as the engine says; a refusal is null. */
function matches(source: string, text: string): boolean | null {
  const compiled = linearPatterns.compile(source);
  return compiled.ok ? compiled.value.test(text) : null;
}

/** Spaces, line ends, and their neighbours beyond Latin. */
const LATER_POINTS = [
  0x167f, 0x1680, 0x1681, 0x180e, 0x1fff, 0x2000, 0x200a, 0x200b, 0x2027, 0x2028, 0x2029, 0x202a, 0x202f, 0x2030,
  0x205f, 0x2060, 0x2fff, 0x3000, 0x3001, 0xfefe, 0xfeff, 0xff00, 0xffff, 0x10000, 0x1f600, 0x10ffff,
];

describe("a pattern", () => {
  const pieces = [
    ..."abAZ09 _-é€".split(""),
    "\u2028",
    ".",
    "\\d",
    "\\D",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "\\.",
    "\\/",
    "\\u0061",
    "\\u{e9}",
    "\\ud83d\\ude00",
    "\\x62",
    "\\t",
    "\\cJ",
    "\\p{L}",
    "\\p{Lu}",
    "\\P{Letter}",
    "[a-c]",
    "[^a-c]",
    "[\\s\\d]",
    "[\\S]",
    "[^\\w.]",
    "[[a]",
    "[^]",
    "[]",
    "[\\b]",
    "😀",
    "[😀a]",
  ];
  const piece = fc.constantFrom(...pieces);
  const pattern = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { depthSize: "small" },
      piece,
      fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => a + b),
      fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(?:${a}|${b})`),
      fc
        .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"))
        .map(([inside, times]) => `(${inside})${times}`),
      tie("pattern").map((inside) => `^${inside}`),
      tie("pattern").map((inside) => `${inside}$`),
      tie("pattern").map((inside) => `(?<name>\\b|${inside})`),
    ),
  })).pattern;
  const text = fc.string({
    unit: fc.constantFrom(...Array.from("abcAZ09 _-.é€\n\r\t\b/["), "\u2028", "\u00a0", "\ufeff", "😀"),
    maxLength: 8,
  });

  it("takes the characters that JavaScript takes, one by one", () => {
    const points = [...Array.from({ length: 0x300 }, (_, point) => point), ...LATER_POINTS];
    for (const source of pieces) {
      const expected = new RegExp(`^${source}$`, "u");
      const compiled = linearPatterns.compile(`^${source}$`);
      expect([source, compiled.ok]).toEqual([source, true]);
      const different = points.filter((point) => {
        const character = String.fromCodePoint(point);
        return compiled.ok && compiled.value.test(character) !== expected.test(character);
      });
      expect([source, different]).toEqual([source, []]);
    }
  });

  it("answers as JavaScript does with the flag u", () => {
    fc.assert(
      fc.property(pattern, text, (source, tried) => {
        let expected: boolean;
        try {
          expected = new RegExp(source, "u").test(tried);
        } catch {
          return;
        }
        expect([source, tried, matches(source, tried)]).toEqual([source, tried, expected]);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    "(?=a)",
    "(?!a)",
    "(?<=a)",
    "(?<!a)",
    "(a)\\1",
    "(?<n>a)\\k<n>",
    "a{1001}",
    "(a{100}){100}",
    "(",
    "[a",
    "a**",
    "\\Qa",
    "\\u{110000}",
    "[b-a]",
    "\\p{Nothing}",
    "x".repeat(1_001),
  ])("%j is refused", (source) => {
    expect(linearPatterns.compile(source)).toMatchObject({ ok: false, error: { code: "invalid_input" } });
  });

  it.each(["^(a+)+$", "^(a|aa)+$", "^(.*a){20}$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "^\\s+|\\s+$"])(
    "%j takes time by the length of the text",
    (source) => {
      expect(matches(source, `${"a".repeat(5_000)}!`)).toBe(false);
    },
  );

  it("never throws", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from("\\[](){}^$.*+?|-:<>=!pPuxckdbsw019aZé😀")) }),
        (source) => {
          expect(typeof linearPatterns.compile(source).ok).toBe("boolean");
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
