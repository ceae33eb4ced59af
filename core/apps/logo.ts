/** Logos of apps: which bytes are one, and in which form the logos of a catalogue are stored. Pure. */

/** More bytes are refused. */
export const MAX_LOGO_BYTES = 65_536;

export const LOGO_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"] as const;
export type LogoType = (typeof LOGO_TYPES)[number];

/** How a file begins: a character for each byte, and `?` for any. */
const SIGNATURES: readonly (readonly [type: LogoType, start: string])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF????WEBP"],
];

/** Null for bytes that are no picture of these types. What their server calls them does not count. */
export function findLogoType(bytes: Uint8Array): LogoType | null {
  const known = SIGNATURES.find(([, start]) => startsWith(bytes, start));
  if (known !== undefined) return known[0];
  return isSvg(bytes) ? "image/svg+xml" : null;
}

function startsWith(bytes: Uint8Array, start: string): boolean {
  return start.split("").every((character, at) => character === "?" || bytes[at] === character.charCodeAt(0));
}

/** True for UTF-8 whose first element is `svg`. A document type with declarations of its own is refused: these can expand. */
function isSvg(bytes: Uint8Array): boolean {
  const text = decode(bytes);
  for (let at = 0; text !== null; ) {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
    const end = findEnd(text, at);
    if (end === null) return /^<svg[\s/>]/.test(text.slice(at, at + 5));
    if (end < at) return false;
    at = end;
  }
  return false;
}

/** Where a declaration or a comment at `at` ends; -1 if it does not, and null if there is neither. */
function findEnd(text: string, at: number): number | null {
  const close = (mark: string): number => {
    const end = text.indexOf(mark, at);
    return end === -1 ? -1 : end + mark.length;
  };
  if (text.startsWith("<?xml", at)) return close("?>");
  if (text.startsWith("<!--", at)) return close("-->");
  if (!/^<!DOCTYPE\s+svg[\s>]/i.test(text.slice(at, at + 20))) return null;
  const end = close(">");
  return text.slice(at, end).includes("[") ? -1 : end;
}

/** Null for what is not UTF-8. A byte order mark is skipped. */
function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}

/** The logo of an app, by the hash of its bytes. */
export interface AppLogo {
  readonly app: string;
  readonly hash: string;
}

export function getLogoKey(hash: string): string {
  return `catalogue/logo/${hash}`;
}

export function getLogosKey(hash: string): string {
  return `catalogue/logos/${hash}`;
}

/** The file that names the logo of each app. */
export function formatLogos(logos: readonly AppLogo[]): string {
  return JSON.stringify(Object.fromEntries(logos.map(({ app, hash }) => [app, hash])));
}

export function parseLogos(text: string): ReadonlyMap<string, string> {
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}
