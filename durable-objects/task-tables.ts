/** The tables of one task in its object's SQLite, and how their rows are read. `docs/storage-schema.md` shows a row of each. */
import type { EventType, TaskEvent } from "../core/events.ts";
import type { LedgerRow, Spend } from "../core/task-commands.ts";
import type { LedgerState } from "../core/task-state.ts";
import type { EffectClass, ToolResult } from "../core/tool.ts";

export const SCHEMA = `
CREATE TABLE IF NOT EXISTS facts (id INTEGER PRIMARY KEY CHECK (id = 1), facts TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS task (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL, version INTEGER NOT NULL, unreported INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS messages (seq INTEGER PRIMARY KEY, step INTEGER NOT NULL, message TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS calls (call_id TEXT PRIMARY KEY, step INTEGER NOT NULL, position INTEGER NOT NULL, tool TEXT NOT NULL,
  arguments TEXT NOT NULL, arguments_hash TEXT NOT NULL, effect TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL,
  attempts INTEGER NOT NULL, intended_at INTEGER NOT NULL, settled_at INTEGER, result TEXT, content TEXT, duration_ms INTEGER) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS calls_by_step ON calls (step, position);
CREATE TABLE IF NOT EXISTS spending (seq INTEGER PRIMARY KEY, step INTEGER NOT NULL, call_id TEXT, spend TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS below (subtask TEXT PRIMARY KEY, pending TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS compaction (one INTEGER PRIMARY KEY CHECK (one = 1), through INTEGER NOT NULL, text TEXT NOT NULL);`;

/** The most that a page holds, in characters of JSON: far below the 32 MiB that one RPC may carry. */
const PAGE_CHARACTERS = 4_000_000;

/** The columns of a call without what can be large. */
export const SMALL_COLUMNS = `call_id, step, position, tool, 'null' AS arguments, arguments_hash, effect, key, state, attempts,
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

export type TaskRow = { facts: string; state: string; version: number; unreported: number };

/** A row of `spending`; the step and the call stand beside it to be looked for. */
export type SpendRow = { spend: string };

export function readSpend(row: SpendRow): Spend {
  return JSON.parse(row.spend) as Spend;
}

export type EventRow = { seq: number; at: number; type: string; data: string };

/** An event as it is sent. */
export function readEvent(row: EventRow, taskId: string): TaskEvent {
  const data = JSON.parse(row.data) as Record<string, unknown>;
  return {
    seq: row.seq,
    type: row.type as EventType,
    data: { task_id: taskId, at: new Date(row.at).toISOString(), ...data },
  };
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
