/**
 * Tasks whose object holds nothing while the index lists them (core/task/lost.ts). They stay listed until somebody erases them. A task that
 * is erased leaves the index before its object is emptied, so none of those is taken for lost.
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
import { boundsOf } from "../http/middleware/key-bounds.ts";
import { unwrap } from "../http/unwrap.ts";
import { awaitWithin } from "../../core/base/deadline.ts";

/** How long the index may take: while it is away, an unknown task is `not_found`. */
const ANSWER_WITHIN_MS = 1000;
const TASK_PATH = /^\/v1\/tasks\/([^/]+)/;

/** What a caller reads in the place of `not_found` when the path names a lost task; null: the task was never there, or was erased. */
export async function lostTaskFailure(c: AppContext, failure: Failure): Promise<Failure | null> {
  if (!isWithoutState(failure)) return null;
  const lost = await findLostTask(c, TASK_PATH.exec(c.req.path)?.[1] ?? "");
  return lost === null ? null : { code: "gone", message: STATE_LOST };
}

/** A lost task as it was reported last; null: it is not lost. A key with bounds learns nothing: its project is of the state. */
export async function findLostTask(c: AppContext, id: string): Promise<TaskView | null> {
  const principal = c.get("principal");
  // A request that signs in has no principal yet.
  if (principal === undefined || principal.kind === "operator" || boundsOf(c) !== null || !isId("task", id))
    return null;
  const read = readLost(c.env, principal.tenant, id).catch(() => null);
  return await awaitWithin(globalThis, ANSWER_WITHIN_MS, read, null);
}

async function readLost(env: Env, tenant: string, task: string): Promise<TaskView | null> {
  const row = await lostRow(env, tenant, task);
  if (row !== null && !hasEnded(row.view.status)) await tellLost(env, tenant, row);
  return row?.view ?? null;
}

/** Of a task whose object holds nothing: tells its tenant and its parent, and the log. An erased one, and a hidden one, is forgotten. */
export async function reportLost(env: Env, tenant: string, task: string): Promise<void> {
  const row = await lostRow(env, tenant, task);
  if (row !== null) await tellLost(env, tenant, row);
}

async function tellLost(env: Env, tenant: string, row: TaskReport): Promise<void> {
  if (row.hidden) return await tenantsFromEnv(env)(tenant).forget(row.task);
  const lost = createLostReport(row, Date.now());
  const { erased } = await tenantsFromEnv(env)(tenant).report(lost);
  if (erased) return;
  console.error(JSON.stringify({ level: "error", tenant, task: row.task, error: STATE_LOST }));
  const { parent_id: parent } = lost.view;
  if (parent !== null) await tasksFromEnv(env)(tenant, parent).subtaskEnded(lost.view);
}

/** What the index has of it once it knows every erased task; null: nothing, or it does not know them now. */
async function lostRow(env: Env, tenant: string, task: string): Promise<TaskReport | null> {
  return (await tenantsFromEnv(env)(tenant).flush())
    ? unwrap(await databaseFromEnv(env).tasks.find(tenant, task))
    : null;
}
