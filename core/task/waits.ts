/** The waits of calls: how they open, end, and expire. Subtasks have `core/task/subtasks.ts`. */
import { deriveWaitId } from "../base/ids.ts";
import { confirmedOutcome, failedOutcome } from "./ledger.ts";
import { PERSON } from "../provenance/label.ts";
import type { CallOutcome } from "./commands.ts";
import type { BatchCall } from "./state.ts";
import type { Wait } from "./wait.ts";
import type { Control } from "../tool/tool.ts";
import { type DecidesView, formatOwner } from "./view.ts";

type QuestionWait = Extract<Wait, { kind: "question" }>;
type ApprovalWait = Extract<Wait, { kind: "approval" }>;

/**
 * Returns the wait that a control opens; null if the task need not wait. `before` counts the settled questions of the
 * same call.
 */
export function openWait(control: Control, callId: string, now: number, before: number): Wait | null {
  switch (control.kind) {
    case "ask":
      if (!control.wait) return null;
      return {
        kind: "question",
        id: deriveWaitId("question", callId, before),
        query: control.query,
        choices: control.choices,
        person: control.person,
        ...(control.personId === undefined ? {} : { personId: control.personId }),
        expiresAt: control.deadlineSeconds === null ? null : now + control.deadlineSeconds * 1000,
        defaultAnswer: control.defaultAnswer,
        ...(control.state === undefined ? {} : { state: control.state }),
        since: now,
      };
    case "sleep":
      return { kind: "sleep", since: now, until: now + control.seconds * 1000 };
    case "attach":
    case "dispatch":
    case "load":
    case "finish":
    // `core/task/connections.ts` opens it.
    case "connect":
      return null;
  }
}

/** Returns when a wait expires; null: never. */
export function getWaitEnd(wait: Wait): number | null {
  switch (wait.kind) {
    case "question":
    case "approval":
    case "connection":
      return wait.expiresAt;
    case "sleep":
      return wait.until;
    case "subtask":
    case "unknown":
      return null;
  }
}

/** True for a wait for a person, whose time counts against no budget. */
export function isForPerson({ kind }: Wait): boolean {
  return kind === "question" || kind === "approval" || kind === "unknown" || kind === "connection";
}

/** The outcome of an expired wait. */
export function expiredOutcome(wait: Wait): CallOutcome {
  switch (wait.kind) {
    case "sleep": {
      const seconds = Math.round((wait.until - wait.since) / 1000);
      return confirmedOutcome({ waited_seconds: seconds }, `Waited ${seconds} seconds.`, wait.until - wait.since);
    }
    case "question":
      return wait.defaultAnswer === null
        ? confirmedOutcome({ answer: null, expired: true }, "Nobody answered in time.", 0)
        : confirmedOutcome(
            { answer: wait.defaultAnswer, expired: true },
            `Nobody answered in time. The agreed default stands: ${wait.defaultAnswer}`,
            0,
          );
    case "connection":
      return failedOutcome(
        "refused",
        "permission_denied",
        `Nobody connected ${wait.app} in time, so this was not done.`,
      );
    case "approval":
    case "subtask":
    case "unknown":
      return failedOutcome("refused", "gone", "Nobody decided in time, so this was not done.");
  }
}

/** The outcome of an answered question. */
export function answeredOutcome(answer: string, by: string): CallOutcome {
  return { ...confirmedOutcome({ answer, answered_by: by }, answer, 0), label: PERSON };
}

/** Says who decides an approval, to everybody else. */
export function explainOwner(name: string): string {
  return `${name} decides this: the call uses ${name}'s account.`;
}

/** Returns the event fields of a question: what it asks, and whom. */
export function toQuestionFields({ query, person, personId }: Pick<QuestionWait, "query" | "person" | "personId">) {
  return { query, person, ...(personId === undefined ? {} : { person_id: personId }) };
}

/** Returns the event field of an approval that one person decides; nothing for any other. */
export function toDecidesField({ owner }: Pick<ApprovalWait, "owner">): { readonly decides?: DecidesView } {
  return owner === undefined ? {} : { decides: formatOwner(owner) };
}

/** Returns the event fields of a wait for a person that has an id when its task ends; null for other waits. */
export function toOpenWaitFields(tool: string, wait: Wait | null): Readonly<Record<string, unknown>> | null {
  if (wait?.kind === "question") return { kind: wait.kind, id: wait.id, ...toQuestionFields(wait) };
  if (wait?.kind === "approval") return { kind: wait.kind, id: wait.id, tool, ...toDecidesField(wait) };
  return hasSettlement(wait) ? { kind: wait.kind, id: wait.id, tool } : null;
}

/** True for a wait whose end is stored under its id. */
export function hasSettlement(
  wait: Wait | null,
): wait is Extract<Wait, { kind: "question" | "approval" | "connection" }> {
  return wait?.kind === "question" || wait?.kind === "approval" || wait?.kind === "connection";
}

/** Returns the open call that has the wait with this id. */
export function findWaitingCall(batch: readonly BatchCall[], kind: Wait["kind"], id: string): BatchCall | null {
  return (
    batch.find((call) => call.wait !== null && call.wait.kind === kind && "id" in call.wait && call.wait.id === id) ??
    null
  );
}
