/** Writes a decision's ledger changes to the table `calls`, and collects what the journal stores about them. */
import { parseCallId } from "../../core/base/ids.ts";
import { OUTSIDE } from "../../core/provenance/label.ts";
import type { Decision, LedgerChange } from "../../core/task/decision.ts";
import type { ResultLabels } from "./tables.ts";

export function changeLedger(sql: SqlStorage, change: LedgerChange): void {
  switch (change.kind) {
    case "insert": {
      const { row } = change;
      sql.exec(
        "INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row.step,
        row.index,
        row.callId,
        row.tool,
        JSON.stringify(row.arguments),
        row.argumentsHash,
        row.effect,
        row.key,
        row.state,
        row.attempts,
        row.intendedAt,
        row.settledAt,
        row.result === null ? null : JSON.stringify(row.result),
        row.content,
        row.durationMs,
      );
      return;
    }
    case "attempt":
      sql.exec(
        "UPDATE calls SET attempts = ? WHERE step = ? AND position = ?",
        change.attempts,
        ...toPosition(change.callId),
      );
      return;
    case "revise":
      sql.exec(
        "UPDATE calls SET arguments = ?, arguments_hash = ?, effect = ? WHERE step = ? AND position = ?",
        JSON.stringify(change.arguments),
        change.argumentsHash,
        change.effect,
        ...toPosition(change.callId),
      );
      return;
    case "mark":
      sql.exec(
        "UPDATE calls SET state = ? WHERE step = ? AND position = ?",
        change.state,
        ...toPosition(change.callId),
      );
      return;
    case "content":
      sql.exec(
        "UPDATE calls SET content = ? WHERE step = ? AND position = ?",
        change.content,
        ...toPosition(change.callId),
      );
      return;
    case "settle":
      sql.exec(
        "UPDATE calls SET state = ?, result = ?, content = ?, settled_at = ?, duration_ms = ? WHERE step = ? AND position = ?",
        change.state,
        JSON.stringify(change.result),
        change.content,
        change.settledAt,
        change.durationMs,
        ...toPosition(change.callId),
      );
  }
}

/** Returns the primary key of a call. */
export function toPosition(callId: string): [step: number, position: number] {
  const { step, index } = parseCallId(callId) ?? { step: -1, index: -1 };
  return [step, index];
}

/**
 * Groups the labels below `OUTSIDE` of the results that settle in a decision, by step. The decision may already have
 * started the next step.
 */
export function groupLabelsByStep({ ledger }: Pick<Decision, "ledger">): ReadonlyMap<number, ResultLabels> {
  const byStep = new Map<number, ResultLabels>();
  for (const change of ledger) {
    if (change.kind !== "settle" || change.label >= OUTSIDE) continue;
    const [step] = toPosition(change.callId);
    byStep.set(step, { ...byStep.get(step), [change.callId]: change.label });
  }
  return byStep;
}

/** Groups the calls that settle in a decision and read only uploads, by step. */
export function groupUploadsByStep({ ledger }: Pick<Decision, "ledger">): ReadonlyMap<number, readonly string[]> {
  const byStep = new Map<number, readonly string[]>();
  for (const change of ledger) {
    if (change.kind !== "settle" || change.isUpload !== true) continue;
    const [step] = toPosition(change.callId);
    byStep.set(step, [...(byStep.get(step) ?? []), change.callId]);
  }
  return byStep;
}
