/**
 * The sweep, once a minute: it wakes tasks, schedules and outboxes whose alarm should have gone off and did not, continues the
 * erasing of tenants, gives vectors to memories that have none of the present embedding model, and stores the skills that ship.
 * Each run does a bounded part. What fails is logged, done again by the next run, and stops nothing else.
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
import { eraseInboxes } from "./channels/inbox/erase.ts";
import { eraseOutboxes, wakeOutboxes } from "./channels/outbox/sweep.ts";
import { eraseTask } from "./tasks/erase.ts";
import { attempt } from "./sweep/attempt.ts";
import { eraseSchedules, overdueSchedules, wakeSchedule } from "./sweep/schedules.ts";
import { wakeTasks } from "./sweep/tasks.ts";
import { unwrap } from "./http/unwrap.ts";

/**
 * An alarm that is this late may be lost. A healthy task that runs for longer looks late too, since it reports its alarm
 * only when its status changes: it is poked once a minute, which does it no harm, and its report moves it to the end.
 */
const OVERDUE_MS = 60_000;
/** Tasks of erased tenants that one run erases. */
const MAX_TASKS = 1000;
/** Tasks that are read from an index at once. */
const BATCH = 100;
/** Overdue tasks that the run wakes itself; more are handed to invocations of their own. */
const FEW_TASKS = 500;
/** Erased tenants that one run goes on with. What one of them needs beyond its share waits for the next run. */
const MAX_TENANTS = 20;
const MAX_TASKS_OF_A_TENANT = 500;
/** Batches of a tenant's files that one run erases, each of a thousand. */
const MAX_FILE_BATCHES = 20;
/** Objects that are asked at the same time. */
const AT_ONCE = 20;

/** Batches of a tenant's memories that one run erases, and memories that one run embeds, for at most so long. */
const MAX_MEMORY_BATCHES = 20;
const MAX_EMBEDDED = 1000;
const EMBED_MS = 30_000;

/** Runs all parts. Never throws. `now` is in milliseconds since the epoch. */
export async function sweep(env: Env, now: number): Promise<void> {
  await attempt("finding overdue tasks", () => wakeOverdueTasks(env, now));
  await attempt("finding overdue deliveries", () => pokeOutboxes(env, now));
  await attempt("finding overdue schedules", () => wakeSchedules(env, now));
  await attempt("finding erased tenants", () => eraseTenants(env));
  await attempt("embedding memories", () => embedMemories(env));
  await attempt("keeping the skills that ship", () => keepSkills(env));
}

/** True when this isolate has kept them: what a release ships does not change. */
let hasKeptSkills = false;

/** A task pins what ships; under a later release it reads it from the bucket. */
async function keepSkills(env: Env): Promise<void> {
  if (hasKeptSkills) return;
  unwrap(await storeShippedFromEnv(env));
  hasKeptSkills = true;
}

/** Those that were kept while the embedding server was away, and all of them, bit by bit, when the model is another. */
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

async function pokeOutboxes(env: Env, now: number): Promise<void> {
  await wakeOutboxes(env, now, async (outbox) => {
    await attempt(`waking ${outbox}`, () => outboxesFromEnv(env)(outbox).poke());
  });
}

async function wakeSchedules(env: Env, now: number): Promise<void> {
  await forEach(await overdueSchedules(env, now), ({ tenant, schedule }) =>
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
 * The tenant's object first, so that nothing more comes in; then its tasks, its outboxes, its files, and its rows when nothing else is
 * left. Gives the number of tasks that it went through: a batch over `most` at most.
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
        (await eraseFiles(env, tenant)) &&
        (await eraseMemories(env, tenant));
      if (isEmpty) unwrap(await database.tenants.purge(tenant));
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

/** False: some are left for the next run. */
async function eraseFiles(env: Env, tenant: string): Promise<boolean> {
  for (let batches = 0; batches < MAX_FILE_BATCHES; batches += 1) {
    if (await eraseTenantFilesFromEnv(env, tenant)) return true;
  }
  return false;
}

/** False: some are left for the next run. Vectors outside the database go by the ids of the rows, so they go before them. */
async function eraseMemories(env: Env, tenant: string): Promise<boolean> {
  for (let batches = 0; batches < MAX_MEMORY_BATCHES; batches += 1) {
    if (unwrap(await memoryFromEnv(env).erase(tenant, null))) return true;
  }
  return false;
}

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(work));
}
