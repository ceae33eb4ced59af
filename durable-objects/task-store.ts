/**
 * The tables of one task, in its object's SQLite. The only file that knows them; `docs/storage-schema.md` shows a row of
 * each. Tables are made when the task is, so that a look at a task that does not exist leaves nothing behind.
 */
import type { Failure } from "../core/errors.ts";
import { isTerminalEvent, type EventType, type NewEvent, type TaskEvent } from "../core/events.ts";
import type { Message } from "../core/messages.ts";
import type { Decision, LedgerChange, LedgerRow, LedgerState, TaskFacts, TaskState } from "../core/task-state.ts";
import type { EffectClass, ToolResult } from "../core/tool.ts";

const SCHEMA = `
CREATE TABLE task (id INTEGER PRIMARY KEY CHECK (id = 1), facts TEXT NOT NULL, state TEXT NOT NULL, version INTEGER NOT NULL, unreported INTEGER NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL);
CREATE TABLE messages (seq INTEGER PRIMARY KEY, step INTEGER NOT NULL, message TEXT NOT NULL);
CREATE TABLE calls (call_id TEXT PRIMARY KEY, step INTEGER NOT NULL, position INTEGER NOT NULL, tool TEXT NOT NULL,
  arguments TEXT NOT NULL, arguments_hash TEXT NOT NULL, effect TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL,
  attempts INTEGER NOT NULL, intended_at INTEGER NOT NULL, settled_at INTEGER, result TEXT, content TEXT, duration_ms INTEGER) WITHOUT ROWID;
CREATE INDEX calls_by_step ON calls (step, position);`;

/** How many of the newest saves the tenant was not told of is kept as the version it has to reach; 0: it knows all. */
export interface StoredTask {
  readonly state: TaskState;
  readonly version: number;
  readonly unreported: boolean;
}

export class TaskStore {
  private readonly sql: SqlStorage;
  private cached: StoredTask | null = null;

  constructor(storage: DurableObjectStorage) {
    this.sql = storage.sql;
  }

  /** The task, or null when this object holds none. */
  load(): StoredTask | null {
    if (this.cached !== null) return this.cached;
    const [table] = this.sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'task'").toArray();
    if (table === undefined) return null;
    const [row] = this.sql
      .exec<{ facts: string; state: string; version: number; unreported: number }>(
        "SELECT facts, state, version, unreported FROM task",
      )
      .toArray();
    if (row === undefined) return null;
    const facts = JSON.parse(row.facts) as TaskFacts;
    const state = { ...(JSON.parse(row.state) as Omit<TaskState, "facts">), facts };
    this.cached = { state, version: row.version, unreported: row.unreported === 1 };
    return this.cached;
  }

  /** Writes the first decision of a task. */
  create(decision: Decision, now: number): TaskEvent[] {
    this.sql.exec(SCHEMA);
    const { facts, ...rest } = decision.state;
    this.sql.exec("INSERT INTO task VALUES (1, ?, ?, 1, 1)", JSON.stringify(facts), JSON.stringify(rest));
    this.cached = { state: decision.state, version: 1, unreported: true };
    return this.append(decision, now);
  }

  /** Writes a decision: one group of writes without an await, so it is stored whole or not at all. */
  save(decision: Decision, report: boolean, now: number): TaskEvent[] {
    const stored = this.load();
    if (stored === null) throw new Error("a task is created before it is saved");
    const version = stored.version + 1;
    const unreported = report || stored.unreported;
    const { facts: _, ...rest } = decision.state;
    this.sql.exec(
      "UPDATE task SET state = ?, version = ?, unreported = ?",
      JSON.stringify(rest),
      version,
      unreported ? 1 : 0,
    );
    this.cached = { state: decision.state, version, unreported };
    return this.append(decision, now);
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
    const rows = this.sql
      .exec<EventRow>("SELECT seq, at, type, data FROM events WHERE seq > ? ORDER BY seq LIMIT ?", after, limit)
      .toArray();
    const taskId = this.load()?.state.facts.id ?? "";
    const events = rows.map((row) => readEvent(row, taskId));
    const ended = this.load()?.state.phase.name === "ended";
    const [newest] = this.sql.exec<{ seq: number | null }>("SELECT max(seq) AS seq FROM events").toArray();
    const last = events.at(-1)?.seq ?? after;
    return { events, last, done: ended && last >= (newest?.seq ?? 0) };
  }

  ledger(): LedgerRow[] {
    return this.sql.exec<CallRow>("SELECT * FROM calls ORDER BY step, position").toArray().map(readCall);
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

/** The answer for a task that is not here. */
export const NO_SUCH_TASK: Failure = { code: "not_found", message: "There is no task with this id." };

type EventRow = { seq: number; at: number; type: string; data: string };

function readEvent(row: EventRow, taskId: string): TaskEvent {
  const data = JSON.parse(row.data) as Record<string, unknown>;
  return {
    seq: row.seq,
    type: row.type as EventType,
    data: { task_id: taskId, at: new Date(row.at).toISOString(), ...data },
  };
}

type CallRow = {
  call_id: string;
  step: number;
  position: number;
  tool: string;
  arguments: string;
  arguments_hash: string;
  effect: string;
  key: string;
  state: string;
  attempts: number;
  intended_at: number;
  settled_at: number | null;
  result: string | null;
  content: string | null;
  duration_ms: number | null;
};

function readCall(row: CallRow): LedgerRow {
  return {
    callId: row.call_id,
    step: row.step,
    index: row.position,
    tool: row.tool,
    arguments: JSON.parse(row.arguments) as unknown,
    argumentsHash: row.arguments_hash,
    effect: row.effect as EffectClass,
    key: row.key,
    state: row.state as LedgerState,
    attempts: row.attempts,
    intendedAt: row.intended_at,
    settledAt: row.settled_at,
    result: row.result === null ? null : (JSON.parse(row.result) as ToolResult),
    content: row.content,
    durationMs: row.duration_ms,
  };
}
