/** Fake results of a task tree. It passes the same contract as the real ones in the bucket and the tasks' objects. */
import { failed, ok } from "../../core/base/errors.ts";
import type { ResultsPort } from "../../core/ports/results.ts";
import { type Label, OUTSIDE } from "../../core/provenance/label.ts";

/** Results by the id of their call, and the labels of those more trusted than `OUTSIDE`. */
export function fakeResults(
  texts: Readonly<Record<string, string>> = {},
  labels: Readonly<Record<string, Label>> = {},
): ResultsPort {
  const byCall = new Map(Object.entries(texts));
  return {
    async read(callId) {
      const text = byCall.get(callId);
      return text === undefined ? failed("not_found", "There is no such result in this task.") : ok(text);
    },
    getLabel: async (callId) => labels[callId] ?? OUTSIDE,
  };
}
