import { describe, expect, it } from "vitest";
import type { Document } from "../../../web/src/api/types.generated.ts";
import {
  describeContents,
  describePieces,
  explainWarning,
  findLosses,
  isEmpty,
} from "../../../web/src/pages/documents/document-words.ts";

describe("a warning of a document", () => {
  it("is said in words by its code, as the server writes it", () => {
    const words = "Formulas of this format are not read, so a search for formulas does not find them.";
    expect(explainWarning("formulas_not_read: The formulas of this format are not read.")).toBe(words);
    expect(explainWarning("formulas_not_read")).toBe(words);
  });

  it("stays as it is without a known code", () => {
    expect(explainWarning("3 pages are pictures: nothing in them is read.")).toBe(
      "3 pages are pictures: nothing in them is read.",
    );
  });
});

describe("what a search finds in a document", () => {
  it.each([
    [{ text: 0, table: 0, formula: 0, image: 0 }, null],
    [{ text: 1, table: 2, formula: 1, image: 0 }, "1 passage, 2 tables, 1 formula"],
    [{ text: 1_200, table: 0, formula: 0, image: 3 }, "1,200 passages, 3 pictures"],
  ])("%o", (pieces, words) => {
    expect(describePieces(pieces)).toBe(words);
  });
});

const NONE = { text: 0, table: 0, formula: 0, image: 0 };

it.each([
  ["reading", null, NONE, null],
  ["failed", null, NONE, null],
  ["ready", 1, NONE, "Nothing"],
  ["reading", 1, { ...NONE, text: 1 }, "1 passage"],
] as const)("a list says what was found only in a document that was read: %s", (status, shown, pieces, words) => {
  expect(describeContents({ status, shown_version: shown, pieces } as unknown as Document)).toBe(words);
  expect(isEmpty({ status, pieces })).toBe(words === "Nothing");
});

it("a format without formulas is no loss of a document", () => {
  const formulas = "formulas_not_read: The formulas of this format are not read.";
  expect(findLosses([formulas])).toEqual([]);
  expect(findLosses(["3 pages are pictures.", formulas])).toEqual(["3 pages are pictures."]);
});
