/**
 * What is stored of one task: read and written in its object's SQLite, each decision whole or not at all. Tables are made
 * when the task is, so that a look at a task that does not exist leaves nothing behind.
 */
import { isTerminalEvent, type NewEvent, type TaskEvent } from "../core/events.ts";
import type { Message } from "../core/messages.ts";
import type { CondenseJob, LedgerPage } from "../core/objects.ts";
import { readState } from "../core/state-versions.ts";
import type { BelowChange, Decision, LedgerRow, Spend } from "../core/task-commands.ts";
import { STATE_VERSION, type TaskState } from "../core/task-state.ts";
import { pendingOf, type PendingView, type TaskView, viewTask } from "../core/task-view.ts";
import { changeLedger } from "./task-ledger.ts";
import {
  type CallRow,
  type EventRow,
  readCall,
  readEvent,
  readSpend,
  SCHEMA,
  SMALL_COLUMNS,
  type SpendRow,
  type TaskRow,
  upToPage,
} from "./task-tables.ts";

/** A task as it is stored. `version` counts saves; `unreported`: the tenant or the parent was not told of what matters since. */
export interface StoredTask {
  readonly state: TaskState;
  readonly version: number;
  readonly unreported: boolean;
}

export class TaskStore {
  private readonly storage: DurableObjectStorage;
  private readonly sql: SqlStorage;
  private cached: StoredTask | null = null;
  /** The messages of the steps up to `through`, as they were last read. */
  private conversed: {
    readonly compactedThrough: number;
    readonly through: number;
    readonly messages: readonly Message[];
  } | null = null;

  constructor(storage: DurableObjectStorage) {
    this.storage = storage;
    this.sql = storage.sql;
  }

  /** The task, or null when this object holds none. */
  load(): StoredTask | null {
    if (this.cached !== null) return this.cached;
    const [table] = this.sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'task'").toArray();
    if (table === undefined) return null;
    const query = "SELECT facts, state, version, unreported FROM task JOIN facts USING (id)";
    const [row] = this.sql.exec<TaskRow>(query).toArray();
    if (row === undefined) return null;
    const stored: unknown = JSON.parse(row.state);
    const state = readState(JSON.parse(row.facts), stored);
    if ((stored as TaskState).v !== STATE_VERSION) this.upgrade(state);
    this.cached = { state, version: row.version, unreported: row.unreported === 1 };
    return this.cached;
  }

  /** Writes the first decision of a task. */
  create(decision: Decision, now: number): TaskEvent[] {
    const { facts, ...rest } = decision.state;
    const events = this.storage.transactionSync(() => {
      this.sql.exec(SCHEMA);
      this.sql.exec("INSERT INTO facts VALUES (1, ?)", JSON.stringify(facts));
      this.sql.exec("INSERT INTO task VALUES (1, ?, 1, 1)", JSON.stringify(rest));
      return this.append(decision, now);
    });
    this.cached = { state: decision.state, version: 1, unreported: true };
    return events;
  }

  /** Writes a decision, whole or not at all. */
  save(decision: Decision, report: boolean, now: number): TaskEvent[] {
    const stored = this.load();
    if (stored === null) throw new Error("a task is created before it is saved");
    const version = stored.version + 1;
    const unreported = report || stored.unreported;
    const { facts: _, ...rest } = decision.state;
    const events = this.storage.transactionSync(() => {
      const row = [JSON.stringify(rest), version, unreported ? 1 : 0];
      this.sql.exec("UPDATE task SET state = ?, version = ?, unreported = ?", ...row);
      return this.append(decision, now);
    });
    this.cached = { state: decision.state, version, unreported };
    return events;
  }

  /** The tenant has to be told again how the task stands. */
  markUnreported(): void {
    const stored = this.load();
    if (stored === null) return;
    const version = stored.version + 1;
    this.sql.exec("UPDATE task SET version = ?, unreported = 1", version);
    this.cached = { ...stored, version, unreported: true };
  }

  /** The tenant was told of this version. It is stored with the next decision: to be told twice changes nothing. */
  markReported(version: number): void {
    const stored = this.load();
    if (stored?.version === version) this.cached = { ...stored, unreported: false };
  }

