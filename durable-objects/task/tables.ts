/**
 * The tables of one task in its object's SQLite, and readers of their rows. `docs/storage-schema.md` shows a row of
 * each.
 */
import type { EventType, NewEvent, TaskEvent } from "../../core/task/events.ts";
import type { Label } from "../../core/provenance/label.ts";
import type { LedgerRow } from "../../core/task/decision.ts";
import type { LedgerState } from "../../core/task/state.ts";
import type { EffectClass, ToolResult } from "../../core/tool/tool.ts";

/** One statement per table and no index, because creating them is most of a new object's cost. */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS task (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS journal (seq INTEGER PRIMARY KEY, step INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS calls (step INTEGER NOT NULL, position INTEGER NOT NULL, call_id TEXT NOT NULL, tool TEXT NOT NULL,
  arguments TEXT NOT NULL, arguments_hash TEXT NOT NULL, effect TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL,
  attempts INTEGER NOT NULL, intended_at INTEGER NOT NULL, settled_at INTEGER, result TEXT, content TEXT, duration_ms INTEGER,
  PRIMARY KEY (step, position)) WITHOUT ROWID;`;

/**
 * The rows of `task`: immutable facts; the state, written by every decision; the text that replaces older steps; the
 * record of an erasure; the version at which retention deleted a part; and what each waiting subtask asks of people.
 */
export const [FACTS, STATE, COMPACTION, ERASING, TRIMMED, BELOW] = [
  "facts",
  "state",
  "compaction",
  "erasing",
  "trimmed/",
  "below/",
] as const;

/**
 * The row `state`. Other releases read its names `news` and `told`, and a row of an earlier release lacks `toldEvent`.
 */
export interface StateRow {
  readonly state: unknown;
  readonly version: number;
  readonly news: number;
  readonly told: number;
  readonly toldEvent?: number;
  readonly lastEvent: number;
}

/** The counters of a task next to its state. */
export interface StateVersions {
  readonly version: number;
  /** The last version that the tenant or parent needs, and the last one that was published. */
  readonly reportable: number;
  readonly published: number;
  /** The last published event. */
  readonly publishedEvent: number;
  /** The sequence number of the last event. */
  readonly lastEvent: number;
}

/** Events of a row without `toldEvent` count as published. */
export function fromStateRow({ news, told, toldEvent, ...row }: StateRow): StateVersions & { readonly state: unknown } {
  return { ...row, reportable: news, published: told, publishedEvent: toldEvent ?? row.lastEvent };
}

export function toStateRow(
  { reportable, published, publishedEvent, version, lastEvent }: StateVersions,
  state: object,
): StateRow {
  return { version, news: reportable, told: published, toldEvent: publishedEvent, lastEvent, state };
}

/**
 * Kinds of `journal` rows: a message of the conversation, a charged model call, the labels of results that settled
 * together (`ResultLabels`), or the ids of calls that read only uploads. Releases ignore unknown kinds.
 */
export type JournalKind = "message" | "spend" | "labels" | "uploads";

/** Labels of results by call id. A settled call without an entry is `OUTSIDE`. */
export type ResultLabels = Readonly<Record<string, Label>>;

/** Maximum characters of JSON per page, far below the 32 MiB of one RPC. */
const PAGE_CHARACTERS = 4_000_000;

/** The columns of a call, with null for the large ones. */
export const SMALL_COLUMNS = `step, position, call_id, tool, 'null' AS arguments, arguments_hash, effect, key, state, attempts,
  intended_at, settled_at, NULL AS result, NULL AS content, duration_ms`;

/** Reads at least one row, until `limit` or a full page. `more` is true when rows remain. */
export function takePage<Row extends Record<string, SqlStorageValue>>(
  cursor: SqlStorageCursor<Row>,
  limit: number,
  countCharacters: (row: Row) => number,
): { rows: Row[]; more: boolean } {
  const rows: Row[] = [];
  let characters = 0;
  for (let next = cursor.next(); next.done !== true; next = cursor.next()) {
    if (rows.length === limit || characters > PAGE_CHARACTERS) return { rows, more: true };
    rows.push(next.value);
    characters += countCharacters(next.value);
  }
  return { rows, more: false };
}

export type EventRow = { seq: number; at: number; type: string; data: string };

/** An event with its position in the log. */
export interface LoggedEvent extends NewEvent {
  readonly seq: number;
  readonly at: number;
}

/** Formats an event for the API. */
export function toTaskEvent({ seq, at, type, data }: LoggedEvent, taskId: string): TaskEvent {
  return { seq, type, data: { task_id: taskId, at: new Date(at).toISOString(), ...data } };
}

export function readEvent({ seq, at, type, data }: EventRow, taskId: string): TaskEvent {
  const event = { type: type as EventType, data: JSON.parse(data) as Record<string, unknown> };
  return toTaskEvent({ seq, at, ...event }, taskId);
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

/** Converts a row to core's type. */
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
