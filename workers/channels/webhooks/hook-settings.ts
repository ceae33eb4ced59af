/**
 * The settings of a hook in its inbox, so that calls are authenticated while Postgres is unavailable. The inbox is
 * notified of each change, and checks for a lost notification at most a minute before the next call.
 */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import { settingsFromEnv } from "../../../adapters/env/settings.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { toHookAuth, type Hook, type HookAuth, getHookInboxName } from "../../../core/channels/webhooks/hook.ts";
import type { InboxRecord } from "../../../core/channels/inbox/inbox.ts";
import { isId } from "../../../core/base/ids.ts";
import { deleteTexts } from "./hook-item.ts";

/** Maximum age of the settings when a call arrives. */
const CHECK_EVERY_MS = 60_000;

/** Sends the settings to the hook's inbox, which ignores an older version. */
export async function sendHookSettings(env: Env, tenant: string, hook: Hook): Promise<void> {
  const record = {
    version: hook.version,
    checkedAt: Date.now(),
    perMinute: settingsFromEnv(env).requestsPerMinute,
    facts: { ...toHookAuth(tenant, hook) },
  };
  await inboxesFromEnv(env)(getHookInboxName(hook.id)).keepRecord(record);
}

/** Deletes the items of the hook's inbox, and closes it. */
export async function closeHook(env: Env, tenant: string, hook: string): Promise<void> {
  await inboxesFromEnv(env)(getHookInboxName(hook)).erase();
  await deleteTexts(env, tenant, hook);
}

/** Returns the inbox's settings of a hook; null if there is no such hook. Calls no object for an invalid id. */
export async function readHookSettings(env: Env, hook: string): Promise<(InboxRecord & { door: HookAuth }) | null> {
  if (!isId("hook", hook)) return null;
  const record = await inboxesFromEnv(env)(getHookInboxName(hook)).record();
  return record === null ? null : { ...record, door: record.facts as unknown as HookAuth };
}

/**
 * Compares the inbox's settings with Postgres, at most once a minute. While Postgres is unavailable, they stay valid.
 */
export async function refreshHookSettings(env: Env, record: InboxRecord & { door: HookAuth }): Promise<void> {
  const now = Date.now();
  if (now - record.checkedAt < CHECK_EVERY_MS) return;
  const { tenant, hook } = record.door;
  const { version, perMinute, facts } = record;
  await inboxesFromEnv(env)(getHookInboxName(hook)).keepRecord({ version, perMinute, facts, checkedAt: now });
  const found = await databaseFromEnv(env).hooks.get(tenant, hook);
  if (found.ok) await sendHookSettings(env, tenant, found.value);
  else if (found.error.code === "not_found") await closeHook(env, tenant, hook);
}

/** Deletes the calls of all hooks of a tenant. Idempotent while the hooks' rows exist. */
export async function closeHooksOfTenant(env: Env, tenant: string): Promise<void> {
  await inboxesFromEnv(env)(getHookInboxName(tenant)).erase();
  for (let after = null; ; ) {
    const page = await databaseFromEnv(env).hooks.page(tenant, { after, limit: 100 });
    if (!page.ok) throw new Error(page.error.message);
    for (const { id } of page.value.items) await closeHook(env, tenant, id);
    if (page.value.next === null) break;
    after = page.value.next;
  }
  await closeTriggersOfTenant(env, tenant);
}

/** Deletes the events of all triggers of a tenant, in the same way. */
async function closeTriggersOfTenant(env: Env, tenant: string): Promise<void> {
  const reader = { person: null, isAdmin: true };
  for (let after = null; ; ) {
    const page = await databaseFromEnv(env).triggers.page(tenant, reader, { after, limit: 100 });
    if (!page.ok) throw new Error(page.error.message);
    for (const { id } of page.value.items) await closeHook(env, tenant, id);
    if (page.value.next === null) return;
    after = page.value.next;
  }
}
