/** Searches for hosts, links, values and copied runs: what they find, and that their work is bounded. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  hasLink,
  hasValue,
  namesHost,
  SearchedText,
  SharedRuns,
  toNormalLink,
} from "../../core/provenance/find-text.ts";

const url = (text: string) => new URL(text);

describe("namesHost", () => {
  test.each<[string, string, boolean]>([
    ["See example.com.", "https://example.com/x", true],
    ["See EXAMPLE.COM/a?b", "https://example.com./", true],
    ["See http://example.com:80/", "https://example.com:443/", true],
    ["See www.example.com", "https://example.com/", true],
    ["请打开example.com看看", "https://example.com/", true],
    ["See example.com:8080/x", "http://example.com:8080/", true],
    ["See example.com:8080/x", "https://example.com/", false],
    ["See example.com", "http://example.com:8080/", false],
    ["See docs.example.com", "https://example.com/", false],
    ["See example.com", "https://docs.example.com/", false],
    ["See example.com.evil.net", "https://example.com/", false],
    ["See example.community", "https://example.com/", false],
    ["See myexample.com", "https://example.com/", false],
    ["Write to ana@example.com", "https://example.com/", false],
    ["See example.com@evil.net", "https://example.com/", false],
    ["See [::1]:8080", "http://[::1]:8080/", true],
  ])("%s — %s: %s", (text, link, named) => {
    expect(namesHost(new SearchedText(text), url(link))).toBe(named);
  });
});

describe("hasLink", () => {
  test.each<[string, string, boolean]>([
    ["(https://a.example/b)", "https://a.example/b", true],
    ["https://a.example/b.", "https://a.example/b", true],
    ["a.example/b and more", "https://a.example/b/", true],
    ['"https:\\/\\/a.example\\/b"', "https://a.example/b", true],
    ["https://a.example/b?x=1&amp;y=2", "https://a.example/b?x=1&y=2", true],
    ["https://a.example/b#part", "https://a.example/b#other", true],
    ["https://a.example/b", "https://a.example/B", false],
    ["https://a.example/b", "https://a.example/b?", true],
    ["https://a.example/b", "https://a.example/b?c", false],
    ["https://a.example/bc", "https://a.example/b", false],
    ["https://a.example/b/c", "https://a.example/b", false],
    ["https://a.example/b?x=1&y=2", "https://a.example/b?y=2&x=1", false],
    ["https://z.a.example/b", "https://a.example/b", false],
    ["https://a.example/b", "https://user@a.example/b", false],
    ["https://a.example:81/b", "https://a.example/b", false],
  ])("%s has %s: %s", (text, link, found) => {
    expect(hasLink(new SearchedText(text), url(link))).toBe(found);
  });

  test("finds what was written into any text, and nothing longer", () => {
    const segment = fc
      .stringMatching(/^[a-z0-9%/=&-]{1,20}$/)
      .filter((text) => URL.canParse(`https://a.example/${text}`));
    fc.assert(
      fc.property(fc.string(), segment, fc.stringMatching(/^[a-z0-9]{1,5}$/), (noise, path, more) => {
        const link = `https://a.example/${path}`;
        const text = new SearchedText(`${noise}\n${link}\n${noise}`);
        expect(hasLink(text, url(link))).toBe(true);
        expect(hasLink(text, url(`${link}${more}`))).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

test("hasValue finds whole words, in any case", () => {
  const text = new SearchedText("Find Ana Reis (id 4711).");
  for (const value of ["ana reis", "4711", "Ana", ""]) expect(hasValue(text, value)).toBe(true);
  for (const value of ["an", "47", "4711.5", "ana  reis"]) expect(hasValue(text, value)).toBe(false);
});

test("shared runs are those that both texts have", () => {
  const alphabet = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 60 });
  fc.assert(
    fc.property(alphabet, alphabet, fc.integer({ min: 1, max: 8 }), (given, record, length) => {
      const runs = new Set<string>();
      for (let at = 0; at + length <= given.length; at += 1) {
        const run = given.slice(at, at + length);
        if (record.includes(run)) runs.add(run);
      }
      const shared = new SharedRuns(new SearchedText(given), length);
      expect(shared.findIn(new SearchedText(record))).toEqual(runs);
    }),
  );
  const compared = String.fromCharCode(...new SearchedText("Hunter2-😀🫠Orange_Éléphant 𠮷!").comparable);
  expect(compared).toBe("hunter2 orange éléphant 𠮷 ");
});

test("a text of decoys costs a bounded number of looks, and hides the link at worst", () => {
  const target = url("https://a.example/last");
  const decoys = Array.from({ length: 20_000 }, (_, index) => `https://a.example/${index}`).join("\n");
  expect(hasLink(new SearchedText(`${decoys}\n${target.href}`), target)).toBe(false);
  expect(hasLink(new SearchedText(`${target.href}\n${decoys}`), target)).toBe(true);
});

test("equal addresses have one normal form", () => {
  expect(toNormalLink(url("http://A.example:80/%7ex/?q=%2f"))).toBe(toNormalLink(url("https://a.example/~x?q=%2F")));
});
