/**
 * The sweep, once a minute: it wakes tasks whose alarm should have gone off and did not, and goes on with the erasing of
 * tenants. Each run does a bounded part. What fails is logged, done again by the next run, and stops nothing else.
 */
import {
  blobsFromEnv,
  databaseFromEnv,
  sandboxesFromEnv,
  tasksFromEnv,
  tenantsFromEnv,
  type Env,
} from "../adapters/from-env.ts";
import { OttoError } from "../core/errors.ts";
import { redact } from "./log.ts";
import { unwrap } from "./task-access.ts";

/** An alarm that is this late is lost: a healthy one is late by seconds at most. */
const OVERDUE_MS = 60_000;
const MAX_TASKS = 200;
const MAX_TENANTS = 5;
const MAX_ERASED_TASKS = 50;
/** Objects that are asked at the same time. */
const AT_ONCE = 20;

/** Runs both parts. Never throws. `now` is in milliseconds since the epoch. */
export async function sweep(env: Env, now: number): Promise<void> {
  await attempt("finding overdue tasks", () => wakeOverdue(env, now));
  await attempt("finding erased tenants", () => eraseTenants(env));
}

async function wakeOverdue(env: Env, now: number): Promise<void> {
  const overdue = unwrap(await databaseFromEnv(env).tasks.overdue(now - OVERDUE_MS, MAX_TASKS));
  await forEach(overdue, async ({ tenant, task }) => {
    await attempt(`waking ${task}`, async () => {
      const object = tasksFromEnv(env)(tenant, task);
      const facts = await object.facts();
      if (facts.ok) await object.poke();
      else if (facts.error.code === "not_found") unwrap(await databaseFromEnv(env).tasks.remove(tenant, [task]));
      else throw new OttoError(facts.error);
    });
  });
  const tenants = [...new Set(overdue.map(({ tenant }) => tenant))];
  await forEach(tenants, (tenant) =>
    attempt(`sending the index of ${tenant}`, () => tenantsFromEnv(env)(tenant).flush()),
  );
}

async function eraseTenants(env: Env): Promise<void> {
  const erased = unwrap(await databaseFromEnv(env).tenants.erased(MAX_TENANTS));
  for (const tenant of erased) await attempt(`erasing ${tenant}`, () => eraseTenant(env, tenant));
}

/** Tasks and sandboxes first, then the tenant's blobs, then its object, and its rows when nothing else is left. */
async function eraseTenant(env: Env, tenant: string): Promise<void> {
  const database = databaseFromEnv(env);
  const some = unwrap(await database.tasks.some(tenant, MAX_ERASED_TASKS));
  await forEach(some, async ({ task, project }) => {
    await attempt(`erasing ${task}`, async () => {
      await eraseTask(env, tenant, task);
      const sandboxes = sandboxesFromEnv(env);
      await sandboxes({ kind: "tree", tenant, rootId: task }).erase();
      if (project !== null) await sandboxes({ kind: "project", tenant, project }).erase();
      unwrap(await database.tasks.remove(tenant, [task]));
    });
  });
  if (unwrap(await database.tasks.some(tenant, 1)).length > 0) return;
  if (!(await blobsFromEnv(env).erase(`${tenant}/`))) return;
  await tenantsFromEnv(env)(tenant).erase();
  unwrap(await database.tenants.purge(tenant));
}

async function eraseTask(env: Env, tenant: string, task: string): Promise<void> {
  const object = tasksFromEnv(env)(tenant, task);
  let erased = await object.erase();
  if (!erased.ok && erased.error.code === "conflict") {
    await object.cancel("the erasing of the tenant");
    erased = await object.erase();
  }
  if (!erased.ok && erased.error.code !== "not_found") throw new OttoError(erased.error);
}

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(work));
}

async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const error =
      thrown instanceof OttoError ? `${thrown.failure.code} ${JSON.stringify(thrown.failure.details)}` : String(thrown);
    console.error(JSON.stringify({ level: "error", sweep: what, error: redact(error) }));
  }
}
