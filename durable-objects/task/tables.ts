/** The tables of one task in its object's SQLite, and how their rows are read. `docs/storage-schema.md` shows a row of each. */
import type { EventType, NewEvent, TaskEvent } from "../../core/task/events.ts";
import type { Label } from "../../core/provenance/label.ts";
import type { LedgerRow } from "../../core/task/decision.ts";
import type { LedgerState } from "../../core/task/state.ts";
import type { EffectClass, ToolResult } from "../../core/tool/tool.ts";

/** One statement a table and no index: making them is most of what a new object costs. */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS task (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS journal (seq INTEGER PRIMARY KEY, step INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS calls (step INTEGER NOT NULL, position INTEGER NOT NULL, call_id TEXT NOT NULL, tool TEXT NOT NULL,
  arguments TEXT NOT NULL, arguments_hash TEXT NOT NULL, effect TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL,
  attempts INTEGER NOT NULL, intended_at INTEGER NOT NULL, settled_at INTEGER, result TEXT, content TEXT, duration_ms INTEGER,
  PRIMARY KEY (step, position)) WITHOUT ROWID;`;

/**
 * The rows of `task`: what never changes; what every decision writes; the text that stands for older steps; that the task is
 * being erased; the version at which it lost a part to retention; and, for each subtask that waits for people, what it waits for.
 */
export const [FACTS, STATE, COMPACTION, ERASING, TRIMMED, BELOW] = [
  "facts",
  "state",
  "compaction",
  "erasing",
  "trimmed/",
  "below/",
] as const;

/** What the row `state` holds. */
export interface StateRow {
  readonly state: unknown;
  readonly version: number;
  readonly news: number;
  readonly told: number;
  readonly lastEvent: number;
}

/**
 * What a row of `journal` is: a message of the conversation, a model call that was paid for, the labels of results that
 * settled together (`ResultLabels`), or the ids of calls that read uploads alone. Releases ignore kinds that they do not know.
 */
export type JournalKind = "message" | "spend" | "labels" | "uploads";

/** The labels of calls' results, by call id. A settled call that none names is `OUTSIDE`. */
export type ResultLabels = Readonly<Record<string, Label>>;

/** The most that a page holds, in characters of JSON: far below the 32 MiB that one RPC may carry. */
const PAGE_CHARACTERS = 4_000_000;

/** The columns of a call without what can be large. */
export const SMALL_COLUMNS = `step, position, call_id, tool, 'null' AS arguments, arguments_hash, effect, key, state, attempts,
  intended_at, settled_at, NULL AS result, NULL AS content, duration_ms`;

/** Rows until `limit` or a page is full (always one, if there is one), and whether there are more. */
export function upToPage<Row extends Record<string, SqlStorageValue>>(
  cursor: SqlStorageCursor<Row>,
  limit: number,
  charactersOf: (row: Row) => number,
): { rows: Row[]; more: boolean } {
  const rows: Row[] = [];
  let characters = 0;
  for (let next = cursor.next(); next.done !== true; next = cursor.next()) {
    if (rows.length === limit || characters > PAGE_CHARACTERS) return { rows, more: true };
    rows.push(next.value);
    characters += charactersOf(next.value);
  }
  return { rows, more: false };
}

export type EventRow = { seq: number; at: number; type: string; data: string };

/** An event with its place in the log. */
export interface LoggedEvent extends NewEvent {
  readonly seq: number;
  readonly at: number;
}

/** An event as it is sent. */
export function shownEvent({ seq, at, type, data }: LoggedEvent, taskId: string): TaskEvent {
  return { seq, type, data: { task_id: taskId, at: new Date(at).toISOString(), ...data } };
}

export function readEvent({ seq, at, type, data }: EventRow, taskId: string): TaskEvent {
  const event = { type: type as EventType, data: JSON.parse(data) as Record<string, unknown> };
  return shownEvent({ seq, at, ...event }, taskId);
}

export type CallRow = {
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

/** A call as core knows it. */
export function readCall(row: CallRow): LedgerRow {
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
