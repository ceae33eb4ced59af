import { describe, expect, it } from "vitest";
import { findCharset } from "../../../core/web/charset.ts";
import { readBody } from "../../../core/web/reply-body.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const WINDOWS_1251 = new Uint8Array([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
const SHIFT_JIS = new Uint8Array([0x8d, 0x60]);
const join = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

describe("the charset of a reply", () => {
  it.each([
    [
      "the byte order mark before the header",
      join(new Uint8Array([0xef, 0xbb, 0xbf]), encode("x")),
      "text/html; charset=latin1",
      "utf-8",
    ],
    ["the mark of UTF-16", new Uint8Array([0xff, 0xfe, 0x41, 0]), "text/plain", "utf-16le"],
    [
      "the header before the page",
      encode('<meta charset="shift_jis">'),
      'text/html; charset="windows-1251"',
      "windows-1251",
    ],
    ["the page's declaration", encode('<html><head><META CHARSET = "Shift_JIS">'), "text/html", "shift_jis"],
    [
      "the older form of it",
      encode('<meta http-equiv="Content-Type" content="text/html; charset=gb2312">'),
      "text/html",
      "gbk",
    ],
    ["that of XML", encode('<?xml version="1.0" encoding="koi8-r"?>'), "application/rss+xml", "koi8-r"],
    ["a page without a type", encode("<meta charset=euc-kr>"), undefined, "euc-kr"],
    ["a page that cannot be what it declares", encode("<meta charset=utf-16>"), "text/html", "utf-8"],
    ["a header that nobody knows, and then the page", encode("<meta charset=big5>"), "text/html; charset=nope", "big5"],
    ["no declaration in plain text", encode("<meta charset=big5>"), "text/plain", "utf-8"],
    ["none after the first 1,024 bytes", encode(`${" ".repeat(1_024)}<meta charset=big5>`), "text/html", "utf-8"],
  ])("is that of %s", (_, bytes, type, expected) => {
    expect(findCharset(bytes, type)).toBe(expected);
  });

  it("is looked for in bounded time", () => {
    const from = performance.now();
    findCharset(encode("<meta ".repeat(500_000)), "text/html");
    expect(performance.now() - from).toBeLessThan(500);
  });
});

describe("a body", () => {
  it.each([
    [
      "of Cyrillic text",
      join(encode("<meta charset=windows-1251>"), WINDOWS_1251),
      "text/html",
      "<meta charset=windows-1251>Привет",
    ],
    ["of Japanese text", SHIFT_JIS, "text/html; charset=Shift_JIS", "港"],
    ["of UTF-16 without a type", new Uint8Array([0xff, 0xfe, 0x41, 0, 0x42, 0]), undefined, "AB"],
  ])("%s is decoded", (_, bytes, type, body) => {
    expect(readBody(bytes, type)).toEqual({ body, body_encoding: "text" });
  });

  it("of a picture stays binary, with any first bytes", () => {
    expect(readBody(new Uint8Array([0xff, 0xfe, 0x41, 0]), "image/png").body_encoding).toBe("base64");
  });
});
