import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashKey, findKeyOwner, createKey, OPERATOR } from "../../../core/tenant/keys.ts";

const TENANT = "ten_01hf3zq5w8abcdefghjkmnpqrs";
const key = createKey(TENANT, new Uint8Array(64).fill(7));

describe("an API key", () => {
  test("names its tenant, or the operator", () => {
    expect(key).toMatch(/^otto_01hf3zq5w8abcdefghjkmnpqrs_[0-9A-Za-z]{38}$/);
    expect(findKeyOwner(key)).toBe(TENANT);
    expect(findKeyOwner(createKey(OPERATOR, randomBytes(64)))).toBe(OPERATOR);
  });

  test("is another one for other random bytes", () => {
    expect(new Set(Array.from({ length: 100 }, () => createKey(TENANT, randomBytes(64)))).size).toBe(100);
  });

  test("is not one any more when a single character is changed", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: key.length - 1 }),
        fc.constantFrom("0", "9", "a", "z", "A", "Z", "_"),
        (at, character) => {
          fc.pre(key[at] !== character);
          expect(findKeyOwner(key.slice(0, at) + character + key.slice(at + 1))).toBeNull();
        },
      ),
    );
  });

  test.each([
    "",
    "otto_",
    "Bearer x",
    `${key} `,
    `${key}\n`,
    key.slice(0, -1),
    `${key}0`,
    key.toUpperCase(),
    "x".repeat(5000),
  ])("is not %j", (text) => {
    expect(findKeyOwner(text)).toBeNull();
  });

  test("wants enough random bytes", () => {
    expect(() => createKey(TENANT, new Uint8Array(8))).toThrow(RangeError);
    expect(() => createKey(TENANT, new Uint8Array(96).fill(255))).toThrow(RangeError);
  });

  test("is stored as its SHA-256", async () => {
    expect(await hashKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});
