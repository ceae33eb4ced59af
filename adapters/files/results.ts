/**
 * The results of a task tree. Shortened results are in the bucket under the tree's prefix; the others are in the rows
 * of the task that made the call, which the call's id names. A call never calls the object of its own task, which waits
 * for it: the object sends the rows with the job.
 */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { findTaskOfCall } from "../../core/base/ids.ts";
import { readStoredText } from "../../core/prompt/stored-results.ts";
import type { TaskRpc } from "../../core/task/rpc.ts";
import { OUTSIDE } from "../../core/provenance/label.ts";
import type { BlobPort } from "../../core/ports/blobs.ts";
import type { OwnResult } from "../../core/steps/rpc.ts";
import type { ResultsPort } from "../../core/ports/results.ts";
import { catchFailure } from "./r2.ts";

/** What opening a tree's results needs. `taskOf` returns the object of a task of the same tenant. */
export interface ResultsSettings {
  readonly blobs: BlobPort;
  readonly taskOf: (task: string) => Pick<TaskRpc, "facts" | "call">;
  readonly tenant: string;
  readonly rootId: string;
  /**
   * The task whose call reads, and the results that its object sent. Null: an object of an earlier release, which is
   * called.
   */
  readonly own: { readonly task: string; readonly results: readonly OwnResult[] } | null;
}

export function openResults({ blobs, taskOf, tenant, rootId, own }: ResultsSettings): ResultsPort {
  const sent = new Map(own?.results.map((result) => [result.callId, result]));

  async function fromTask(task: string, callId: string): Promise<Result<string>> {
    if (task === own?.task) {
      const row = sent.get(callId);
      return row === undefined ? NO_SUCH_RESULT : ok(row.content);
    }
    const object = taskOf(task);
    const facts = await object.facts();
    // A task of another tree is unknown here, like one that does not exist.
    if (!facts.ok || facts.value.rootId !== rootId) return NO_SUCH_RESULT;
    const row = await object.call(callId);
    return row.ok && row.value.content !== null ? ok(row.value.content) : NO_SUCH_RESULT;
  }

  return {
    getLabel: async (callId) => {
      const task = findTaskOfCall(callId);
      if (task === null) return OUTSIDE;
      if (task === own?.task) return sent.get(callId)?.label ?? OUTSIDE;
      const row = await catchFailure(async () => await taskOf(task).call(callId));
      return row.ok ? (row.value.label ?? OUTSIDE) : OUTSIDE;
    },
    read: (callId) =>
      catchFailure(async () => {
        const task = findTaskOfCall(callId);
        if (task === null) return NO_SUCH_RESULT;
        const kept = await readStoredText(blobs, { tenant, rootId }, callId);
        return kept.ok || kept.error.code !== "not_found" ? kept : await fromTask(task, callId);
      }),
  };
}

const NO_SUCH_RESULT = failed("not_found", "There is no such result in this task.");
