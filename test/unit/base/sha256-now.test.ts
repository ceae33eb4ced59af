import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256HexSync } from "../../../core/base/sha256-sync.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";

test("a SHA-256 without waiting is the native one", async () => {
  const lengths = [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000].map((length) => "a".repeat(length));
  for (const text of [...lengths, "ü€😀"]) expect(sha256HexSync(text)).toBe(await sha256Hex(text));
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 200 }), async (text) => {
      expect(sha256HexSync(text)).toBe(await sha256Hex(text));
    }),
  );
});