  /**
   * The conversation: each assistant message followed by what its calls brought, older steps by their compaction. What
   * was read before the present step is kept while the task runs, as it does not change any more.
   */
  conversation(): Message[] {
    const { step = 0, compactedThrough = 0 } = this.load()?.state ?? {};
    const known = this.conversed?.compactedThrough === compactedThrough ? this.conversed : null;
    const messages = known === null ? this.beginning(compactedThrough) : [...known.messages];
    messages.push(...this.messages(known?.through ?? compactedThrough, step - 1));
    this.conversed = { compactedThrough, through: Math.max(step - 1, compactedThrough), messages };
    return [...messages, ...this.messages(this.conversed.through, Number.MAX_SAFE_INTEGER)];
  }

  /** The task runs no more: what was kept for its next step is dropped. */
  rest(): void {
    this.conversed = null;
  }

  /** The task as the API shows it. */
  view(state: TaskState): TaskView {
    const argumentsOf = (id: string): unknown => this.calls([id])[0]?.arguments ?? null;
    const asked = Object.keys(state.waitsBelow).length > 0;
    return viewTask(state, { argumentsOf, below: asked ? this.below() : [] });
  }

  /** What is to be told in short when the steps up to `through` are, and what stays. */
  history(through: number): NonNullable<CondenseJob["history"]> {
    const kept = [...this.messages(-1, 0), ...this.messages(through, Number.MAX_SAFE_INTEGER)];
    return { through, previous: this.compaction(), messages: this.messages(this.compactedThrough(), through), kept };
  }

  /** Events after a sequence number, oldest first; `done` when the log ends with them. */
  events(after: number, limit: number): { events: TaskEvent[]; last: number; done: boolean } {
    const task = this.load();
    const query = "SELECT seq, at, type, data FROM events WHERE seq > ? ORDER BY seq LIMIT ?";
    const { rows } = upToPage(this.sql.exec<EventRow>(query, after, limit), limit, ({ data }) => data.length);
    const events = rows.map((row) => readEvent(row, task?.state.facts.id ?? ""));
    const [newest] = this.sql.exec<{ seq: number | null }>("SELECT max(seq) AS seq FROM events").toArray();
    const last = events.at(-1)?.seq ?? after;
    return { events, last, done: task?.state.phase.name === "ended" && last >= (newest?.seq ?? 0) };
  }

  /** Calls after `after`, in order. Without results, neither results nor arguments are read. */
  ledger({ after, limit, withResults }: { after: string | null; limit: number; withResults: boolean }): LedgerPage {
    const columns = withResults ? "*" : SMALL_COLUMNS;
    const from = "(step, position) > (SELECT step, position FROM calls WHERE call_id = ?)";
    const query = `SELECT ${columns} FROM calls WHERE ? IS NULL OR ${from} ORDER BY step, position LIMIT ?`;
    const read = this.sql.exec<CallRow>(query, after, after, limit + 1);
    const { rows, more } = upToPage(
      read,
      limit,
      ({ result, arguments: given }) => (result?.length ?? 0) + given.length,
    );
    return { rows: rows.map(readCall), next: more ? (rows.at(-1)?.call_id ?? null) : null };
  }

  /** The ledger rows of these calls, for hop two. */
  calls(ids: readonly string[]): LedgerRow[] {
    return ids.flatMap((id) =>
      this.sql.exec<CallRow>("SELECT * FROM calls WHERE call_id = ?", id).toArray().map(readCall),
    );
  }

  /** Every model call that was paid for, in order. */
  spending(): Spend[] {
    return this.sql.exec<SpendRow>("SELECT spend FROM spending ORDER BY seq").toArray().map(readSpend);
  }

  /** Forgets what is in memory; the storage itself is deleted by the object. */
  forget(): void {
    this.cached = null;
    this.rest();
  }

  /** Brings what an earlier release stored to the shapes of this one. */
  private upgrade(state: TaskState): void {
    const { facts, ...rest } = state;
    this.storage.transactionSync(() => {
      this.sql.exec(SCHEMA);
      this.sql.exec("UPDATE facts SET facts = ?", JSON.stringify(facts));
      this.sql.exec("UPDATE task SET state = ?", JSON.stringify(rest));
    });
  }

