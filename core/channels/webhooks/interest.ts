/** Whether an event has any recipient outside, so that an event without one costs its tenant nothing. */
import { isForEndpoints } from "./endpoint.ts";
import type { NoticeFacts, NoticeType, ReportedNotice } from "../../task/notice.ts";

/** Events of a question. One without a person was sent to no recipient. */
const QUESTIONS: ReadonlySet<string> = new Set(["question.asked", "question.answered", "question.expired"]);
/** Events of an approval, which is sent to everyone who may decide it. */
const APPROVALS: ReadonlySet<string> = new Set(["approval.requested", "approval.decided", "approval.expired"]);

/** Events of a connection that a task needs, whose owner is notified. */
const CONNECTIONS: ReadonlySet<string> = new Set(["connection.requested", "connection.ready"]);

const ENDS: ReadonlySet<string> = new Set(["task.completed", "task.failed", "task.cancelled"]);

/** True for the end of a task that a schedule created, which its run history records. */
export function isEndOfRun({ via, parentId }: NoticeFacts, { type }: Pick<ReportedNotice, "type">): boolean {
  return via.channel === "schedule" && parentId === null && ENDS.has(type);
}

/**
 * True where an endpoint receives the type, the task delivers somewhere, a person is named, an account has to be
 * connected, questions stay open, or a schedule waits for the end.
 */
export function hasRecipient(facts: NoticeFacts, notice: ReportedNotice, interests: readonly NoticeType[]): boolean {
  const { type, data } = notice;
  if (isWantedByEndpoint(facts, notice, interests)) return true;
  if (facts.deliver.length > 0 || "closed" in data || isEndOfRun(facts, notice)) return true;
  if (CONNECTIONS.has(type)) return !facts.isHidden;
  return APPROVALS.has(type) || (QUESTIONS.has(type) && data["person"] !== null);
}

/** True where an endpoint receives the type, as far as the tenant's object knows. */
export function isWantedByEndpoint(
  facts: NoticeFacts,
  { type }: ReportedNotice,
  interests: readonly NoticeType[],
): boolean {
  return isForEndpoints(facts, type) && (interests as readonly string[]).includes(type);
}
