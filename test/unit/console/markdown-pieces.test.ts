import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { piecesOf } from "../../../web/src/ui/markdown-pieces.ts";

const paragraph = (length: number): string => `${"word ".repeat(length / 5)}\n\n`;
const line = fc.oneof(
  fc.constantFrom("", "```", "~~~", "- entry", "> quote", "| a | b |", "# Title", "  indented", "1. first"),
  fc.string({ maxLength: 400 }).map((text) => text.replaceAll("\n", " ")),
  fc.nat(30_000).map((length) => "x".repeat(length)),
);
const text = fc.array(line, { maxLength: 60 }).map((lines) => lines.join("\n"));

describe("the pieces of a Markdown text", () => {
  test("are the text when they are joined, and each has a size that a browser takes", () => {
    fc.assert(
      fc.property(text, (given) => {
        const pieces = piecesOf(given);
        expect(pieces.join("")).toBe(given);
        for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(20_000);
      }),
    );
  });

  test.each([19_999, 20_000, 20_001])("have at most 20,000 characters with the end of a line of %i", (length) => {
    const given = `${"x".repeat(length)}\nend`;
    expect(piecesOf(given).join("")).toBe(given);
    expect(Math.max(...piecesOf(given).map((piece) => piece.length))).toBeLessThanOrEqual(20_000);
  });

  test("stay as they are while the text grows, but for the last two", () => {
    fc.assert(
      fc.property(text, fc.nat(), (given, cut) => {
        const before = piecesOf(given.slice(0, cut % (given.length + 1)));
        expect(piecesOf(given).slice(0, Math.max(0, before.length - 2))).toEqual(before.slice(0, -2));
      }),
    );
  });

  test("leave a short text, a list and a block of code in one", () => {
    const list = Array.from({ length: 60 }, (_, at) => `- entry ${at} ${"x".repeat(40)}\n`).join("\n");
    const code = `\`\`\`\n${paragraph(3000)}${paragraph(3000)}\`\`\`\n`;
    for (const whole of ["short", paragraph(1400), list, code]) expect(piecesOf(whole)).toEqual([whole]);
  });

  test("begin where a new paragraph does", () => {
    const pieces = piecesOf(paragraph(2000) + paragraph(2000) + paragraph(100));
    expect(pieces).toEqual([paragraph(2000), paragraph(2000), paragraph(100)]);
  });

  test("are found in a moment, also of a line of megabytes", () => {
    expect(piecesOf("x".repeat(2_000_000)).length).toBe(100);
    expect(piecesOf("")).toEqual([]);
  });
});
