/** How a decision's changes to the ledger are written to the table `calls`. */
import type { LedgerChange } from "../core/task-commands.ts";

export function changeLedger(sql: SqlStorage, change: LedgerChange): void {
  switch (change.kind) {
    case "insert": {
      const { row } = change;
      sql.exec(
        "INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row.callId,
        row.step,
        row.index,
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
      sql.exec("UPDATE calls SET attempts = ? WHERE call_id = ?", change.attempts, change.callId);
      return;
    case "revise":
      sql.exec(
        "UPDATE calls SET arguments = ?, arguments_hash = ?, effect = ? WHERE call_id = ?",
        JSON.stringify(change.arguments),
        change.argumentsHash,
        change.effect,
        change.callId,
      );
      return;
    case "mark":
      sql.exec("UPDATE calls SET state = ? WHERE call_id = ?", change.state, change.callId);
      return;
    case "content":
      sql.exec("UPDATE calls SET content = ? WHERE call_id = ?", change.content, change.callId);
      return;
    case "settle":
      sql.exec(
        "UPDATE calls SET state = ?, result = ?, content = ?, settled_at = ?, duration_ms = ? WHERE call_id = ?",
        change.state,
        JSON.stringify(change.result),
        change.content,
        change.settledAt,
        change.durationMs,
        change.callId,
      );
  }
}
