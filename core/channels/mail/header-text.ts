/** Text in the headers of a mail, which hold ASCII only: encoded words (RFC 2047) and parameters (RFC 2231). */
import { toBase64 } from "../../base/base64.ts";

/** Of an encoded word, with its frame: behind the name of a header, it leaves the line under the 76 that there may be. */
const MAX_WORD = 64;
const FRAME = "=?UTF-8?B??=".length;
/** Bytes that stand in one word as base64. */
const WORD_BYTES = Math.floor((MAX_WORD - FRAME) / 4) * 3;
/** Where a line of a header is folded, if it can be. */
const LINE = 76;
/** Characters of a part of a parameter; a line of a mail has at most 998. */
const PARAMETER_PART = 60;

export function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** A text as encoded words, split between characters. */
export function encodeWords(text: string): string {
  const encoder = new TextEncoder();
  const words: string[] = [];
  let part = "";
  let size = 0;
  for (const character of text) {
    const bytes = encoder.encode(character).length;
    if (size + bytes > WORD_BYTES) {
      words.push(part);
      [part, size] = ["", 0];
    }
    part += character;
    size += bytes;
  }
  if (part !== "") words.push(part);
  return words.map((word) => `=?UTF-8?B?${toBase64(encoder.encode(word))}?=`).join(" ");
}

/** Free text such as a subject. ASCII that a reader could take for an encoded word, or that no line can hold, is encoded too. */
export function headerText(text: string): string {
  const isPlain = isAscii(text) && !text.includes("=?") && text.split(" ").every(({ length }) => length < LINE);
  return isPlain ? text : encodeWords(text);
}

/** A header with its name, folded at spaces. */
export function headerLine(name: string, value: string): string {
  const lines: string[] = [];
  let line = `${name}:`;
  for (const word of value.split(" ")) {
    if (line.length + 1 + word.length > LINE && line.trim() !== "" && line !== `${name}:`) {
      lines.push(line);
      line = "";
    }
    line += ` ${word}`;
  }
  return [...lines, line].join("\r\n");
}

/** A file's name as parameters of a header: in ASCII for old readers, and exact in UTF-8 where that is not all. */
export function nameParameters(name: "name" | "filename", value: string): string {
  const plain = value.replace(/[^\x20-\x7e]/gu, "_").replace(/["\\]/g, "_");
  const quoted = `${name}="${plain}"`;
  if (plain === value) return quoted;
  const exact = encodeURIComponent(value).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  // No part ends inside of the three characters that stand for one byte.
  const parts = `UTF-8''${exact}`.match(new RegExp(`(?:%[0-9A-Fa-f]{2}|[^%]){1,${PARAMETER_PART / 3}}`, "g")) ?? [];
  if (parts.length === 1) return `${quoted};\r\n ${name}*=${parts[0] ?? ""}`;
  return [quoted, ...parts.map((part, index) => ` ${name}*${index}*=${part}`)].join(";\r\n");
}
