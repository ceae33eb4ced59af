/** Which bytes are a logo, and how one is fetched. */
import { describe, expect, test } from "vitest";
import { fetchLogo } from "../../../adapters/apps/fetch-logo.ts";
import { findLogoType, formatLogos, MAX_LOGO_BYTES, parseLogos } from "../../../core/apps/logo.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { WebRequest, WebResponse } from "../../../core/ports/web.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>';

describe("bytes", () => {
  test.each([
    ["image/png", latin1("\x89PNG\r\n\x1a\nrest")],
    ["image/jpeg", latin1("\xff\xd8\xff\xe0rest")],
    ["image/gif", latin1("GIF87arest")],
    ["image/gif", latin1("GIF89arest")],
    ["image/webp", latin1("RIFF\x10\0\0\0WEBPVP8 ")],
    ["image/svg+xml", utf8(SVG)],
    ["image/svg+xml", utf8(`\ufeff \n<?xml version="1.0"?>\n<!-- a --> <!-- <html> -->\n${SVG}`)],
    ["image/svg+xml", utf8(`<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">${SVG}`)],
    ["image/svg+xml", utf8("<svg/>")],
  ])("of %s are known by their beginning: %#", (type, bytes) => {
    expect(findLogoType(bytes)).toBe(type);
  });

  test.each([
    ["nothing", new Uint8Array()],
    ["a page", utf8("<!doctype html><svg></svg>")],
    ["a page without a type", utf8("<html><svg></svg></html>")],
    ["text before the picture", utf8(`hello ${SVG}`)],
    ["a comment without an end", utf8(`<!-- ${SVG}`)],
    ["another element", utf8("<svgx></svgx>")],
    ["entities of its own", utf8(`<!DOCTYPE svg [<!ENTITY a "aa">]>${SVG}`)],
    ["sound in the same container", latin1("RIFF\x10\0\0\0WAVEfmt ")],
    ["a cut signature", latin1("\x89PNG")],
    [
      "another encoding",
      Uint8Array.from(SVG, (character) => character.charCodeAt(0)).map((byte, at) => (at === 30 ? 0xff : byte)),
    ],
    ["a program", latin1("MZ\x90\0")],
  ])("of %s are no picture", (_what, bytes) => {
    expect(findLogoType(bytes)).toBeNull();
  });

  test("with many comments are judged at once", () => {
    const startedAt = performance.now();
    expect(findLogoType(utf8("<!---->".repeat(9_000)))).toBeNull();
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});

describe("a logo", () => {
  let sent: WebRequest | null = null;
  const web = (reply: Partial<WebResponse> | Result<never>) => ({
    request: (request: WebRequest): Promise<Result<WebResponse>> => {
      sent = request;
      if ("ok" in reply) return Promise.resolve(reply);
      const usual = { status: 200, headers: [], body: utf8(SVG), truncated: false, url: request.url, durationMs: 1 };
      return Promise.resolve(ok({ ...usual, ...reply }));
    },
  });
  const fetchFrom = (reply: Parameters<typeof web>[0], url = "https://logos.example/a") => fetchLogo(web(reply), url);

  test("is fetched by https from any public host, and else only from what is opened", async () => {
    expect(await fetchFrom({})).toEqual(ok(utf8(SVG)));
    expect(sent).toMatchObject({
      allowedDomains: ["*"],
      maxBytes: MAX_LOGO_BYTES,
      timeoutMs: 5_000,
      followRedirects: true,
    });
    await fetchFrom({}, "http://logos.example/a");
    expect(sent).toMatchObject({ allowedDomains: null });
  });

  test.each([
    ["upstream_failed", { status: 404 }],
    ["too_large", { truncated: true }],
    ["invalid_input", { body: utf8("<html>"), headers: [["content-type", "image/png"]] as const }],
    ["blocked_by_policy", failed("blocked_by_policy", "The address 10.1.2.3 is not public.")],
  ])("is refused as %s", async (code, reply) => {
    expect(await fetchFrom(reply)).toMatchObject({ error: { code } });
  });
});

test("the logos of a catalogue are read as they were written", () => {
  const logos = [
    { app: "gmail", hash: "a" },
    { app: "__proto__", hash: "b" },
  ];
  expect([...parseLogos(formatLogos(logos))]).toEqual(logos.map(({ app, hash }) => [app, hash]));
});
