import { describe, expect, it } from "vitest";
import { fillReferences, findReferencedNames } from "../../../core/web/secret-references.ts";

describe("references to secrets", () => {
  it.each([
    ["Bearer {{secret.TOKEN}}", ["TOKEN"]],
    ["{{secret.A}} and {{ secret.B_2 }} and {{secret.A}}", ["A", "B_2"]],
    ["?key=%7B%7Bsecret.KEY%7D%7D&b=%7b%7b+secret.B%20%7d%7d", ["KEY", "B"]],
    ["{{secret.mistyped-name}}", ["mistyped-name"]],
    ["{{secret.}} {{secrets.A}} {secret.A} {{secret A}} secret.A", []],
    ["", []],
  ])("in %j are to %j", (text, names) => {
    expect(findReferencedNames(text)).toEqual(names);
  });

  const value = 'a "b" & c/d?é';
  it.each([
    ["header", "Bearer {{secret.X}}", `Bearer ${value}`],
    ["text", "{{secret.X}}", value],
    ["url", "/v1/{{secret.X}}/x", "/v1/a%20%22b%22%20%26%20c%2Fd%3F%C3%A9/x"],
    ["url", "/v1/%7B%7Bsecret.X%7D%7D", "/v1/a%20%22b%22%20%26%20c%2Fd%3F%C3%A9"],
    ["form", "k=%7B%7Bsecret.X%7D%7D", "k=a%20%22b%22%20%26%20c%2Fd%3F%C3%A9"],
    ["json", '{"k":"{{secret.X}}"}', '{"k":"a \\"b\\" & c/d?é"}'],
  ] as const)("in a %s are filled in so that the value stays one value: %s", (place, text, filled) => {
    expect(fillReferences(text, place, 1_000, () => value)).toBe(filled);
  });

  it("in a value are text: nothing is filled in twice", () => {
    expect(fillReferences("{{secret.X}}", "text", 100, (name) => (name === "X" ? "{{secret.Y}}" : "leaked"))).toBe(
      "{{secret.Y}}",
    );
    expect(fillReferences("{{secret.X}}", "text", 100, () => "%7B%7Bsecret.Y%7D%7D $& $1")).toBe(
      "%7B%7Bsecret.Y%7D%7D $& $1",
    );
  });

  it("that would make a text too long are not filled in", () => {
    expect(fillReferences("{{secret.X}}{{secret.X}}", "text", 24, () => "123456789012")).toBe("123456789012".repeat(2));
    expect(fillReferences("{{secret.X}}{{secret.X}}", "text", 24, () => "1234567890123")).toBeNull();
    expect(fillReferences("{{secret.X}}".repeat(80_000), "json", 4_000_000, () => '"'.repeat(4_096))).toBeNull();
    expect(fillReferences("{{secret.X}}", "text", 4, () => "1234")).toBe("1234");
  });
});
