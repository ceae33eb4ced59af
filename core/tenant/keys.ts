/**
 * API keys: `otto_<tenant>_<secret><checksum>` in the format of `checksummed-text.ts`. The operator's key, which may
 * create tenants, has `operator` as its tenant. The secret has 190 bits. Only the SHA-256 of a key is stored.
 */
import { createToken, type TokenForm, findTokenOwner } from "./checksummed-text.ts";
import { sha256Hex } from "../base/sha256.ts";

export { OPERATOR } from "./checksummed-text.ts";

const KEY: TokenForm = { prefix: "otto_", secretCharacters: 32 };

/**
 * What a key may do. `people:act` lets it name another person whom a task acts for. `knowledge:write` covers documents.
 * `admin` covers agents, keys, usage and audit.
 */
export const SCOPES = ["tasks:read", "tasks:write", "tools:call", "people:act", "knowledge:write", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Creates a key from at least 48 random bytes. */
export function createKey(owner: string, random: Uint8Array): string {
  return createToken(KEY, owner, random);
}

/** Returns the owner of a key: `operator` or a tenant's id; null if the text is not a key. */
export function findKeyOwner(key: string): string | null {
  return findTokenOwner(KEY, key);
}

/** Returns the stored form of a key: SHA-256 in lower-case hex. */
export async function hashKey(key: string): Promise<string> {
  return await sha256Hex(key);
}
