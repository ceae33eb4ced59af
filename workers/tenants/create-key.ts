/** Creates an API key: the stored record, and the key itself, which is returned once and stored nowhere. */
import { sealingFromEnv } from "../../adapters/env/secrets.ts";
import type { NewApiKey } from "../../core/ports/tenant-table.ts";
import { makeId } from "../../core/base/ids.ts";
import { hashKey, createKey, type Scope } from "../../core/tenant/keys.ts";
import type { KeyBounds } from "../../core/tenant/key-bounds.ts";
import type { KeyPerson } from "../../core/tenant/rpc.ts";
import { getActorId } from "../http/audit-entry.ts";
import type { AppContext } from "../http/context.ts";
import { getIdSource } from "../http/new-ids.ts";

/** Bytes for the secret: more than `createKey` needs, because it skips some. */
const SECRET_BYTES = 96;

/** The requested key. `expiresAt` is in milliseconds since the epoch. */
export interface KeyRequest {
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly bounds: KeyBounds;
  readonly person: KeyPerson | null;
}

/** The bounds of an unbound key. */
export const UNBOUND: KeyBounds = { projects: null, agents: null };

/**
 * Creates a key. Its secret is derived from the request's random bytes with OTTO_SECRET_KEY: a repeat of a request
 * that was cut off creates the same key, and the stored seed alone does not reveal it.
 */
export async function createApiKey(
  c: AppContext,
  request: KeyRequest,
): Promise<{ readonly text: string; readonly stored: NewApiKey }> {
  const { createdAt, random } = await getIdSource(c, "key");
  const secret = await sealingFromEnv(c.env).derive(random, `api key of ${request.tenant}`, SECRET_BYTES);
  const text = createKey(request.tenant, secret);
  const id = makeId("key", createdAt, random);
  const { bounds, ...named } = request;
  const key = { ...named, ...bounds, id, createdAt, createdBy: getActorId(c), revokedAt: null };
  return { text, stored: { key, hash: await hashKey(text) } };
}
