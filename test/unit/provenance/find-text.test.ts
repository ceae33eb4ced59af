/** Searches for hosts, links, values and copied runs find the right places with bounded work. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findValue,
  hasHeader,
  hasLink,
  mayHaveLink,
  namesHost,
  namesTool,
  SearchedText,
  toNormalLink,
} from "../../../core/provenance/find-text.ts";
import { foldText, SharedRuns } from "../../../core/provenance/shared-runs.ts";

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
    ["Write report.md", "https://report.md/", false],
    ["Write project/REPORT.md.", "https://report.md/", false],
    ["Write www.report.md", "https://report.md/", true],
    ["Write https://report.md/x", "https://report.md/", true],
    ["See http:\\/\\/report.md\\/x", "https://report.md/", true],
    ["See //report.md", "https://report.md/", false],
    ["Run deploy.sh, main.rs:80 and data.zip", "https://deploy.sh/", false],
    ["Run deploy.sh, main.rs:80 and data.zip", "https://main.rs/", false],
    ["Run deploy.sh, main.rs:80 and data.zip", "https://data.zip/", false],
    ["Print user.id", "https://user.id/", false],
    ["Write [report.md](http://report.md)", "https://report.md/", false],
    ["Write report.md (http://report.md)", "https://report.md/", false],
    ["Write report.md <http://report.md/>", "https://report.md/", false],
    ["Read [the site](http://report.md)", "https://report.md/", true],
    ["Schreib überblick.md", "https://xn--berblick-55a.md/", false],
    ["Lies https://überblick.md", "https://xn--berblick-55a.md/", true],
  ])("%s — %s: %s", (text, link, named) => {
    expect(namesHost(new SearchedText(text), url(link))).toBe(named);
  });

  test.each<[string, boolean]>([
    ["https://second.example/a", true],
    ["https://www.second.example", true],
    ["https://bücher.example/", true],
    ["second.example", false],
    ["www.second.example", false],
    ["bücher.example", false],
  ])("as a link: %s — %s", (text, named) => {
    const link = text.includes("ü") ? "https://xn--bcher-kva.example/" : "https://second.example/";
    expect(namesHost(new SearchedText(text), url(link), { asLink: true })).toBe(named);
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

  test("finds a link in any text, and no longer link", () => {
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

test("findValue finds full words, and reports whether their case matches", () => {
  const text = new SearchedText("Find Ana Reis (id 4711).");
  for (const value of ["Ana Reis", "4711", "Ana", "id 4711"]) expect(findValue(text, value), value).toBe("exact");
  for (const value of ["ana reis", "ANA"]) expect(findValue(text, value), value).toBe("folded");
  for (const value of ["an", "47", "4711.5", "Ana  Reis", " Ana", ""]) expect(findValue(text, value), value).toBeNull();
  const many = new SearchedText(`${"20 ".repeat(20_000)} page 2`);
  expect(findValue(many, "2")).toBe("exact");
});

describe("hasHeader", () => {
  test.each<[string, string, string, boolean]>([
    ["Send X-Mode: full with it.", "x-mode", "full", true],
    ['{"X-Mode": "full"}', "X-Mode", "full", true],
    ["`x-mode`: `full`", "x-mode", "full", true],
    ["x-mode = a b", "x-mode", "a b", true],
    ["x-mode: full", "x-mode", "FULL", false],
    ["x-mode: full", "mode", "full", false],
    ["x-mode: fuller", "x-mode", "full", false],
    ["x-mode and full", "x-mode", "full", false],
    ["full: x-mode", "x-mode", "full", false],
    ["x-mode:", "x-mode", "", false],
  ])("%s states %s: %s — %s", (text, name, value, stated) => {
    expect(hasHeader(new SearchedText(text), name, value)).toBe(stated);
  });
});

describe("namesTool", () => {
  test.each<[string, string, boolean]>([
    ["Call crm_find now.", "crm_find", true],
    ["Call weather_now.", "weather.now", true],
    ["Call crm_finder.", "crm_find", false],
    ["Look in `notes`.", "notes", true],
    ["Find it in Notes.", "notes", true],
    ["Look in GitHub, then in Linear.", "linear", true],
    ["Use linear.", "linear", true],
    ["Search via linear", "linear", true],
    ["Ask the notes server.", "notes", true],
    ["Ask the MCP server notes.", "notes", true],
    ["用 Linear 查。", "linear", true],
    ["Save a note in my notes.", "notes", false],
    ["Notes are below.", "notes", false],
    ["It rained. Notes follow.", "notes", false],
    ["Do not misuse notes", "notes", false],
    ["Reuse notes", "notes", false],
    ["footnotes and notes-app", "notes", false],
    ['{"notes": 1}', "notes", false],
  ])("%s — %s: %s", (text, name, named) => {
    expect(namesTool(new SearchedText(text), name)).toBe(named);
  });
});

test("every character keeps its position in a folded text", () => {
  for (let point = 0; point < 0x11_0000; point += 1) {
    const character = String.fromCodePoint(point);
    if (foldText(character).length !== character.length) expect.fail(`U+${point.toString(16)}`);
  }
  expect(foldText("İSTANBUL, Ana")).toBe("İstanbul, ana");
  const text = new SearchedText(`${"İ".repeat(50)} https://a.example/b, evil.com`);
  expect(hasLink(text, url("https://a.example/b"))).toBe(true);
  expect(namesHost(new SearchedText("evİl.example"), url("https://evil.example/"))).toBe(false);
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

describe("a text of very many links", () => {
  const target = url("https://a.example/last/?b=c&d");
  const many = (path: (index: number) => string) =>
    Array.from({ length: 20_000 }, (_, index) => `https://a.example${path(index)}`).join("\n");

  test("has the last of them, in each usual spelling", () => {
    const links = many((index) => `/${index}`);
    for (const spelling of [target.href, target.href.replace("&", "&amp;"), target.href.replaceAll("/", "\\/")])
      expect(hasLink(new SearchedText(`${links}\n${spelling}`), target), spelling).toBe(true);
    expect(
      hasLink(new SearchedText(`${many((index) => `/p/${index}`)} a.example:443/p/ `), url("https://a.example/p")),
    ).toBe(true);
  });

  test("costs a bounded number of looks, and hides a link behind those that look like it at worst", () => {
    const decoys = many((index) => `/last/?b=c&d.${index}`);
    expect(hasLink(new SearchedText(`${decoys}\n${target.href}`), target)).toBe(false);
    expect(hasLink(new SearchedText(`${target.href}\n${decoys}`), target)).toBe(true);
  });

  test("may have any of them, where that speaks against a call", () => {
    expect(mayHaveLink(new SearchedText(many((index) => `/${index}`)), target)).toBe(true);
    expect(mayHaveLink(new SearchedText("https://a.example/%6cast?b=c&d"), target)).toBe(true);
    expect(mayHaveLink(new SearchedText("https://a.example/first"), target)).toBe(false);
  });
});

test("which characters of a link are encoded is no choice of the caller", () => {
  const text = new SearchedText("https://a.example/%7eab%2f?q=%41");
  for (const same of [
    "https://a.example/%7eab%2f?q=%41",
    "https://a.example/~ab%2F?q=A",
    "http://a.example/~ab%2F/?q=A",
  ])
    expect(hasLink(text, url(same)), same).toBe(true);
  for (const other of [
    "https://a.example/%7Eab%2f?q=%41",
    "https://a.example/~%61b%2F?q=A",
    "https://a.example/~ab%2f?q=A",
  ])
    expect(hasLink(text, url(other)), other).toBe(false);
});

test("equal addresses have one normal form", () => {
  expect(toNormalLink(url("http://A.example:80/%7ex/?q=%2f"))).toBe(toNormalLink(url("https://a.example/~x?q=%2F")));
});
