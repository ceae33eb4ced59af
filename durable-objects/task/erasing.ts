/**
 * The record of a task's erasure, in its table `task`. It is stored before anything is deleted: the alarm finishes an
 * interrupted erasure, and the task is unreadable meanwhile.
 */
import { eraseFilesFromEnv } from "../../adapters/env/files.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type Failure, NO_SUCH_TASK, TASK_ERASED } from "../../core/base/errors.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { ERASING } from "./tables.ts";
import type { TaskValues } from "./values.ts";

/** What an erasure needs to know of the task, as the stored row names it. */
export interface Erasure extends Pick<TaskFacts, "id" | "rootId" | "tenant"> {
  /** True if the task's summary stays in memory. */
  readonly keepsMemory: boolean;
}

/** Delay before an interrupted erasure is repeated. Longer than an index update takes. */
const RETRY_MS = 10_000;

export class TaskErasure {
  private readonly values: TaskValues;

  constructor(values: TaskValues) {
    this.values = values;
  }

  mark({ id, rootId, tenant }: TaskFacts, retainsSummary: boolean): void {
    const erasure: Erasure = { id, rootId, tenant, keepsMemory: retainsSummary };
    this.values.write(ERASING, JSON.stringify(erasure));
  }

  /** Null if no erasure was recorded. */
  find(): Erasure | null {
    const row = this.values.hasTable() ? this.values.read(ERASING) : null;
    return row === null ? null : (JSON.parse(row) as Erasure);
  }

  /** Returns when the alarm repeats an interrupted erasure; null if none was recorded. */
  computeRetryAt(now: number): number | null {
    return this.find() === null ? null : now + RETRY_MS;
  }

  /** The failure that a caller gets when the task cannot be loaded. */
  explainAbsence(): Failure {
    return this.find() === null ? NO_SUCH_TASK : TASK_ERASED;
  }
}

/** Erases the task's files and its index row. */
export async function eraseOutside(env: Env, { id, rootId, tenant, keepsMemory }: Erasure): Promise<void> {
  if (rootId === id) await eraseFilesFromEnv(env, { tenant, rootId });
  await tenantsFromEnv(env)(tenant).forget(id, keepsMemory);
}
