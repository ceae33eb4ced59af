/**
 * The sweep's work for connections: wakes tasks whose waking was lost, revokes what has ended, and checks what tasks use while
 * its owner is away.
 */
import { connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { getOwnerPerson } from "../../core/connections/account.ts";
import { MAX_OF_OWNER } from "../../core/connections/rules.ts";
import type { ReadyConnection } from "../../core/ports/connection-jobs.ts";
import { checkConnections } from "../connections/checks.ts";
import { revokeDue } from "../connections/revocations.ts";
import { unwrap } from "../http/unwrap.ts";
import { attempt } from "./attempt.ts";
import { attemptEach } from "./attempt-each.ts";

/** Apps and owners whose tasks one run wakes, and tenants that are called at once. */
const MAX_READY = 500;
const AT_ONCE = 20;
/** How long one run begins requests to providers. They take up to 15 s each. */
const PROVIDERS_MS = 20_000;

/** Never throws. `now` is in milliseconds since the epoch. */
export async function sweepConnections(env: Env, now: number): Promise<void> {
  const until = Date.now() + PROVIDERS_MS;
  await attempt("waking tasks that wait for connections", () => wakeWaiting(env, until));
  await attempt("revoking connections", () => revokeDue(env, now, until));
  await attempt("checking connections", () => checkConnections(env, now, until));
}

async function wakeWaiting(env: Env, until: number): Promise<void> {
  const ready = unwrap(await databaseFromEnv(env).connectionJobs.waitsReady(MAX_READY));
  const name = ({ tenant, app }: ReadyConnection): string => `waking tasks of ${tenant} that wait for ${app}`;
  await attemptEach(ready, { atOnce: AT_ONCE, until }, name, async ({ tenant, app, person }) => {
    const changedAt = await readChange(env, { tenant, app, person });
    if (changedAt !== null) await tenantsFromEnv(env)(tenant).connectionReady(app, person, changedAt);
  });
}

/** When an active connection of the owner last changed. A task that waits again since then was woken, and is not again. */
async function readChange(env: Env, { tenant, app, person }: ReadyConnection): Promise<number | null> {
  const limit = 2 * MAX_OF_OWNER;
  const listed = unwrap(await connectionTableFromEnv(env, tenant).list({ person, app, limit }));
  const times = listed.flatMap(({ owner, status, updatedAt }) =>
    getOwnerPerson(owner) === person && status === "active" ? [updatedAt] : [],
  );
  return times.length === 0 ? null : Math.max(...times);
}
