/**
 * Creates triggers at the provider, and deletes them there. The row comes first, as `pending`: a creation that was interrupted
 * is made again, which finds the same trigger. Until the row names it, its events are of an unknown trigger, and refused.
 */
import { appProviderFromEnv } from "../../adapters/env/apps.ts";
import { connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type Failure, failed, ok, type Result } from "../../core/base/errors.ts";
import { getKey, OPERATOR_KEY } from "../../core/connections/provider-key.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import type { Trigger } from "../../core/triggers/trigger.ts";
import { unwrap } from "../http/unwrap.ts";
import { attemptEach } from "../sweep/attempt-each.ts";
import { ensureSubscription, NO_PROVIDER } from "./subscription.ts";

/** Deletions of one run, those at once, and the time until the second attempt. */
const MAX_ENDINGS = 100;
const AT_ONCE = 5;
const ENDING_DELAY_MS = 60_000;

export interface PendingTrigger {
  readonly tenant: string;
  readonly trigger: Trigger;
  /** Where events are to be sent; null: where they are sent now. */
  readonly url: string | null;
  /** For the audit log; null: by Otto. */
  readonly act: AuditEntry | null;
}

/** A failure that no later attempt changes. */
export function isFinal({ code }: Failure): boolean {
  return code === "invalid_input" || code === "not_found" || code === "conflict" || code === "not_available";
}

/** Makes a trigger active. A failure leaves the row as it is. */
export async function activateTrigger(
  env: Env,
  { tenant, trigger, url, act }: PendingTrigger,
): Promise<Result<Trigger>> {
  const provider = appProviderFromEnv(env)?.triggers;
  if (provider === undefined) return NO_PROVIDER;
  const account = await findAccount(env, tenant, trigger);
  if (!account.ok) return account;
  const subscribed = await ensureSubscription(env, url);
  if (!subscribed.ok) return subscribed;
  const { config, id, version } = trigger;
  const wanted = { trigger: config.trigger, providerId: account.value, config: config.config };
  const made = await provider.upsert(wanted);
  if (!made.ok) return made;
  // One that was paused is disabled there.
  const enabled = trigger.providerId === null ? ok(undefined) : await provider.setEnabled(made.value, true);
  if (!enabled.ok) return enabled;
  const { triggers } = databaseFromEnv(env);
  const change = { id, version, state: "active", why: null, providerId: made.value } as const;
  const stored = await triggers.change(tenant, change, act);
  if (stored.ok || (stored.error.code !== "not_found" && stored.error.code !== "conflict")) return stored;
  // It was deleted or changed meanwhile, which counts. What no row names is deleted at the provider now: nobody else would.
  const owned = await triggers.findOwner(made.value);
  if (!owned.ok && owned.error.code === "not_found") await provider.remove(made.value);
  return stored.error.code === "conflict" ? await triggers.get(tenant, id) : stored;
}

/** What the provider calls the account, while it is active. */
async function findAccount(env: Env, tenant: string, { config }: Trigger): Promise<Result<string>> {
  const stored = await connectionTableFromEnv(env, tenant).tokens(config.connection);
  if (!stored.ok)
    return stored.error.code === "not_found" || stored.error.cause?.kind === "connection_ended" ? ENDED : stored;
  const { tokens } = stored.value;
  if (tokens.kind !== "account") return ENDED;
  return getKey(tokens) === OPERATOR_KEY ? ok(tokens.providerId) : OF_OWN_KEY;
}

const ENDED = failed("conflict", "Its account is not connected. Connect it again, then resume the trigger.", {
  field: "connection",
});

// The subscription to events belongs to the operator's key.
const OF_OWN_KEY = failed(
  "not_available",
  "Its account was connected with the workspace's own Composio key, which receives no events. Remove that key and connect the account again.",
  { field: "connection" },
);

/** Deletes ended triggers at the provider. The rows are the outbox: the next attempt is set before this one is made. */
export async function endDueTriggers(env: Env, now: number, until: number): Promise<void> {
  const provider = appProviderFromEnv(env)?.triggers;
  if (provider === undefined) return;
  const { triggers } = databaseFromEnv(env);
  const due = unwrap(await triggers.takeEndings(now, MAX_ENDINGS, ENDING_DELAY_MS));
  await attemptEach(
    due,
    { atOnce: AT_ONCE, until },
    () => "deleting a trigger at the provider",
    async (providerId) => {
      // One that was created again is in use.
      const owned = await triggers.findOwner(providerId);
      if (!owned.ok && owned.error.code !== "not_found") unwrap(owned);
      if (!owned.ok) {
        unwrap(await provider.remove(providerId));
        await createAgain(env, providerId);
      }
      unwrap(await triggers.endEnding(providerId));
    },
  );
}

/** A trigger that was created again while this id was being deleted is gone at the provider: the sweep creates it there. */
async function createAgain(env: Env, providerId: string): Promise<void> {
  const { triggers } = databaseFromEnv(env);
  const owned = await triggers.findOwner(providerId);
  if (!owned.ok && owned.error.code === "not_found") return;
  const { tenant, id } = unwrap(owned);
  const { version, state } = unwrap(await triggers.get(tenant, id));
  if (state !== "active") return;
  unwrap(await triggers.change(tenant, { id, version, state: "pending", why: null, providerId }, null));
}
