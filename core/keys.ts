/**
 * API keys: `otto_<tenant>_<secret><checksum>`. `<tenant>` is the tenant's id without its prefix (or `operator`), so that
 * a key can be looked up in the tenant's own object; it proves nothing by itself. `<secret>` is 32 characters of base62
 * (190 bits), `<checksum>` six characters of base62: the CRC-32 of all that stands before, so that a mistyped key and a
 * string in a public repository are told apart without a look-up. A key is kept as its SHA-256 only.
 */
import { sha256Hex } from "./sha256.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
const KEY_FORM = /^otto_([a-z0-9]{1,40})_([0-9A-Za-z]{38})$/;

/** Stands where the tenant's id stands in the key that may make tenants. */
export const OPERATOR = "operator";

/** What a key may do. `admin` covers agents, keys, usage and audit. */
export const SCOPES = ["tasks:read", "tasks:write", "tools:call", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Makes a key. `random` is at least 48 bytes: bytes that would favour a character are passed over. */
export function makeKey(owner: string, random: Uint8Array): string {
  let secret = "";
  for (const byte of random) {
    if (secret.length === SECRET_CHARACTERS) break;
    if (byte < 248) secret += BASE62.charAt(byte % 62);
  }
  if (secret.length < SECRET_CHARACTERS) throw new RangeError("a key needs more random bytes");
  const body = `otto_${owner.replace(/^ten_/, "")}_${secret}`;
  return body + checksum(body);
}

/** The owner that a key names: `operator` or a tenant's id; null when the text is no key. */
export function keyOwner(key: string): string | null {
  const match = KEY_FORM.exec(key);
  if (match?.[1] === undefined) return null;
  const body = key.slice(0, -CHECKSUM_CHARACTERS);
  if (checksum(body) !== key.slice(-CHECKSUM_CHARACTERS)) return null;
  return match[1] === OPERATOR ? OPERATOR : `ten_${match[1]}`;
}

/** The form in which a key is kept: SHA-256 in lower-case hex. */
export async function hashKey(key: string): Promise<string> {
  return await sha256Hex(key);
}

/** CRC-32 (IEEE 802.3), in base62. */
function checksum(text: string): string {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  let rest = (crc ^ 0xffffffff) >>> 0;
  let written = "";
  for (let i = 0; i < CHECKSUM_CHARACTERS; i += 1) {
    written = BASE62.charAt(rest % 62) + written;
    rest = Math.floor(rest / 62);
  }
  return written;
}
