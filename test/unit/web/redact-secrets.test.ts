import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ByteAutomaton } from "../../../core/lib/byte-automaton.ts";
import { type KnownSecret, createRedactor, type Redactor } from "../../../core/web/redact-secrets.ts";

const VALUE = "s3cr3t/vä+lue &=\"x'";
const KEY: KnownSecret = { name: "KEY", value: VALUE };
const redactor = createRedactor([KEY]);

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
  it.each(FORMS)("is removed from a text %s", (_, write) => {
    const text = `before: ${write(VALUE)} <after>`;
    expect(redactor.text(text)).toBe("before: {{secret.KEY}} <after>");
    expect(redactor.foundIn(text)).toEqual(["KEY"]);
  });

  it.each(FORMS)("is removed from bytes %s", (_, write) => {
    const bytes = utf8(`{"a":"${write(VALUE)}"}`);
    expect(new TextDecoder().decode(redactor.bytes(bytes))).toBe('{"a":"{{secret.KEY}}"}');
  });

  it("is searched for once in a stretch of base64 that is full of it", () => {
    const echoed = base64(VALUE.repeat(3)).repeat(12_000);
    expect(redactor.text(`[${echoed}]`)).toBe("[{{secret.KEY}}]");
    const apart = `${base64(`u:${VALUE}`)},`.repeat(12_000);
    expect(redactor.text(apart)).toBe("{{secret.KEY}},".repeat(12_000));
  });

  it("is searched for together with all others, also with long common prefixes", () => {
    const many = createRedactor(
      Array.from({ length: 50 }, (_, at) => ({ name: `K${at}`, value: `${"a".repeat(4_000)}${at + 10}` })),
    );
    const text = "a".repeat(1_000_000);
    expect(many.text(text)).toBe(text);
    expect(many.text(`${text}37!`)).toBe(`${text.slice(4_000)}{{secret.K27}}!`);
  });

  it("is removed completely together with another one that it overlaps", () => {
    const two = createRedactor([
      { name: "FIRST", value: "alpha-beta" },
      { name: "SECOND", value: "beta-gamma-delta" },
      { name: "SAME", value: "alpha-beta" },
    ]);
    expect(two.text("<alpha-beta-gamma-delta>")).toBe("<{{secret.FIRST}}{{secret.SECOND}}>");
    expect(two.foundIn("alpha-beta-gamma-delta")).toEqual(["SECOND", "FIRST", "SAME"]);
  });

  it("is found across the end of a slice, and a slice ends before it", () => {
    for (let start = 0; start < 60; start += 1) {
      const whole = utf8(`${"x".repeat(start)}${encodeURIComponent(VALUE)}${"y".repeat(60 - start)}`);
      const { out, rest } = redactor.cut(whole.subarray(0, 80), 45);
      const shown = new TextDecoder().decode(out);
      const others = new TextDecoder().decode(redactor.bytes(Uint8Array.from([...rest, ...whole.subarray(80)])));
      expect([start, shown + others]).toEqual([start, `${"x".repeat(start)}{{secret.KEY}}${"y".repeat(60 - start)}`]);
    }
  });

  it("is removed from UTF-16 and Latin-1", () => {
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

  it("is removed everywhere, also in sequence, and every secret by its own name", () => {
    const two = createRedactor([KEY, { name: "LONG", value: `${VALUE}-and-more` }, { name: "PIN", value: "4711" }]);
    expect(two.text(`${VALUE}${VALUE}|${VALUE}-and-more|4711`)).toBe(
      "{{secret.KEY}}{{secret.KEY}}|{{secret.LONG}}|{{secret.PIN}}",
    );
  });

  it("of one character is removed too", () => {
    expect(createRedactor([{ name: "X", value: "🦦" }]).text("an otter: 🦦, \\ud83e\\udda6")).toBe(
      "an otter: {{secret.X}}, {{secret.X}}",
    );
  });

  it("leaves a text beyond Latin-1 around it unchanged", () => {
    expect(redactor.text(`日本 ${VALUE} 語`)).toBe("日本 {{secret.KEY}} 語");
  });

  it("leaves bytes without it unchanged", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(redactor.bytes(bytes)).toBe(bytes);
      }),
    );
    expect(redactor.text("s3cr3t")).toBe("s3cr3t");
    expect(createRedactor([]).text(VALUE)).toBe(VALUE);
  });

  it("is found in each of its forms, for any value and any text around it", () => {
    const value = fc.string({ unit: "grapheme", minLength: 6, maxLength: 40 }).filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(value, fc.constantFrom(...FORMS), (text, [, write]) => {
        fc.pre(utf8(text).length >= 6 && text.trim() === text && !/^[%&\\+]|[\\]/.test(text));
        const given = `<${write(text)}>`;
        expect(createRedactor([{ name: "X", value: text }]).text(given)).toBe("<{{secret.X}}>");
      }),
      { numRuns: 500 },
    );
  });

  it("with repeats in it is not found where it is incomplete", () => {
    for (const sign of ["%", "&", "a"]) {
      const long = createRedactor([{ name: "X", value: `${sign.repeat(1_000)}x` }]);
      const text = `${sign.repeat(20_000)}y`;
      expect(long.text(text), sign).toBe(text);
    }
  });

  it("removes the full text if it can be decoded in too many ways", () => {
    for (const sign of ["\\", "%25"]) {
      const long = createRedactor([{ name: "X", value: `${sign.repeat(1_000)}x` }]);
      expect(long.text(`${sign.repeat(20_000)}y`), sign).toBe("{{secret.X}}");
      expect(long.foundIn(`${sign.repeat(20_000)}y`), sign).toEqual(["X"]);
    }
  });

  const HOSTILE: readonly (readonly [string, string, string])[] = [
    ["repeats a byte", "a".repeat(500), "a"],
    ["begins again and again", `${"ab".repeat(200)}c`, "ab"],
    ["is written in hex", "0123456789abcdef".repeat(20), "3031323334353637"],
    ["is written in base64", "secret secret".repeat(20), "c2VjcmV0IHNlY3JldH"],
    ["is escaped", "%41".repeat(100), "%2541"],
    ["is UTF-16", "aaaa".repeat(50), "a\0"],
  ];

  it.each(HOSTILE)("that %s takes steps by the text's length, and no more for a hundred others", (_, value, unit) => {
    const secrets = Array.from({ length: 100 }, (_, at) => ({ name: `K${at}`, value: `${value}${at}` }));
    const steps = vi.spyOn(ByteAutomaton.prototype, "next");
    const count = (redactor: Redactor, length: number) => {
      const bytes = utf8(unit.repeat(Math.ceil(length / unit.length)).slice(0, length));
      steps.mockClear();
      redactor.bytes(bytes);
      return steps.mock.calls.length;
    };
    const [one, all] = [createRedactor(secrets.slice(0, 1)), createRedactor(secrets)];
    const [short, long] = [count(all, 5_000), count(all, 20_000)];
    expect(long).toBeLessThanOrEqual(8 * 20_000);
    expect(long).toBeLessThanOrEqual(4.2 * short + 1_000);
    expect(long).toBeLessThanOrEqual(1.5 * count(one, 20_000) + 1_000);
    steps.mockRestore();
  });

  it("takes steps by its length to prepare, next to any others", () => {
    const steps = vi.spyOn(ByteAutomaton.prototype, "next");
    createRedactor(Array.from({ length: 100 }, (_, at) => ({ name: `K${at}`, value: `${"ab".repeat(500)}${at}` })));
    expect(steps.mock.calls.length).toBeLessThanOrEqual(100 * 1_002);
    steps.mockRestore();
  });
});
