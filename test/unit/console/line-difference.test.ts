import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countChanges, lineDifference } from "../../../web/src/ui/line-difference.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");

describe("the difference of two texts", () => {
  it("is empty for equal texts", () => {
    expect(lineDifference("a\nb\n", "a\nb\n")).toEqual([]);
  });

  it("numbers each line, and omits lines far from a change", () => {
    const before = numbered(20);
    const after = before.replace("line 10\n", "another\nand more\n");
    expect(lineDifference(before, after)).toEqual([
      { kind: "left_out", count: 6 },
      { kind: "same", text: "line 7", before: 7, after: 7 },
      { kind: "same", text: "line 8", before: 8, after: 8 },
      { kind: "same", text: "line 9", before: 9, after: 9 },
      { kind: "removed", text: "line 10", before: 10 },
      { kind: "added", text: "another", after: 10 },
      { kind: "added", text: "and more", after: 11 },
      { kind: "same", text: "line 11", before: 11, after: 12 },
      { kind: "same", text: "line 12", before: 12, after: 13 },
      { kind: "same", text: "line 13", before: 13, after: 14 },
      { kind: "left_out", count: 7 },
    ]);
  });

  it("is given up for texts that have nothing in common and are long", () => {
    const other = numbered(4_000).replaceAll("line", "row");
    expect(lineDifference(numbered(4_000), other)).toBeNull();
  });

  it("accounts for every line of both texts", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "", "c"), { maxLength: 30 })
      .map((lines) => lines.map((one) => `${one}\n`));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDifference(before.join(""), after.join("")) ?? [];
        fc.pre(lines.length > 0 || before.join("") !== after.join(""));
        const same = lines.reduce((sum, line) => {
          return sum + (line.kind === "same" ? 1 : line.kind === "left_out" ? line.count : 0);
        }, 0);
        const { added, removed } = countChanges(lines);
        expect([same + removed, same + added]).toEqual([before.length, after.length]);
      }),
    );
  });
});
