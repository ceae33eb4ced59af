/**
 * What the inbox of a hook knows of it, so that calls are judged while Postgres is away. It is told of each change; what was
 * lost between a change and the telling, it finds out within a minute of the next call.
 */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import { settingsFromEnv } from "../../../adapters/env/settings.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { toHookAuth, type Hook, type HookAuth, getHookInboxName } from "../../../core/channels/webhooks/hook.ts";
import type { InboxRecord } from "../../../core/channels/inbox/inbox.ts";
import { isId } from "../../../core/base/ids.ts";
import { forgetTexts } from "./hook-item.ts";

/** How old what an inbox knows may be when a call comes. */
const CHECK_EVERY_MS = 60_000;

/** Tells the inbox of a hook. One that knows a later version keeps that. */
export async function keepDoor(env: Env, tenant: string, hook: Hook): Promise<void> {
  const record = {
    version: hook.version,
    checkedAt: Date.now(),
    perMinute: settingsFromEnv(env).requestsPerMinute,
    facts: { ...toHookAuth(tenant, hook) },
  };
  await inboxesFromEnv(env)(getHookInboxName(hook.id)).keepRecord(record);
}

/** The hook's inbox forgets all that came in, and takes no more. */
export async function closeDoor(env: Env, tenant: string, hook: string): Promise<void> {
  await inboxesFromEnv(env)(getHookInboxName(hook)).erase();
  await forgetTexts(env, tenant, hook);
}

/** What the inbox of a hook knows of it; null: there is no such hook. No object is asked for what is no id. */
export async function doorRecord(env: Env, hook: string): Promise<(InboxRecord & { door: HookAuth }) | null> {
  if (!isId("hook", hook)) return null;
  const record = await inboxesFromEnv(env)(getHookInboxName(hook)).record();
  return record === null ? null : { ...record, door: record.facts as unknown as HookAuth };
}

/** Compares what the inbox knows with Postgres, at most once a minute. While Postgres is away, what it knows stands. */
export async function checkDoor(env: Env, record: InboxRecord & { door: HookAuth }): Promise<void> {
  const now = Date.now();
  if (now - record.checkedAt < CHECK_EVERY_MS) return;
  const { tenant, hook } = record.door;
  const { version, perMinute, facts } = record;
  await inboxesFromEnv(env)(getHookInboxName(hook)).keepRecord({ version, perMinute, facts, checkedAt: now });
  const found = await databaseFromEnv(env).hooks.get(tenant, hook);
  if (found.ok) await keepDoor(env, tenant, found.value);
  else if (found.error.code === "not_found") await closeDoor(env, tenant, hook);
}

/** Forgets what a tenant's hooks were called with. Can be done again, as long as the rows of the hooks are there. */
export async function closeDoorsOfTenant(env: Env, tenant: string): Promise<void> {
  await inboxesFromEnv(env)(getHookInboxName(tenant)).erase();
  for (let after = null; ; ) {
    const page = await databaseFromEnv(env).hooks.page(tenant, { after, limit: 100 });
    if (!page.ok) throw new Error(page.error.message);
    for (const { id } of page.value.items) await closeDoor(env, tenant, id);
    if (page.value.next === null) return;
    after = page.value.next;
  }
}
