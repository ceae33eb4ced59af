import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutPage, readCursor, writeCursor } from "../../../core/base/page-cursor.ts";

describe("a cursor", () => {
  test("is read as it was written", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8.64e15 }), fc.stringMatching(/^[a-z0-9_]{1,60}$/), (at, id) => {
        expect(readCursor(writeCursor({ at, id }))).toEqual({ at, id });
      }),
    );
  });

  test.each([
    "",
    "x",
    "!!!!",
    "AAAA",
    btoa("12"),
    btoa("x y").replaceAll("=", ""),
    btoa("1.5 a").replaceAll("=", ""),
    btoa("99999999999999999 a").replaceAll("=", ""),
    btoa("1 a'b").replaceAll("=", ""),
    btoa("1 \u0000").replaceAll("=", ""),
    "a".repeat(500),
  ])("is not %j", (text) => {
    expect(readCursor(text)).toBeNull();
  });

  test("of any text is a position or null, and never an error", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const place = readCursor(text);
        expect(place === null || Number.isSafeInteger(place.at)).toBe(true);
      }),
    );
  });
});

describe("a page", () => {
  const placeOf = (id: string) => ({ at: 1, id });

  test("continues after its last item when there is one more", () => {
    expect(cutPage(["a", "b", "c"], 2, placeOf)).toEqual({ items: ["a", "b"], next: { at: 1, id: "b" } });
  });

  test.each([[["a", "b"]], [["a"]], [[]]])("ends with %j when two were requested", (rows) => {
    expect(cutPage<string>(rows, 2, placeOf).next).toBeNull();
  });
});
