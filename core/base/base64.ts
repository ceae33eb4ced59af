/** Bytes as base64, and in the form for addresses (RFC 4648 sections 4 and 5). The runtimes of these years have no method for it that takes bytes. */

/** Arguments of one call: engines bound how many there may be. */
const CHUNK = 8_192;

export function toBase64(bytes: Uint8Array): string {
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) chunks.push(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  return btoa(chunks.join(""));
}

/** Throws for text that is no base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The bytes; null for text that is no base64. */
export function readBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return fromBase64(text);
  } catch {
    return null;
  }
}

/** Without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** With padding or without. Throws for text that is no base64. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}
