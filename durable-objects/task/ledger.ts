/** How a decision's changes to the ledger are written to the table `calls`, and what the journal states of them. */
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
        ...placeOf(change.callId),
      );
      return;
    case "revise":
      sql.exec(
        "UPDATE calls SET arguments = ?, arguments_hash = ?, effect = ? WHERE step = ? AND position = ?",
        JSON.stringify(change.arguments),
        change.argumentsHash,
        change.effect,
        ...placeOf(change.callId),
      );
      return;
    case "mark":
      sql.exec("UPDATE calls SET state = ? WHERE step = ? AND position = ?", change.state, ...placeOf(change.callId));
      return;
    case "content":
      sql.exec(
        "UPDATE calls SET content = ? WHERE step = ? AND position = ?",
        change.content,
        ...placeOf(change.callId),
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
        ...placeOf(change.callId),
      );
  }
}

/** The primary key of a call. */
export function placeOf(callId: string): [step: number, position: number] {
  const { step, index } = parseCallId(callId) ?? { step: -1, index: -1 };
  return [step, index];
}

/** The labels below `OUTSIDE` of the results that settle in a decision. It may have begun the next step already. */
export function labelsByStep({ ledger }: Pick<Decision, "ledger">): ReadonlyMap<number, ResultLabels> {
  const byStep = new Map<number, ResultLabels>();
  for (const change of ledger) {
    if (change.kind !== "settle" || change.label >= OUTSIDE) continue;
    const [step] = placeOf(change.callId);
    byStep.set(step, { ...byStep.get(step), [change.callId]: change.label });
  }
  return byStep;
}

/** The calls that settle in a decision and read uploads alone. */
export function uploadsByStep({ ledger }: Pick<Decision, "ledger">): ReadonlyMap<number, readonly string[]> {
  const byStep = new Map<number, readonly string[]>();
  for (const change of ledger) {
    if (change.kind !== "settle" || change.isUpload !== true) continue;
    const [step] = placeOf(change.callId);
    byStep.set(step, [...(byStep.get(step) ?? []), change.callId]);
  }
  return byStep;
}
