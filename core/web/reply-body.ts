/** A reply's body as a string: text where it is text, base64 where it is not. */
import { toBase64 } from "../base/base64.ts";

/** How the string has to be read. */
export interface ReplyBody {
  readonly body: string;
  readonly body_encoding: "text" | "base64";
}

/** `contentType` is the header's value; without one the bytes themselves decide. A cut body may end inside a character. */
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

/** `fatal`: null for what is no text, or holds NUL. */
function decode(bytes: Uint8Array, charset: string, fatal: boolean): string | null {
  if (fatal && bytes.includes(0)) return null;
  try {
    return new TextDecoder(knownCharset(charset), { fatal, ignoreBOM: false }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

/** A charset that nobody knows is read as UTF-8. */
function knownCharset(charset: string): string {
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return "utf-8";
  }
}
