/**
 * The sweep, once a minute: wakes tasks, schedules and outboxes whose alarm is overdue, continues to erase tenants,
 * embeds memories that lack a vector of the current model, stores the shipped skills, and looks after the catalogue of apps, connections, documents and codebases.
 * Each run does a bounded part. A failure is logged and retried by the next run, and stops nothing else.
 */
import { databaseFromEnv } from "../adapters/env/database.ts";
import { eraseTenantFilesFromEnv } from "../adapters/env/files.ts";
import { storeShippedFromEnv } from "../adapters/env/skills.ts";
import { memoryFromEnv } from "../adapters/env/memory.ts";
import { outboxesFromEnv } from "../adapters/env/channels.ts";
import { sweepsFromEnv } from "../adapters/env/sweeps.ts";
import { tenantsFromEnv } from "../adapters/env/tenants.ts";
import type { Env } from "../adapters/env/bindings.ts";
import { wakeOverdue } from "../core/sweep/wake-overdue.ts";
import { revokeOfErasedTenant } from "./connections/revocations.ts";
import { eraseCodebases, sweepCodebases } from "./codebases/sweep.ts";
import { eraseInboxes } from "./channels/inbox/erase.ts";
import { eraseOutboxes, wakeOutboxes } from "./channels/outbox/sweep.ts";
import { eraseTask } from "./tasks/erase.ts";
import { attempt } from "./sweep/attempt.ts";
import { followCatalogue } from "./sweep/apps.ts";
import { sweepCatalogue } from "./sweep/catalogue.ts";
import { sweepConnections } from "./sweep/connections.ts";
import { sweepTriggers } from "./triggers/sweep.ts";
import { eraseSchedules, listOverdueSchedules, wakeSchedule } from "./sweep/schedules.ts";
import { wakeTasks } from "./sweep/tasks.ts";
import { eraseKnowledge, sweepKnowledge } from "./knowledge/sweep.ts";
import { unwrap } from "./http/unwrap.ts";

/**
 * An alarm that is this late may be lost. A healthy task that runs longer looks late too, since it reports its alarm
 * only when its status changes. Waking it once a minute is harmless, and its report moves it to the end.
 */
const OVERDUE_MS = 60_000;
/** Tasks of erased tenants that one run erases. */
const MAX_TASKS = 1000;
/** Tasks that are read from an index at once. */
const BATCH = 100;
/** Overdue tasks that the run wakes itself; more are passed to separate invocations. */
const FEW_TASKS = 500;
/** Erased tenants that one run continues. Each has a share; the rest waits for the next run. */
const MAX_TENANTS = 20;
const MAX_TASKS_OF_A_TENANT = 500;
/** Batches of a tenant's files that one run erases, a thousand files each. */
const MAX_FILE_BATCHES = 20;
/** Objects that are called at the same time. */
const AT_ONCE = 20;

/** Batches of a tenant's memories that one run erases, and memories that one run embeds within the time limit. */
const MAX_MEMORY_BATCHES = 20;
const MAX_EMBEDDED = 1000;
const EMBED_MS = 30_000;

/** Runs all parts. Never throws. `now` is in milliseconds since the epoch. */
export async function sweep(env: Env, now: number): Promise<void> {
  await attempt("finding overdue tasks", () => wakeOverdueTasks(env, now));
  await attempt("finding overdue deliveries", () => wakeOverdueOutboxes(env, now));
  await attempt("finding overdue schedules", () => wakeSchedules(env, now));
  await attempt("finding erased tenants", () => eraseTenants(env));
  await attempt("embedding memories", () => embedMemories(env));
  await attempt("storing the shipped skills", () => storeShippedSkills(env));
  await attempt("looking after the catalogue of apps", () => sweepCatalogue(env, now));
  await attempt("publishing the apps of tenants", () => followCatalogue(env));
  await sweepConnections(env, now);
  await sweepTriggers(env, now);
  await sweepKnowledge(env, now);
  await sweepCodebases(env, now);
}

/** True once this isolate has stored them: a release's skills do not change. */
let hasStoredSkills = false;

/** Stores the shipped skills: a task pins them, and reads them from the bucket under a later release. */
async function storeShippedSkills(env: Env): Promise<void> {
  if (hasStoredSkills) return;
  unwrap(await storeShippedFromEnv(env));
  hasStoredSkills = true;
}

