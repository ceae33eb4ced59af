/**
 * Finds the charset of a reply, in the order of the HTML standard: a byte order mark, the header's parameter, and for
 * HTML and XML the declaration in the first 1,024 bytes.
 */

/** Where a declaration has to be (https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream). */
const DECLARATION_BYTES = 1_024;
const DECLARATIONS = [
  /^<\?xml[^>]{0,200}?\sencoding\s{0,10}=\s{0,10}["']([\w.:-]{1,40})/i,
  /<meta\s[^>]{0,200}?charset\s{0,10}=\s{0,10}["']?([\w.:-]{1,40})/i,
];
const MARKUP = /^(?:text\/(?:html|xml)|application\/xml|[^;]{1,100}\+xml)$/;

/** Returns the name of an encoding that TextDecoder knows; "utf-8" when nothing is declared. `contentType`: the header. */
export function findCharset(bytes: Uint8Array, contentType: string | undefined): string {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const isMarkup = type.trim() === "" || MARKUP.test(type.trim());
  return (
    readMark(bytes) ??
    toKnown(readParameter(parameters)) ??
    (isMarkup ? toKnown(readDeclaration(bytes)) : null) ??
    "utf-8"
  );
}

function readMark([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : null;
}

function readParameter(parameters: readonly string[]): string | null {
  const found = parameters.map((part) => /^\s*charset\s*=\s*["']?([^"';\s]+)/.exec(part)?.[1]);
  return found.find((name) => name !== undefined) ?? null;
}

/** A declaration of UTF-16 cannot be true, since it was read as ASCII: the standard takes it for UTF-8. */
function readDeclaration(bytes: Uint8Array): string | null {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, DECLARATION_BYTES));
  const name = DECLARATIONS.map((pattern) => pattern.exec(start)?.[1]).find((one) => one !== undefined) ?? null;
  return name !== null && /^utf-?16/i.test(name) ? "utf-8" : name;
}

/** Null for an encoding that nobody knows. */
function toKnown(name: string | null): string | null {
  if (name === null) return null;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return null;
  }
}
