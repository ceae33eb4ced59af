/** Base64 and base64url (RFC 4648 sections 4 and 5). The runtimes have no built-in method for bytes yet. */

/** Arguments of one call, which engines limit. */
const CHUNK = 8_192;

export function toBase64(bytes: Uint8Array): string {
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) chunks.push(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  return btoa(chunks.join(""));
}

/** Decodes base64. Throws for invalid text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Decodes base64; null for invalid text. */
export function readBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return fromBase64(text);
  } catch {
    return null;
  }
}

/** Encodes base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes base64url with or without padding. Throws for invalid text. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}
