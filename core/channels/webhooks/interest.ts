/** Whether anybody outside may want to hear of an event, so that what nobody does costs its tenant nothing. */
import { isForEndpoints } from "./endpoint.ts";
import type { NoticeFacts, NoticeType, ReportedNotice } from "../../task/notice.ts";

/** Of a question whom it is asked of, and how it ended. One that is asked of nobody in particular (`person` null) was brought to nobody. */
const QUESTIONS: ReadonlySet<string> = new Set(["question.asked", "question.answered", "question.expired"]);
/** Of an approval, which is brought to whoever may decide it. */
const APPROVALS: ReadonlySet<string> = new Set(["approval.requested", "approval.decided", "approval.expired"]);

const ENDS: ReadonlySet<string> = new Set(["task.completed", "task.failed", "task.cancelled"]);

/** True for the end of a task that a schedule made: its ledger says how each of them ended. */
export function isEndOfRun({ via, parentId }: NoticeFacts, { type }: Pick<ReportedNotice, "type">): boolean {
  return via.channel === "schedule" && parentId === null && ENDS.has(type);
}

/**
 * True where an endpoint wants the type, where the task delivers somewhere, where a person is named, where asks are left
 * open, or where a schedule waits for the end.
 */
export function isWanted(facts: NoticeFacts, notice: ReportedNotice, interests: readonly NoticeType[]): boolean {
  const { type, data } = notice;
  if (isWantedByEndpoint(facts, notice, interests)) return true;
  if (facts.deliver.length > 0 || "closed" in data || isEndOfRun(facts, notice)) return true;
  return APPROVALS.has(type) || (QUESTIONS.has(type) && data["person"] !== null);
}

/** True where an endpoint wants the type, as far as the tenant's object knows. */
export function isWantedByEndpoint(
  facts: NoticeFacts,
  { type }: ReportedNotice,
  interests: readonly NoticeType[],
): boolean {
  return isForEndpoints(facts, type) && (interests as readonly string[]).includes(type);
}