  /** The input, and what stands for the steps up to `compactedThrough`. */
  private beginning(compactedThrough: number): Message[] {
    const input = this.messages(-1, 0);
    const text = compactedThrough === 0 ? null : this.compaction();
    return text === null ? input : [...input, { role: "user", content: text }];
  }

  private compactedThrough(): number {
    return this.load()?.state.compactedThrough ?? 0;
  }

  /** What stands for the older steps; null: nothing does. */
  private compaction(): string | null {
    const [row] = this.sql.exec<{ text: string }>("SELECT text FROM compaction").toArray();
    return row?.text ?? null;
  }

  /** The messages of the steps after `after` up to `through`, each assistant message followed by what its calls brought. */
  private messages(after: number, through: number): Message[] {
    const contents = new Map<string, string>();
    for (const row of this.sql.exec<{ call_id: string; content: string | null }>(
      "SELECT call_id, content FROM calls WHERE step > ? AND step <= ?",
      after,
      through,
    )) {
      contents.set(row.call_id, row.content ?? "");
    }
    const messages: Message[] = [];
    const query = "SELECT message FROM messages WHERE step > ? AND step <= ? ORDER BY seq";
    for (const row of this.sql.exec<{ message: string }>(query, after, through)) {
      const message = JSON.parse(row.message) as Message;
      messages.push(message);
      if (message.role !== "assistant") continue;
      for (const { id, name } of message.calls ?? [])
        messages.push({ role: "tool", callId: id, name, content: contents.get(id) ?? "" });
    }
    return messages;
  }

  private below(): PendingView[] {
    const rows = this.sql.exec<{ pending: string }>("SELECT pending FROM below ORDER BY subtask").toArray();
    return rows.flatMap(({ pending }) => JSON.parse(pending) as PendingView[]);
  }

  private keepBelow({ subtask, pending }: BelowChange): void {
    if (pending.length === 0) this.sql.exec("DELETE FROM below WHERE subtask = ?", subtask);
    else this.sql.exec("INSERT OR REPLACE INTO below VALUES (?, ?)", subtask, JSON.stringify(pending));
  }

  private append(decision: Decision, now: number): TaskEvent[] {
    for (const { step, message } of decision.messages) {
      this.sql.exec("INSERT INTO messages (step, message) VALUES (?, ?)", step, JSON.stringify(message));
    }
    for (const change of decision.ledger) changeLedger(this.sql, change);
    for (const spend of decision.spent) {
      const row = [spend.step, spend.callId, JSON.stringify(spend)];
      this.sql.exec("INSERT INTO spending (step, call_id, spend) VALUES (?, ?, ?)", ...row);
    }
    for (const change of decision.below) this.keepBelow(change);
    if (decision.compaction !== null) {
      const { through, text } = decision.compaction;
      this.sql.exec("INSERT OR REPLACE INTO compaction VALUES (1, ?, ?)", through, text);
    }
    return decision.events.map((event) => this.appendEvent(event, decision.state.facts.id, now));
  }

  private appendEvent(event: NewEvent, taskId: string, now: number): TaskEvent {
    const data = JSON.stringify(event.data);
    const row = this.sql
      .exec<{ seq: number }>(
        "INSERT INTO events (at, type, data) VALUES (?, ?, ?) RETURNING seq",
        now,
        event.type,
        data,
      )
      .one();
    return readEvent({ seq: row.seq, at: now, type: event.type, data }, taskId);
  }
}

/** True for a decision after which the tenant's index, or the parent, has to hear how the task stands. */
export function changesIndex(before: TaskState, { state, events, below }: Decision): boolean {
  if (below.length > 0 || pendingOf(before).length !== pendingOf(state).length) return true;
  // The parent's time depends on whether this task's stands, where time is limited.
  const stands = (one: TaskState) => one.clock.since === null;
  if (state.facts.limits.maxDurationMs !== null && stands(before) !== stands(state)) return true;
  // What a subtask used that ended after this task did.
  if (before.uncounted.length > state.uncounted.length) return true;
  return events.some(({ type }) => isTerminalEvent(type) || /^(task|question|approval)\./.test(type));
}