/**
 * Embeds memories that were stored while the embedding server was unavailable, and all memories, gradually, after a
 * change of model.
 */
async function embedMemories(env: Env): Promise<void> {
  unwrap(await memoryFromEnv(env).embedPending(MAX_EMBEDDED, AbortSignal.timeout(EMBED_MS)));
}

async function wakeOverdueTasks(env: Env, now: number): Promise<void> {
  await wakeOverdue(
    async (request) => unwrap(await databaseFromEnv(env).tasks.overdue(now - OVERDUE_MS, request)),
    async (tasks) => {
      const isFew = tasks.length <= FEW_TASKS;
      await attempt("waking tasks", () => (isFew ? wakeTasks(env, tasks) : sweepsFromEnv(env).wakeTasks(tasks)));
    },
  );
}

async function wakeOverdueOutboxes(env: Env, now: number): Promise<void> {
  await wakeOutboxes(env, now, async (outbox) => {
    await attempt(`waking ${outbox}`, () => outboxesFromEnv(env)(outbox).poke());
  });
}

async function wakeSchedules(env: Env, now: number): Promise<void> {
  await forEach(await listOverdueSchedules(env, now), ({ tenant, schedule }) =>
    attempt(`waking ${schedule}`, () => wakeSchedule(env, tenant, schedule)),
  );
}

async function eraseTenants(env: Env): Promise<void> {
  const erased = unwrap(await databaseFromEnv(env).tenants.listErased(MAX_TENANTS));
  let left = MAX_TASKS;
  for (const tenant of erased) {
    await attempt(`erasing ${tenant}`, async () => {
      left -= await eraseTenant(env, tenant, Math.min(left, MAX_TASKS_OF_A_TENANT));
    });
    if (left <= 0) break;
  }
}

/**
 * Erases the tenant's object first, so that nothing more comes in; then its tasks, outboxes and files, and its rows
 * once nothing else is left. Returns the number of tasks it processed: at most one batch over `most`.
 */
async function eraseTenant(env: Env, tenant: string, most: number): Promise<number> {
  const database = databaseFromEnv(env);
  for (let looked = 0; ; ) {
    const unsent = await tenantsFromEnv(env)(tenant).erase();
    const indexed = unwrap(await database.tasks.some(tenant, BATCH));
    const tasks = new Set([...unsent, ...indexed]);
    if (tasks.size === 0) {
      await eraseInboxes(env, tenant);
      const isEmpty =
        (await eraseSchedules(env, tenant)) &&
        (await eraseOutboxes(env, tenant)) &&
        (await eraseKnowledge(env, tenant, Date.now())) &&
        (await eraseCodebases(env, tenant)) &&
        (await eraseFiles(env, tenant)) &&
        (await eraseMemories(env, tenant));
      if (isEmpty) {
        await attempt(`revoking the connections of ${tenant}`, () => revokeOfErasedTenant(env, tenant, Date.now()));
        unwrap(await database.tenants.purge(tenant));
      }
      return looked;
    }
    const gone = new Set<string>();
    await forEach([...tasks], async (task) => {
      if (await attempt(`erasing ${task}`, () => eraseTask(env, tenant, task, "the erasing of the tenant")))
        gone.add(task);
    });
    unwrap(await database.tasks.remove(tenant, [...gone]));
    const known = unsent.filter((task) => gone.has(task));
    await forEach(known, (task) => tenantsFromEnv(env)(tenant).forget(task));
    looked += tasks.size;
    if (gone.size === 0 || looked >= most) return looked;
  }
}

/** False if some are left for the next run. */
async function eraseFiles(env: Env, tenant: string): Promise<boolean> {
  for (let batches = 0; batches < MAX_FILE_BATCHES; batches += 1) {
    if (await eraseTenantFilesFromEnv(env, tenant)) return true;
  }
  return false;
}

/**
 * False if some are left for the next run. Vectors outside the database have the ids of the rows, so they are erased
 * first.
 */
async function eraseMemories(env: Env, tenant: string): Promise<boolean> {
  for (let batches = 0; batches < MAX_MEMORY_BATCHES; batches += 1) {
    if (unwrap(await memoryFromEnv(env).erase(tenant, null))) return true;
  }
  return false;
}

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(work));
}
