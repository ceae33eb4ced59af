/**
 * What is stored of one task: read and written in its object's SQLite, each decision whole or not at all. Tables are made
 * when the task is, so that a look at a task that does not exist leaves nothing behind.
 */
import { isTerminalEvent, type NewEvent, type TaskEvent } from "../core/events.ts";
import type { Message } from "../core/messages.ts";
import type { LedgerPage } from "../core/objects.ts";
import {
  type Decision,
  type LedgerChange,
  type LedgerRow,
  STATE_VERSION,
  type TaskFacts,
  type TaskState,
} from "../core/task-state.ts";
import {
  type CallRow,
  type EventRow,
  readCall,
  readEvent,
  SCHEMA,
  SMALL_COLUMNS,
  type TaskRow,
  upToPage,
} from "./task-tables.ts";

/** A task as it is stored. `version` counts saves; `unreported`: the tenant was not told of what matters since. */
export interface StoredTask {
  readonly state: TaskState;
  readonly version: number;
  readonly unreported: boolean;
}

export class TaskStore {
  private readonly storage: DurableObjectStorage;
  private readonly sql: SqlStorage;
  private cached: StoredTask | null = null;

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
    const facts = JSON.parse(row.facts) as TaskFacts;
    const state = { ...(JSON.parse(row.state) as Omit<TaskState, "facts">), facts };
    if (state.v !== STATE_VERSION) throw new Error(`the task is stored as version ${String(state.v)}`);
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

  /** The tenant was told of this version. */
  markReported(version: number): void {
    const stored = this.load();
    if (stored === null || stored.version !== version) return;
    this.sql.exec("UPDATE task SET unreported = 0");
    this.cached = { ...stored, unreported: false };
  }

  /** The conversation, each assistant message followed by what its calls brought. */
  conversation(): Message[] {
    const contents = new Map<string, { tool: string; content: string }>();
    for (const row of this.sql.exec<{ call_id: string; tool: string; content: string | null }>(
      "SELECT call_id, tool, content FROM calls",
    )) {
      contents.set(row.call_id, { tool: row.tool, content: row.content ?? "" });
    }
    const messages: Message[] = [];
    for (const row of this.sql.exec<{ message: string }>("SELECT message FROM messages ORDER BY seq")) {
      const message = JSON.parse(row.message) as Message;
      messages.push(message);
      if (message.role !== "assistant") continue;
      for (const call of message.calls ?? []) {
        const found = contents.get(call.id);
        messages.push({ role: "tool", callId: call.id, name: call.name, content: found?.content ?? "" });
      }
    }
    return messages;
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

  /** Forgets what is in memory; the storage itself is deleted by the object. */
  forget(): void {
    this.cached = null;
  }

  private append(decision: Decision, now: number): TaskEvent[] {
    for (const message of decision.messages) {
      this.sql.exec("INSERT INTO messages (step, message) VALUES (?, ?)", decision.state.step, JSON.stringify(message));
    }
    for (const change of decision.ledger) this.change(change);
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

  private change(change: LedgerChange): void {
    switch (change.kind) {
      case "insert": {
        const { row } = change;
        this.sql.exec(
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
        this.sql.exec("UPDATE calls SET attempts = ? WHERE call_id = ?", change.attempts, change.callId);
        return;
      case "settle":
        this.sql.exec(
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
}

/** True for events after which the tenant's index has to show something else. */
export function changesIndex(events: readonly NewEvent[]): boolean {
  return events.some(({ type }) => isTerminalEvent(type) || /^(task|question|approval)\./.test(type));
}
