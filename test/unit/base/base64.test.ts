import fc from "fast-check";
import { expect, test } from "vitest";
import { fromBase64, fromBase64Url, readBase64, toBase64, toBase64Url } from "../../../core/base/base64.ts";

const LARGE = Uint8Array.from({ length: 20_000 }, (_, index) => index % 251);

test("bytes are written as Node writes them, however many there are, and decode unchanged", () => {
  const any = fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
    expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString("base64url"));
    expect([...fromBase64(toBase64(bytes))]).toEqual([...bytes]);
    expect([...fromBase64Url(toBase64Url(bytes))]).toEqual([...bytes]);
  });
  fc.assert(any);
  expect(toBase64(LARGE)).toBe(Buffer.from(LARGE).toString("base64"));
});

test("text that is no base64 is no bytes", () => {
  expect(readBase64("aGk=")).toEqual(new TextEncoder().encode("hi"));
  for (const text of ["a", "!", "aGk=="]) expect(readBase64(text)).toBeNull();
  expect(() => fromBase64Url("a")).toThrow("encoded");
});
