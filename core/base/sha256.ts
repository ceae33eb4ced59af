/** SHA-256 hashes, as they are stored, compared and sent. */
import { toHex } from "./hex.ts";

/** Returns the SHA-256 of bytes, or of a text in UTF-8, in lower-case hex. */
export async function sha256Hex(content: string | Uint8Array): Promise<string> {
  return toHex(await sha256Bytes(content));
}

/** Returns the SHA-256 of bytes, or of a text in UTF-8. */
export async function sha256Bytes(content: string | Uint8Array): Promise<Uint8Array> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  // No memory is shared between threads here, which the types cannot say.
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
}
