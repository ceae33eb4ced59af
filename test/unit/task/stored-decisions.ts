/** What is stored of a task's decisions, as its object keeps it: a row of the ledger is changed only as it may be. */
import type { NewEvent } from "../../../core/task/events.ts";
import type { PendingView } from "../../../core/task/view.ts";
import type { Decision, LedgerChange, LedgerRow, Spend, StepMessage } from "../../../core/task/decision.ts";

export class StoredDecisions {
  readonly events: NewEvent[] = [];
  readonly messages: StepMessage[] = [];
  readonly ledger = new Map<string, LedgerRow>();
  readonly spent: Spend[] = [];
  /** What each subtask waits for, by its id. */
  readonly below = new Map<string, readonly PendingView[]>();
  compaction: Decision["compaction"] = null;

  keep(decision: Decision): void {
    this.events.push(...decision.events);
    this.messages.push(...decision.messages);
    this.spent.push(...decision.spent);
    for (const change of decision.ledger) this.change(change);
    for (const { subtask, pending } of decision.below) {
      if (pending.length > 0) this.below.set(subtask, pending);
      else this.below.delete(subtask);
    }
    this.compaction = decision.compaction ?? this.compaction;
  }

  private change(change: LedgerChange): void {
    if (change.kind === "insert") {
      if (this.ledger.has(change.row.callId)) throw new Error(`${change.row.callId} is in the ledger twice`);
      this.ledger.set(change.row.callId, change.row);
      return;
    }
    const row = this.ledger.get(change.callId);
    if (row === undefined) throw new Error(`${change.callId} is not in the ledger`);
    if (row.settledAt !== null && change.kind !== "content")
      throw new Error(`${change.callId} changed after it had settled`);
    const { kind: _, ...rest } = change;
    this.ledger.set(change.callId, { ...row, ...rest });
  }
}
