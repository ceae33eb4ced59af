/** Converts a reply's body to a string: text, other bytes as base64. */
import { toBase64 } from "../base/base64.ts";
import { findCharset } from "./charset.ts";

/** How to read the string. */
export interface ReplyBody {
  readonly body: string;
  readonly body_encoding: "text" | "base64";
}

/** `contentType` is the header's value; without one the bytes decide. A truncated body may end inside a character. */
export function readBody(bytes: Uint8Array, contentType: string | undefined): ReplyBody {
  const type = (contentType ?? "").toLowerCase().split(";")[0]?.trim() ?? "";
  const isText = isTextType(type);
  const charset = isText || type === "" ? findCharset(bytes, contentType) : "utf-8";
  const text = decode(bytes, charset, !isText);
  return text === null ? { body: toBase64(bytes), body_encoding: "base64" } : { body: text, body_encoding: "text" };
}

function isTextType(type: string): boolean {
  if (type.startsWith("text/") || type.endsWith("+json") || type.endsWith("+xml")) return true;
  return /^application\/(?:json|xml|javascript|x-www-form-urlencoded|yaml|x-ndjson|graphql)$/.test(type);
}

/** With `fatal`, null for bytes that are not text or contain NUL. */
function decode(bytes: Uint8Array, charset: string, fatal: boolean): string | null {
  if (fatal && !charset.startsWith("utf-16") && bytes.includes(0)) return null;
  try {
    return new TextDecoder(charset, { fatal, ignoreBOM: false }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}
