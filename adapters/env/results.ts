/** The results of calls. */
import type { Env } from "./bindings.ts";
import { blobsFromEnv } from "./files.ts";
import { tasksFromEnv } from "./tasks.ts";
import { openResults } from "../files/results.ts";
import type { ResultsPort } from "../../core/ports/results.ts";
import type { OwnResult } from "../../core/steps/rpc.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** The results of the calls of a task tree. `own`: those that the task's object sent; null: the object is called. */
export function resultsFromEnv(
  env: Env,
  { id, tenant, rootId }: Pick<TaskFacts, "id" | "tenant" | "rootId">,
  own: readonly OwnResult[] | null,
): ResultsPort {
  const taskOf = (task: string) => tasksFromEnv(env)(tenant, task);
  const sent = own === null ? null : { task: id, results: own };
  return openResults({ blobs: blobsFromEnv(env), taskOf, tenant, rootId, own: sent });
}
