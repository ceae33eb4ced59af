/**
 * The subscription to the events of the operator's key at the provider. Its secret is in one reply alone. So each change is
 * claimed first: a claim that has ended without a stored secret was interrupted, and the sweep makes the change again.
 */
import { readAppsSettings, appProviderFromEnv } from "../../adapters/env/apps.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { publicUrlFromEnv } from "../../adapters/env/deployment.ts";
import { openStoredFromEnv, sealingFromEnv } from "../../adapters/env/secrets.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { toBase64 } from "../../core/base/base64.ts";
import { failed, type Failed, ok, type Result } from "../../core/base/errors.ts";
import { OLD_SECRET_MS, selectValidSecrets } from "../../core/channels/webhooks/old-secrets.ts";
import type { AppTriggers } from "../../core/ports/apps.ts";
import { OPERATOR_TENANT } from "../../core/ports/audit.ts";
import type { StoredSubscription } from "../../core/ports/subscription-table.ts";

const OWNER = OPERATOR_TENANT;
/** Longer than the requests of a change take. */
const CLAIM_MS = 90_000;
/** How long this isolate uses the secrets that it read. */
const FRESH_MS = 30_000;
/** After this, an event that no known secret signed makes it read them again: they may have been replaced. */
const REREAD_MS = 2_000;
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Events belong to the operator's key: a tenant's own key receives none. */
export const NO_PROVIDER = failed(
  "not_available",
  "Triggers need the operator's Composio key. Ask the operator to set COMPOSIO_API_KEY.",
);

/**
 * The address to which events are sent: the configured one, because a request could name any. Demo apps also use the address
 * of a request on this machine. Null: it is not known.
 */
export function findEventsUrl(env: Env, requestUrl: string | null): string | null {
  const configured = publicUrlFromEnv(env);
  if (configured !== null) return `${configured}/webhook/composio`;
  const url = requestUrl === null ? null : new URL(requestUrl);
  const isDemo = readAppsSettings(env)?.isDemo === true;
  return url !== null && isDemo && LOOPBACK.has(url.hostname) ? `${url.origin}/webhook/composio` : null;
}

/** Subscribes once, and again if the address has changed. `url` null: the present subscription has to do. */
export async function ensureSubscription(env: Env, url: string | null): Promise<Result<void>> {
  const found = await databaseFromEnv(env).subscriptions.find(OWNER);
  if (!found.ok) return found;
  const present = found.value;
  const isSettled = present?.claimedUntil === null;
  if (isSettled && (url === null || present.url === url)) return ok(undefined);
  const wanted = url ?? present?.url ?? null;
  return wanted === null ? NO_ADDRESS : await changeSubscription(env, present, wanted);
}

/** Replaces the secret. The one before is valid for 24 hours. Returns until when, in milliseconds since the epoch. */
export async function rotateSubscription(env: Env): Promise<Result<number>> {
  const found = await databaseFromEnv(env).subscriptions.find(OWNER);
  if (!found.ok) return found;
  if (found.value === null) return failed("conflict", "There is no secret to replace: no trigger was created yet.");
  const oldUntil = Date.now() + OLD_SECRET_MS;
  const changed = await changeSubscription(env, found.value, findEventsUrl(env, null) ?? found.value.url);
  return changed.ok ? ok(oldUntil) : changed;
}

/** Makes changes again that were interrupted. */
export async function resumeSubscription(env: Env, now: number): Promise<Result<void>> {
  const found = await databaseFromEnv(env).subscriptions.find(OWNER);
  if (!found.ok) return found;
  const { value: present } = found;
  if (present === null || present.claimedUntil === null || present.claimedUntil > now) return ok(undefined);
  return await changeSubscription(env, present, findEventsUrl(env, null) ?? present.url, now);
}

async function changeSubscription(
  env: Env,
  present: StoredSubscription | null,
  url: string,
  now = Date.now(),
): Promise<Result<void>> {
  const provider = appProviderFromEnv(env)?.triggers;
  if (provider === undefined) return NO_PROVIDER;
  const { subscriptions } = databaseFromEnv(env);
  const claimed = await subscriptions.claim(OWNER, now, now + CLAIM_MS);
  if (!claimed.ok) return claimed;
  if (!claimed.value) return BUSY;
  const made = await requestSecret(provider, present, url);
  if (!made.ok) {
    // Nothing was replaced by a reply of these kinds.
    if (made.error.code === "conflict" || made.error.code === "not_found") await subscriptions.release(OWNER);
    return made;
  }
  const { id, secret } = made.value;
  const sealed = toBase64(await sealingFromEnv(env).seal(new TextEncoder().encode(secret), CONTEXT));
  const stored = await subscriptions.store(OWNER, { providerId: id, url, sealed, oldUntil: now + OLD_SECRET_MS }, now);
  known = null;
  return stored;
}

/** Creates the subscription, or replaces the secret of the present one, whose secret may be known to nobody. */
async function requestSecret(
  provider: AppTriggers,
  present: StoredSubscription | null,
  url: string,
): Promise<Result<{ readonly id: string; readonly secret: string }>> {
  const found = await provider.findSubscription();
  if (!found.ok) return found;
  if (found.value === null) return await provider.subscribe(url);
  const { id, url: at } = found.value;
  if (at !== url && id !== present?.providerId) return TAKEN;
  const moved = at === url ? ok(undefined) : await provider.redirect(id, url);
  if (!moved.ok) return moved;
  const secret = await provider.rotateSecret(id);
  return secret.ok ? ok({ id, secret: secret.value }) : secret;
}

const CONTEXT = "trigger subscription operator";
const NO_ADDRESS = failed(
  "not_available",
  "Otto does not know its own address, so no app can report events. Ask its operator to set OTTO_PUBLIC_URL.",
);
const BUSY = failed("upstream_failed", "The subscription to events is being changed. Try again in a minute.", {
  retryAfterMs: 10_000,
});
const TAKEN: Failed = failed(
  "conflict",
  "Another system receives the events of this Composio project. Ask the operator to delete its webhook subscription there, or to use a project of its own.",
);

interface KnownSecrets {
  readonly env: Env;
  readonly at: number;
  readonly secrets: readonly string[];
}
let known: KnownSecrets | null = null;

/**
 * The valid secrets, the current one first. `mustReread`: those that this isolate knows signed nothing, so they are read again,
 * at most every two seconds. Null: they were read just now.
 */
export async function readEventSecrets(
  env: Env,
  now: number,
  mustReread: boolean,
): Promise<Result<readonly string[] | null>> {
  const age = known === null || known.env !== env ? Infinity : now - known.at;
  if (mustReread && age < REREAD_MS) return ok(null);
  if (!mustReread && age < FRESH_MS && known !== null) return ok(known.secrets);
  const found = await databaseFromEnv(env).subscriptions.find(OWNER);
  if (!found.ok) return found;
  const secrets: string[] = [];
  if (found.value !== null) {
    secrets.push(await open(env, "trigger_subscriptions.sealed", found.value.sealed));
    for (const { sealed } of selectValidSecrets(found.value.old, now))
      secrets.push(await open(env, "trigger_subscriptions.old_sealed[]", sealed));
  }
  known = { env, at: now, secrets };
  return ok(secrets);
}

async function open(
  env: Env,
  column: "trigger_subscriptions.sealed" | "trigger_subscriptions.old_sealed[]",
  sealed: string,
): Promise<string> {
  return new TextDecoder().decode(await openStoredFromEnv(env, { tenant: OWNER, column, sealed, context: CONTEXT }));
}
