/** Encodes text for mail headers, which are ASCII only: encoded words (RFC 2047) and parameters (RFC 2231). */
import { toBase64 } from "../../base/base64.ts";

/** Length of an encoded word with its frame. After the header's name, the line stays under 76 characters. */
const MAX_WORD = 64;
const FRAME = "=?UTF-8?B??=".length;
/** Bytes of a word before base64. */
const WORD_BYTES = Math.floor((MAX_WORD - FRAME) / 4) * 3;
/** Line length at which a header is folded where possible. */
const LINE = 76;
/** Characters of one part of a parameter; a mail's line has at most 998. */
const PARAMETER_PART = 60;

export function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Encodes a text as words, split between characters. */
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

/** Encodes free text such as a subject. ASCII stays unless it looks like an encoded word or is too long for a line. */
export function encodeHeaderText(text: string): string {
  const isPlain = isAscii(text) && !text.includes("=?") && text.split(" ").every(({ length }) => length < LINE);
  return isPlain ? text : encodeWords(text);
}

/** Formats a header with its name, folded at spaces. */
export function foldHeader(name: string, value: string): string {
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

/** Formats a file name as header parameters: ASCII for old clients, and exact UTF-8 when it differs. */
export function encodeNameParameters(name: "name" | "filename", value: string): string {
  const plain = value.replace(/[^\x20-\x7e]/gu, "_").replace(/["\\]/g, "_");
  const quoted = `${name}="${plain}"`;
  if (plain === value) return quoted;
  const exact = encodeURIComponent(value).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  // A part never ends inside the three characters of an encoded byte.
  const parts = `UTF-8''${exact}`.match(new RegExp(`(?:%[0-9A-Fa-f]{2}|[^%]){1,${PARAMETER_PART / 3}}`, "g")) ?? [];
  if (parts.length === 1) return `${quoted};\r\n ${name}*=${parts[0] ?? ""}`;
  return [quoted, ...parts.map((part, index) => ` ${name}*${index}*=${part}`)].join(";\r\n");
}
