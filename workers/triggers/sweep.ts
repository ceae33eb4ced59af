/** The sweep's work for triggers: finishes what was interrupted, and deletes ended ones at the provider. */
import { appProviderFromEnv } from "../../adapters/env/apps.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { OwnedTrigger } from "../../core/ports/trigger-table.ts";
import { unwrap } from "../http/unwrap.ts";
import { attempt } from "../sweep/attempt.ts";
import { attemptEach } from "../sweep/attempt-each.ts";
import { activateTrigger, endDueTriggers, isFinal } from "./activate.ts";
import { findEventsUrl, resumeSubscription } from "./subscription.ts";

/** Longer than a request that creates a trigger takes. */
const PENDING_MS = 90_000;
const MAX_PENDING = 50;
const AT_ONCE = 5;
/** How long one run begins requests to the provider. */
const PROVIDER_MS = 15_000;

/** Never throws. `now` is in milliseconds since the epoch. */
export async function sweepTriggers(env: Env, now: number): Promise<void> {
  if (appProviderFromEnv(env) === null) return;
  const until = Date.now() + PROVIDER_MS;
  await attempt("subscribing to events", async () => unwrap(await resumeSubscription(env, now)));
  await attempt("creating pending triggers", () => createPending(env, now, until));
  await attempt("deleting ended triggers", () => endDueTriggers(env, now, until));
}

async function createPending(env: Env, now: number, until: number): Promise<void> {
  const pending = unwrap(await databaseFromEnv(env).triggers.pendingSince(now - PENDING_MS, MAX_PENDING));
  const name = ({ id }: OwnedTrigger): string => `creating ${id}`;
  await attemptEach(pending, { atOnce: AT_ONCE, until }, name, async ({ tenant, id }) => {
    const { triggers } = databaseFromEnv(env);
    const trigger = unwrap(await triggers.get(tenant, id));
    if (trigger.state !== "pending") return;
    const made = await activateTrigger(env, { tenant, trigger, url: findEventsUrl(env, null), act: null });
    if (made.ok || !isFinal(made.error)) return void unwrap(made);
    const { version, providerId } = trigger;
    const why = made.error.message;
    unwrap(await triggers.change(tenant, { id, version, state: "stopped", why, providerId }, null));
  });
}
