/**
 * API keys: `otto_<tenant>_<secret><checksum>` in the form of `checksummed-text.ts`, with `operator` for the tenant in the
 * key that may make tenants. The secret has 190 bits. A key is kept as its SHA-256 only.
 */
import { makeText, type TextForm, textOwner } from "./checksummed-text.ts";
import { sha256Hex } from "../base/sha256.ts";

export { OPERATOR } from "./checksummed-text.ts";

const KEY: TextForm = { prefix: "otto_", secretCharacters: 32 };

/** What a key may do. `admin` covers agents, keys, usage and audit. */
export const SCOPES = ["tasks:read", "tasks:write", "tools:call", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Makes a key of at least 48 random bytes. */
export function makeKey(owner: string, random: Uint8Array): string {
  return makeText(KEY, owner, random);
}

/** The owner that a key names: `operator` or a tenant's id; null when the text is no key. */
export function keyOwner(key: string): string | null {
  return textOwner(KEY, key);
}

/** The form in which a key is kept: SHA-256 in lower-case hex. */
export async function hashKey(key: string): Promise<string> {
  return await sha256Hex(key);
}
