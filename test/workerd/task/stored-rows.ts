/** The rows of a task's object: as this release stores them, and as a release before version 7 did. */
import type { Decision, LedgerRow } from "../../../core/task/decision.ts";
import type { TaskState } from "../../../core/task/state.ts";
import { SCHEMA } from "../../../durable-objects/task/tables.ts";
import type { StepBody } from "../../../durable-objects/task/step-rows.ts";
import { type StoredTask, TaskStore } from "../../../durable-objects/task/store.ts";

/** The tables of a release before version 7. */
const EARLIER_SCHEMA = `
CREATE TABLE task (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL);
CREATE TABLE journal (seq INTEGER PRIMARY KEY, step INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE calls (step INTEGER NOT NULL, position INTEGER NOT NULL, call_id TEXT NOT NULL, tool TEXT NOT NULL,
  arguments TEXT NOT NULL, arguments_hash TEXT NOT NULL, effect TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL,
  attempts INTEGER NOT NULL, intended_at INTEGER NOT NULL, settled_at INTEGER, result TEXT, content TEXT, duration_ms INTEGER,
  PRIMARY KEY (step, position)) WITHOUT ROWID;`;

/** The rows of a task of an earlier release, by table. */
export type EarlierRows = Readonly<Record<"task" | "events" | "journal" | "calls", readonly object[]>>;

/** A stored state that a test changes. */
type Changeable = { -readonly [Name in keyof Omit<StoredTask, "state">]: StoredTask[Name] } & {
  state: { -readonly [Name in keyof TaskState]: TaskState[Name] };
};

/** Reads the task from its rows, not from the object's memory. */
export function readStored(storage: DurableObjectStorage): StoredTask {
  const stored = new TaskStore(storage).load();
  if (stored === null) throw new Error("the object has no task");
  return stored;
}

/** Changes the last row of a task, which then has the whole state. The object has to be restarted. */
export function changeLastRow(storage: DurableObjectStorage, change: (stored: Changeable) => void): void {
  const stored = structuredClone(readStored(storage)) as Changeable;
  change(stored);
  const { seq, state, lastEvent: _, ...counters } = stored;
  const { facts: __, ...rest } = state;
  const { body } = storage.sql.exec<{ body: string }>("SELECT body FROM steps WHERE seq = ?", seq).one();
  const head = { ...counters, base: seq, state: rest };
  const changed = JSON.stringify({ ...(JSON.parse(body) as object), head });
  storage.sql.exec("UPDATE steps SET body = ? WHERE seq = ?", changed, seq);
}

/** The rows of a task of version 7 or later, by table. */
export type TaskRows = Readonly<Record<"task" | "steps", readonly Readonly<Record<string, string | number>>[]>>;

/** Creates the tables of a release before version 7 with these rows. Nothing else may be stored. */
export function storeEarlierRows(storage: DurableObjectStorage, rows: EarlierRows): void {
  storage.sql.exec(EARLIER_SCHEMA);
  insertRows(storage, rows);
}

/** Creates the tables of version 7 and later with these rows. Nothing else may be stored. */
export function storeRows(storage: DurableObjectStorage, rows: TaskRows): void {
  storage.sql.exec(SCHEMA);
  insertRows(storage, rows);
}

function insertRows({ sql }: DurableObjectStorage, rows: Readonly<Record<string, readonly object[]>>): void {
  for (const [table, all] of Object.entries(rows)) {
    for (const row of all) {
      const marks = Object.keys(row).map(() => "?");
      const columns = Object.keys(row).join(", ");
      sql.exec(`INSERT INTO ${table} (${columns}) VALUES (${marks.join(", ")})`, ...Object.values(row));
    }
  }
}

/**
 * Stores a task as the release of version 6 would have, or that of version 5 after `change` has edited its state. The
 * object has to be restarted.
 */
export function storeAsEarlierRelease(
  storage: DurableObjectStorage,
  change: (row: { state: Record<string, unknown>; [name: string]: unknown }) => void = () => undefined,
): void {
  const store = new TaskStore(storage);
  const { state, version, reportable, published, publishedEvent, lastEvent } = readStored(storage);
  const { facts, ...rest } = structuredClone(state);
  const numbers = { version, news: reportable, told: published, toldEvent: publishedEvent, lastEvent };
  const row = { ...numbers, state: { ...rest, v: 6 } };
  change(row);
  const calls = [...store.ledger.readAll()];
  const messages = storage.sql
    .exec<{ body: string }>("SELECT body FROM steps ORDER BY seq")
    .toArray()
    .flatMap(({ body }) => (JSON.parse(body) as { messages?: { step: number; message: object }[] }).messages ?? []);
  const rows: EarlierRows = {
    task: [
      { name: "facts", value: JSON.stringify(facts) },
      { name: "state", value: JSON.stringify(row) },
    ],
    events: store.log
      .readPage(readStored(storage), 0, 100_000)
      .events.map(({ seq, type, data: { at, task_id: _, ...data } }) => {
        return { seq, at: Date.parse(String(at)), type, data: JSON.stringify(data) };
      }),
    journal: [
      ...messages.map(({ step, message }) => ({ step, kind: "message", body: JSON.stringify(message) })),
      ...store.readSpending().map((spend) => ({ step: spend.step, kind: "spend", body: JSON.stringify(spend) })),
      ...calls.map(({ callId, step, label }) => ({ step, kind: "labels", body: JSON.stringify({ [callId]: label }) })),
    ],
    calls: calls.map((call) => ({
      step: call.step,
      position: call.index,
      call_id: call.callId,
      tool: call.tool,
      arguments: JSON.stringify(call.arguments),
      arguments_hash: call.argumentsHash,
      effect: call.effect,
      key: call.key,
      state: call.state,
      attempts: call.attempts,
      intended_at: call.intendedAt,
      settled_at: call.settledAt,
      result: call.result === null ? null : JSON.stringify(call.result),
      content: call.content,
      duration_ms: call.durationMs,
    })),
  };
  for (const table of ["task", "steps"]) storage.sql.exec(`DROP TABLE ${table}`);
  storeEarlierRows(storage, rows);
}

/** Stores events without any other change. The object has to be restarted. */
export function storeEvents(storage: DurableObjectStorage, events: Decision["events"]): void {
  const nothing = { messages: [], ledger: [], spent: [], below: [], compaction: null, work: null, refused: null };
  const { state } = readStored(storage);
  new TaskStore(storage).save({ ...nothing, state, events }, false, Date.now());
}

/** Stores a copy of the task's first call, with what a test changes, in its last row. */
export function storeCopyOfCall(storage: DurableObjectStorage, change: Partial<LedgerRow>): void {
  const [call] = new TaskStore(storage).ledger.readAll();
  const { seq, body } = storage.sql
    .exec<{ seq: number; body: string }>("SELECT seq, body FROM steps ORDER BY seq DESC LIMIT 1")
    .one();
  const stored = JSON.parse(body) as StepBody;
  const insert = { kind: "insert", row: { ...call, ...change } };
  const changed = JSON.stringify({ ...stored, ledger: [...(stored.ledger ?? []), insert] });
  storage.sql.exec("UPDATE steps SET body = ? WHERE seq = ?", changed, seq);
}
