/** How a decision's changes to the ledger are written to the table `calls`. */
import { placeOfCall } from "../core/ids.ts";
import type { LedgerChange } from "../core/task-commands.ts";

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
  const { step, index } = placeOfCall(callId) ?? { step: -1, index: -1 };
  return [step, index];
}
