/**
 * Tasks that the index lists but whose object is empty (core/task/lost.ts). They stay listed until they are erased.
 * An erased task leaves the index before its object is emptied, so it never counts as lost.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { Failure } from "../../core/base/errors.ts";
import { isId } from "../../core/base/ids.ts";
import { isWithoutState, createLostReport, STATE_LOST } from "../../core/task/lost.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import { hasEnded } from "../../core/task/status.ts";
import type { TaskView } from "../../core/task/view.ts";
import type { AppContext } from "../http/context.ts";
import { getBounds } from "../http/middleware/key-bounds.ts";
import { unwrap } from "../http/unwrap.ts";
import { awaitWithin } from "../../core/base/deadline.ts";

/** Time limit of the index: while it is unavailable, an unknown task is `not_found`. */
const ANSWER_WITHIN_MS = 1000;
const TASK_PATH = /^\/v1\/tasks\/([^/]+)/;

/** Returns the failure for a lost task, which replaces `not_found`; null if the task never existed or was erased. */
export async function toLostTaskFailure(c: AppContext, failure: Failure): Promise<Failure | null> {
  if (!isWithoutState(failure)) return null;
  const lost = await findLostTask(c, TASK_PATH.exec(c.req.path)?.[1] ?? "");
  return lost === null ? null : { code: "gone", message: STATE_LOST };
}

/**
 * Returns the last report of a lost task; null if it is not lost. A key with bounds gets null, because the lost state
 * named the project.
 */
export async function findLostTask(c: AppContext, id: string): Promise<TaskView | null> {
  const principal = c.get("principal");
  // A sign-in has no principal yet.
  if (principal === undefined || principal.kind === "operator" || getBounds(c) !== null || !isId("task", id))
    return null;
  const read = readLost(c.env, principal.tenant, id).catch(() => null);
  return await awaitWithin(globalThis, ANSWER_WITHIN_MS, read, null);
}

async function readLost(env: Env, tenant: string, task: string): Promise<TaskView | null> {
  const row = await findLostRow(env, tenant, task);
  if (row !== null && !hasEnded(row.view.status)) await notifyLost(env, tenant, row);
  return row?.view ?? null;
}

/** Reports a task whose object is empty to its tenant, its parent and the log. Forgets an erased or hidden one. */
export async function reportLost(env: Env, tenant: string, task: string): Promise<void> {
  const row = await findLostRow(env, tenant, task);
  if (row !== null) await notifyLost(env, tenant, row);
}

async function notifyLost(env: Env, tenant: string, row: TaskReport): Promise<void> {
  if (row.hidden) return await tenantsFromEnv(env)(tenant).forget(row.task);
  const lost = createLostReport(row, Date.now());
  const { erased } = await tenantsFromEnv(env)(tenant).report(lost);
  if (erased) return;
  console.error(JSON.stringify({ level: "error", tenant, task: row.task, error: STATE_LOST }));
  const { parent_id: parent } = lost.view;
  if (parent !== null) await tasksFromEnv(env)(tenant, parent).subtaskEnded(lost.view);
}

/**
 * Returns the task's row once the index knows every erased task; null if it has no row, or it does not know them yet.
 */
async function findLostRow(env: Env, tenant: string, task: string): Promise<TaskReport | null> {
  return (await tenantsFromEnv(env)(tenant).flush())
    ? unwrap(await databaseFromEnv(env).tasks.find(tenant, task))
    : null;
}
