/** Making an API key: the record that is kept, and the key itself, which is shown once and kept nowhere. */
import { sealingFromEnv } from "../../adapters/env/secrets.ts";
import type { NewApiKey } from "../../core/ports/tenant-table.ts";
import { makeId } from "../../core/base/ids.ts";
import { hashKey, createKey, type Scope } from "../../core/tenant/keys.ts";
import type { KeyBounds } from "../../core/tenant/key-bounds.ts";
import { actorIdOf } from "../http/audit-entry.ts";
import type { AppContext } from "../http/context.ts";
import { idSource } from "../http/new-ids.ts";

/** Bytes for the secret: more than `makeKey` needs, because it passes some over. */
const SECRET_BYTES = 96;

/** What is asked for. `expiresAt` in milliseconds since the epoch. */
export interface KeyRequest {
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly bounds: KeyBounds;
}

/** The bounds of a key that has none. */
export const UNBOUND: KeyBounds = { projects: null, agents: null };

/**
 * The secret is derived from the request's random bytes under OTTO_SECRET_KEY: a repeat of a request that was cut off
 * makes the same key again, and nobody who reads the stored seed can.
 */
export async function newApiKey(
  c: AppContext,
  request: KeyRequest,
): Promise<{ readonly text: string; readonly stored: NewApiKey }> {
  const { createdAt, random } = await idSource(c, "key");
  const secret = await sealingFromEnv(c.env).derive(random, `api key of ${request.tenant}`, SECRET_BYTES);
  const text = createKey(request.tenant, secret);
  const id = makeId("key", createdAt, random);
  const { bounds, ...named } = request;
  const key = { ...named, ...bounds, id, createdAt, createdBy: actorIdOf(c), revokedAt: null };
  return { text, stored: { key, hash: await hashKey(text) } };
}
