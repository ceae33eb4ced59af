/** The sweep's work for triggers: finishes what was interrupted, and deletes ended ones at the provider and their events here. */
import { appProviderFromEnv } from "../../adapters/env/apps.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { OwnedTrigger } from "../../core/ports/trigger-table.ts";
import { closeHook } from "../channels/webhooks/hook-settings.ts";
import { unwrap } from "../http/unwrap.ts";
import { attempt } from "../sweep/attempt.ts";
import { attemptEach } from "../sweep/attempt-each.ts";
import { activateTrigger, endDueTriggers, isFinal } from "./activate.ts";
import { findEventsUrl, resumeSubscription } from "./subscription.ts";

/** Longer than a request that creates a trigger takes. */
const PENDING_MS = 90_000;
const MAX_PENDING = 50;
const AT_ONCE = 5;
/** A received event is in the inbox by then. */
const ENDED_MS = 60_000;
const MAX_ENDED = 100;
/** How long one run begins to delete events. */
const DELETE_MS = 10_000;
/** How long one run begins requests to the provider. */
const PROVIDER_MS = 15_000;

/** Never throws. `now` is in milliseconds since the epoch. */
export async function sweepTriggers(env: Env, now: number): Promise<void> {
  await attempt("deleting events of ended triggers", () => deleteEvents(env, now));
  if (appProviderFromEnv(env) === null) return;
  const until = Date.now() + PROVIDER_MS;
  await attempt("subscribing to events", async () => unwrap(await resumeSubscription(env, now)));
  await attempt("creating pending triggers", () => createPending(env, now, until));
  await attempt("deleting ended triggers", () => endDueTriggers(env, now, until));
}

/** Deletes the received events of triggers that are deleted, however that happened. */
async function deleteEvents(env: Env, now: number): Promise<void> {
  const { triggers } = databaseFromEnv(env);
  const ended = unwrap(await triggers.endedSince(now - ENDED_MS, MAX_ENDED));
  const limits = { atOnce: AT_ONCE, until: Date.now() + DELETE_MS };
  await attemptEach(
    ended,
    limits,
    ({ id }) => `deleting the events of ${id}`,
    async ({ tenant, id }) => {
      await closeHook(env, tenant, id);
      unwrap(await triggers.forgetEnded(id));
    },
  );
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
