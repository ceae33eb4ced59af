/** The permit that comes with the admission of a request that creates or wakes a task. */
import { getRemaining, type ShortPermit } from "../../core/task/short-permit.ts";
import type { AppContext } from "./context.ts";

/** Creating and starting a task, answering its question, deciding its approval. */
const WAKING_PATH = /^\/v1\/tasks(\/[^/]+\/(start|questions\/[^/]+\/answer|approvals\/[^/]+|connections\/[^/]+))?$/;

/** True for a request that may create or wake a task. */
export function wakesTask({ req }: AppContext): boolean {
  return req.method === "POST" && WAKING_PATH.test(req.path);
}

/** Returns what is left of the request's permit, once; null if nothing is. It is valid only shortly after its admission. */
export function takePermit(c: AppContext): ShortPermit | null {
  const permit = c.get("permit");
  c.set("permit", undefined);
  return permit === undefined ? null : getRemaining(permit, permit.at, Date.now());
}
