import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PART_UNITS, splitText } from "../../../core/base/text-parts.ts";

describe("a text in parts", () => {
  test("is one part while a row holds it", () => {
    for (const text of ["", "a", "x".repeat(PART_UNITS)]) expect(splitText(text)).toEqual([text]);
    expect(splitText("x".repeat(PART_UNITS + 1))).toHaveLength(2);
  });

  test("is the same when joined, and each part is within the limit and splits no character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.integer({ min: 2, max: 9 }), (text, maxUnits) => {
        const parts = splitText(text, maxUnits);
        expect(parts.join("")).toBe(text);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(maxUnits);
          expect(part.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  test("has parts of at most three quarters of a row, in UTF-8", () => {
    const bytes = new TextEncoder().encode("\u{ffff}".repeat(PART_UNITS)).length;
    expect(bytes).toBeLessThanOrEqual(0.75 * 2_000_000);
  });
});
