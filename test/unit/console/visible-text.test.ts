import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hiddenNames, honestProse, revealHidden, visibleText } from "../../../web/src/ui/visible-text.ts";

const HIDDEN: readonly (readonly [what: string, text: string, name: string])[] = [
  ["a turn of direction", "pay \u202e001 to Eve", "U+202E right-to-left override"],
  ["an isolate", "a\u2066b", "U+2066 left-to-right isolate"],
  ["a space of no width", "pass\u200bword", "U+200B zero-width space"],
  ["a tag that spells text nobody sees", "hi\u{e0041}", "U+E0041"],
  ["a variation selector that carries a byte", "hi\u{e0101}", "U+E0101"],
  ["a filler that looks like nothing", "a\u3164b", "U+3164"],
  ["a space that is no plain one", "rm\u00a0-rf", "U+00A0 no-break space"],
  ["a control character", "a\u0007b", "U+0007"],
  ["half of a surrogate pair", "a\ud83db", "U+D83D"],
  ["a carriage return", "a\r\nb", "U+000D"],
  ["a joiner between letters", "a\u200db", "U+200D zero-width joiner"],
];

describe("the hidden characters of a text", () => {
  it.each(HIDDEN)("names %s", (_what, text, name) => {
    expect(hiddenNames(text)).toEqual([name]);
  });

  it.each(["plain", "two\nlines\tand a tab", "שלום", "สวัสดี", "❤️ 👍🏽 👩‍💻 👨‍👩‍👧", "naïve – “quoted”"])(
    "finds no deceptive character in %j",
    (text) => {
      expect(hiddenNames(text)).toEqual([]);
    },
  );

  it("leaves out nothing and adds nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(
          revealHidden(text)
            .map((piece) => piece.text)
            .join(""),
        ).toBe(text);
      }),
    );
  });
});

it("marks without end upon one letter are counted, and those that writing knows stay", () => {
  const family = "👨🏽\u200d👩🏽\u200d👧🏽\u200d👦🏽";
  for (const text of [family, "e\u0301a\u0323\u0302", "नमस्ते"]) expect(honestProse(text)).toBe(text);
  expect(honestProse(`👍${"🏽".repeat(5_000)}!`)).toBe("👍⟨5000 marks on one letter⟩!");
  expect(honestProse(`👨${"\u200d👨".repeat(1_000)}`)).toBe("👨⟨2000 marks on one letter⟩");
  expect(visibleText(`a${"\u0301".repeat(100)}`)).toBe("a⟨100 marks on one letter⟩");
});
