/** Converts a reply's body to a string: text, other bytes as base64. */
import { toBase64 } from "../base/base64.ts";

/** How to read the string. */
export interface ReplyBody {
  readonly body: string;
  readonly body_encoding: "text" | "base64";
}

/** `contentType` is the header's value; without one the bytes decide. A truncated body may end inside a character. */
export function readBody(bytes: Uint8Array, contentType: string | undefined): ReplyBody {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const charset = parameters.map((part) => /^\s*charset\s*=\s*"?([^";\s]+)/.exec(part)?.[1]).find((name) => name);
  const text = isTextType(type.trim()) ? decode(bytes, charset ?? "utf-8", false) : decode(bytes, "utf-8", true);
  return text === null ? { body: toBase64(bytes), body_encoding: "base64" } : { body: text, body_encoding: "text" };
}

function isTextType(type: string): boolean {
  if (type.startsWith("text/") || type.endsWith("+json") || type.endsWith("+xml")) return true;
  return /^application\/(?:json|xml|javascript|x-www-form-urlencoded|yaml|x-ndjson|graphql)$/.test(type);
}

/** With `fatal`, null for bytes that are not text or contain NUL. */
function decode(bytes: Uint8Array, charset: string, fatal: boolean): string | null {
  if (fatal && bytes.includes(0)) return null;
  try {
    return new TextDecoder(toKnownCharset(charset), { fatal, ignoreBOM: false }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

/** An unknown charset is read as UTF-8. */
function toKnownCharset(charset: string): string {
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return "utf-8";
  }
}
