import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type KnownSecret, makeRedactor } from "../../core/web/redact-secrets.ts";

const VALUE = "s3cr3t/vä+lue &=\"x'";
const KEY: KnownSecret = { name: "KEY", value: VALUE };
const redactor = makeRedactor([KEY]);

const utf8 = (text: string) => new TextEncoder().encode(text);
const binary = (text: string) => Array.from(utf8(text), (byte) => String.fromCharCode(byte)).join("");
const base64 = (text: string) => btoa(binary(text));
const hex = (text: string) => Array.from(utf8(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
const everyByteEscaped = (text: string) => Array.from(utf8(text), (byte) => `%${byte.toString(16)}`).join("");

const FORMS: readonly (readonly [string, (value: string) => string])[] = [
  ["as it is", (value) => value],
  ["percent-encoded", encodeURIComponent],
  ["percent-encoded with small letters", (value) => encodeURIComponent(value).toLowerCase()],
  ["percent-encoded twice", (value) => encodeURIComponent(encodeURIComponent(value))],
  ["percent-encoded in every byte", everyByteEscaped],
  ["as a form has it", (value) => new URLSearchParams({ v: value }).toString().slice(2)],
  ["as JSON has it", (value) => JSON.stringify(value).slice(1, -1)],
  ["as JSON has it with escaped slashes", (value) => JSON.stringify(value).slice(1, -1).replaceAll("/", "\\/")],
  [
    "as JSON has it in ASCII",
    (value) =>
      Array.from({ length: value.length }, (_, at) => `\\u${value.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
        "",
      ),
  ],
  ["as HTML has it", (value) => value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("'", "&#39;")],
  ["in base64", base64],
  ["in base64 for URLs", (value) => base64(value).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")],
  ["in base64 behind one byte", (value) => base64(`u${value}`)],
  ["in base64 behind two bytes", (value) => base64(`u:${value}`)],
  ["in base64 before others", (value) => base64(`${value}tail`)],
  ["in hex", hex],
  ["in large hex", (value) => hex(value).toUpperCase()],
];

describe("a value of a secret", () => {
  it.each(FORMS)("is taken out of a text %s", (_, write) => {
    const text = `before: ${write(VALUE)} <after>`;
    expect(redactor.text(text)).toBe("before: {{secret.KEY}} <after>");
    expect(redactor.foundIn(text)).toEqual(["KEY"]);
  });

  it.each(FORMS)("is taken out of bytes %s", (_, write) => {
    const bytes = utf8(`{"a":"${write(VALUE)}"}`);
    expect(new TextDecoder().decode(redactor.bytes(bytes))).toBe('{"a":"{{secret.KEY}}"}');
  });

  it("is searched for once in a stretch of base64 that is full of it", () => {
    const echoed = base64(VALUE.repeat(3)).repeat(12_000);
    expect(redactor.text(`[${echoed}]`)).toBe("[{{secret.KEY}}]");
    const apart = `${base64(`u:${VALUE}`)},`.repeat(12_000);
    expect(redactor.text(apart)).toBe("{{secret.KEY}},".repeat(12_000));
  });

  it("is searched for with a bounded work for all secrets together, and what is over it is not shown", () => {
    const many = makeRedactor(
      Array.from({ length: 50 }, (_, at) => ({ name: `K${at}`, value: `${"a".repeat(4_000)}${at}` })),
    );
    expect(many.text("a".repeat(1_000_000))).toMatch(/^\{\{secret\.K\d+\}\}$/);
  });

  it("is taken out in UTF-16 and in Latin-1", () => {
    const units = Array.from({ length: VALUE.length }, (_, at) => VALUE.charCodeAt(at));
    const forms = {
      little: units.flatMap((unit) => [unit & 0xff, unit >> 8]),
      big: units.flatMap((unit) => [unit >> 8, unit & 0xff]),
      latin1: units,
    };
    for (const [name, bytes] of Object.entries(forms)) {
      expect(new TextDecoder().decode(redactor.bytes(Uint8Array.from(bytes))), name).toBe("{{secret.KEY}}");
    }
  });

  it("is taken out everywhere, also side by side, and every secret by its own name", () => {
    const two = makeRedactor([KEY, { name: "LONG", value: `${VALUE}-and-more` }, { name: "PIN", value: "4711" }]);
    expect(two.text(`${VALUE}${VALUE}|${VALUE}-and-more|4711`)).toBe(
      "{{secret.KEY}}{{secret.KEY}}|{{secret.LONG}}|{{secret.PIN}}",
    );
  });

  it("of one character is taken out too", () => {
    expect(makeRedactor([{ name: "X", value: "🦦" }]).text("an otter: 🦦, \\ud83e\\udda6")).toBe(
      "an otter: {{secret.X}}, {{secret.X}}",
    );
  });

  it("leaves a text beyond Latin-1 as it is around it", () => {
    expect(redactor.text(`日本 ${VALUE} 語`)).toBe("日本 {{secret.KEY}} 語");
  });

  it("leaves bytes alone that do not hold it, whatever they are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(redactor.bytes(bytes)).toBe(bytes);
      }),
    );
    expect(redactor.text("s3cr3t")).toBe("s3cr3t");
    expect(makeRedactor([]).text(VALUE)).toBe(VALUE);
  });

  it("is found in each of its forms, whatever the value and what stands around it", () => {
    const value = fc.string({ unit: "grapheme", minLength: 6, maxLength: 40 }).filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(value, fc.constantFrom(...FORMS), (text, [, write]) => {
        fc.pre(utf8(text).length >= 6 && text.trim() === text && !/^[%&\\+]|[\\]/.test(text));
        const given = `<${write(text)}>`;
        expect(makeRedactor([{ name: "X", value: text }]).text(given)).toBe("<{{secret.X}}>");
      }),
      { numRuns: 500 },
    );
  });

  it("that repeats itself does not hold up the search: nothing is shown of a text that takes too long", () => {
    for (const sign of ["\\", "%", "&", "a", "%25"]) {
      const long = makeRedactor([{ name: "X", value: `${sign.repeat(1_000)}x` }]);
      expect(long.text(`${sign.repeat(100_000)}y`), sign).toBe("{{secret.X}}");
    }
  }, 60_000);
});
