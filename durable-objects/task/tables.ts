/**
 * The tables of one task in its object's SQLite. `docs/storage-schema.md` shows a row of each. `step-rows.ts` reads and
 * writes `steps`, and `values.ts` the table `task`.
 */
import type { LedgerChange } from "../../core/task/decision.ts";
import type { NewEvent, TaskEvent } from "../../core/task/events.ts";
import { fillToolData, findEventResult } from "../../core/task/tool-data.ts";
import type { ToolResult } from "../../core/tool/tool.ts";

/**
 * One statement per table and no index, because creating them is most of a new object's cost. `step`, `first_event` and
 * `last_event` only grow from row to row, so a row is found by halving.
 */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS task (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS steps (seq INTEGER PRIMARY KEY, step INTEGER NOT NULL, first_event INTEGER NOT NULL,
  last_event INTEGER NOT NULL, body TEXT NOT NULL);`;

/**
 * The rows of `task`: immutable facts; the version of the stored state; the record of an erasure; the version at which
 * retention deleted a part; what each waiting subtask asks of people; and the parts of a large row of `steps`.
 */
export const [FACTS, STATE, ERASING, TRIMMED, BELOW, LARGE_STEP] = [
  "facts",
  "state",
  "erasing",
  "trimmed/",
  "below/",
  "step/",
] as const;

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

/** An event with its position in the log. `result`: for a `tool-data` event, what its data is made of. */
export interface LoggedEvent extends NewEvent {
  readonly seq: number;
  readonly at: number;
  readonly result?: ToolResult;
}

/** Gives the events of a decision their positions. `ledger`: its changes to the ledger. */
export function toLogged(
  events: readonly (NewEvent & { readonly at?: number })[],
  {
    firstEvent,
    at,
    ledger = [],
  }: { readonly firstEvent: number; readonly at: number; readonly ledger?: readonly LedgerChange[] | undefined },
): LoggedEvent[] {
  return events.map(({ type, data, at: own = at }, index) => {
    const result = findEventResult({ type, data }, ledger);
    return { seq: firstEvent + index, at: own, type, data, ...(result === null ? {} : { result }) };
  });
}

/** Formats an event for the API. */
export function toTaskEvent({ seq, at, type, data, result }: LoggedEvent, taskId: string): TaskEvent {
  const filled = type === "tool-data" ? fillToolData(data, result ?? null) : data;
  return { seq, type, data: { task_id: taskId, at: new Date(at).toISOString(), ...filled } };
}

/** Maximum characters of JSON per page, far below the 32 MiB of one RPC. */
const PAGE_CHARACTERS = 4_000_000;

/** Takes at least one item, until `limit` or a full page. `more` is true when items remain. */
export function takePage<Item>(
  items: Iterable<Item>,
  limit: number,
  countCharacters: (item: Item) => number,
): { page: Item[]; more: boolean } {
  const page: Item[] = [];
  let characters = 0;
  for (const item of items) {
    if (page.length === limit || characters > PAGE_CHARACTERS) return { page, more: true };
    page.push(item);
    characters += countCharacters(item);
  }
  return { page, more: false };
}
