/**
 * The mark of a task that is being erased, in its table `task`. It is stored before anything goes, so that the alarm ends what a
 * crash cuts off, and nothing of the task is read meanwhile.
 */
import { eraseFilesFromEnv } from "../../adapters/env/files.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { type Failure, NO_SUCH_TASK, TASK_ERASED } from "../../core/base/errors.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { ERASING } from "./tables.ts";
import type { TaskValues } from "./values.ts";

/** What the erasing needs to know of the task. */
export interface Erasing extends Pick<TaskFacts, "id" | "rootId" | "tenant"> {
  /** Its summary stays in memory. */
  readonly keepsMemory: boolean;
}

/** A crash or a failure cut the erasing off. Longer than the index takes. */
const RETRY_MS = 10_000;

export class TaskErasing {
  private readonly values: TaskValues;

  constructor(values: TaskValues) {
    this.values = values;
  }

  mark({ id, rootId, tenant }: TaskFacts, keepsMemory: boolean): void {
    const erasing: Erasing = { id, rootId, tenant, keepsMemory };
    this.values.write(ERASING, JSON.stringify(erasing));
  }

  /** Null: no erasing has begun. */
  find(): Erasing | null {
    const row = this.values.exist() ? this.values.read(ERASING) : null;
    return row === null ? null : (JSON.parse(row) as Erasing);
  }

  /** When the alarm repeats what was cut off; null: no erasing has begun. */
  retryAt(now: number): number | null {
    return this.find() === null ? null : now + RETRY_MS;
  }

  /** What a caller reads of a task that cannot be loaded. */
  whyAbsent(): Failure {
    return this.find() === null ? NO_SUCH_TASK : TASK_ERASED;
  }
}

/** Erases the task's files, and its line in the index. */
export async function eraseOutside(env: Env, { id, rootId, tenant, keepsMemory }: Erasing): Promise<void> {
  if (rootId === id) await eraseFilesFromEnv(env, { tenant, rootId });
  await tenantsFromEnv(env)(tenant).forget(id, keepsMemory);
}
