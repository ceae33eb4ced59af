/**
 * The table `steps`: one row per decision, with everything that the decision stores. A row is never rewritten. The
 * events, conversation, ledger and spending of a task are read from these rows.
 */
import { PART_UNITS } from "../../core/base/text-parts.ts";
import type { NewEvent } from "../../core/task/events.ts";
import type { LedgerChange, Spend, StepMessage } from "../../core/task/decision.ts";
import type { TaskState } from "../../core/task/state.ts";
import { LARGE_STEP, type LoggedEvent, type StateVersions, toLogged } from "./tables.ts";
import type { TaskValues } from "./values.ts";

/** An event of a row. `at` is present if it happened at another time than the decision. */
type StoredEvent = NewEvent & { readonly at?: number };

/** The task after a decision. */
export interface StoredHead extends Omit<StateVersions, "lastEvent"> {
  /** The row with the whole state. The rows after it have the fields that changed. */
  readonly base: number;
  /** The row of the latest compaction; null without one. */
  readonly compaction: number | null;
  readonly state: Partial<Omit<TaskState, "facts">>;
}

/** The JSON of a row. What is absent is empty. */
export interface StepBody {
  /** When it was decided, in ms since the epoch. */
  readonly at: number;
  /** Absent from rows made of those of an earlier release, but for the last. */
  readonly head?: StoredHead;
  readonly events?: readonly StoredEvent[];
  readonly messages?: readonly StepMessage[];
  readonly ledger?: readonly LedgerChange[];
  readonly spent?: readonly Spend[];
  /** The text that replaces the messages of the steps up to `through`. */
  readonly compaction?: { readonly through: number; readonly text: string };
}

/** `step` is the one under way before the decision. A row without events has `firstEvent` above `lastEvent`. */
export interface StepRow {
  readonly seq: number;
  readonly step: number;
  readonly firstEvent: number;
  readonly lastEvent: number;
  readonly body: StepBody;
  /** The length of the body's JSON. */
  readonly characters: number;
}

type SqlRow = { seq: number; step: number; first_event: number; last_event: number; body: string };

/** Rows that are read at once. */
const PAGE_ROWS = 16;
/** The characters of appended rows that stay in memory. */
const MAX_RECENT_CHARACTERS = 64_000;
/** A body of this many UTF-16 units or more is stored in parts. */
const MAX_BODY_UNITS = PART_UNITS;

export class StepRows {
  private readonly sql: SqlStorage;
  private readonly values: TaskValues;
  /** The last rows, which this object appended: the next phase and the next report need not read them. */
  private recent: readonly StepRow[] = [];

  constructor(sql: SqlStorage, values: TaskValues) {
    this.sql = sql;
    this.values = values;
  }

  /** Appends a row after row `seq - 1`, whose last event was `lastEvent`. */
  append(seq: number, step: number, lastEvent: number, body: StepBody): void {
    const text = JSON.stringify(body);
    const isLarge = text.length > MAX_BODY_UNITS;
    if (isLarge) this.values.write(LARGE_STEP + String(seq), text);
    const [first, last] = [lastEvent + 1, lastEvent + (body.events?.length ?? 0)];
    this.sql.exec("INSERT INTO steps VALUES (?, ?, ?, ?, ?)", seq, step, first, last, isLarge ? "" : text);
    this.remember({ seq, step, firstEvent: first, lastEvent: last, body, characters: text.length });
  }

  /** Forgets the rows in memory: their transaction was rolled back. */
  forgetRecent(): void {
    this.recent = [];
  }

  /** Returns the last row; null for an empty table. */
  readLast(): StepRow | null {
    const recent = this.recent.at(-1);
    if (recent !== undefined) return recent;
    const [row] = this.sql.exec<SqlRow>("SELECT * FROM steps ORDER BY seq DESC LIMIT 1").toArray();
    return row === undefined ? null : this.parse(row);
  }

  /** Null if there is no such row. */
  read(seq: number): StepRow | null {
    const [row] = this.sql.exec<SqlRow>("SELECT * FROM steps WHERE seq = ?", seq).toArray();
    return row === undefined ? null : this.parse(row);
  }

  /** Reads the rows from `seq` on, in order, a page when it is needed. */
  *readFrom(seq: number): Generator<StepRow, void, void> {
    if ((this.recent[0]?.seq ?? Number.POSITIVE_INFINITY) <= seq) {
      yield* this.recent.filter((row) => row.seq >= seq);
      return;
    }
    const query = "SELECT * FROM steps WHERE seq >= ? ORDER BY seq LIMIT ?";
    for (let next = seq; ; ) {
      // A cursor that is not read to its end would keep its statement open.
      const page = this.sql.exec<SqlRow>(query, next, PAGE_ROWS).toArray();
      for (const row of page) yield this.parse(row);
      next = (page.at(-1)?.seq ?? next) + 1;
      if (page.length < PAGE_ROWS) return;
    }
  }

  /** Returns the first row that has an event after this one; one after the last row if none has. */
  findAfterEvent(event: number): number {
    return this.findRecent(({ lastEvent }) => lastEvent > event) ?? this.findFirst("last_event", event + 1);
  }

  /** Returns a row at or before the first one about this step. The row of a creation may have calls of step 1. */
  findStep(step: number): number {
    return this.findRecent((row) => row.step >= step - 1) ?? this.findFirst("step", step - 1);
  }

  /** Deletes the rows up to and including `seq`. */
  deleteThrough(seq: number): void {
    const query = "SELECT seq FROM steps WHERE seq <= ? AND body = ''";
    for (const row of this.sql.exec<{ seq: number }>(query, seq).toArray()) {
      this.values.delete(LARGE_STEP + String(row.seq));
    }
    this.sql.exec("DELETE FROM steps WHERE seq <= ?", seq);
    this.recent = this.recent.filter((row) => row.seq > seq);
  }

  /** Adds an appended row, and forgets the oldest ones beyond the limit. */
  private remember(row: StepRow): void {
    const rows = [...this.recent, row];
    let characters = rows.reduce((sum, one) => sum + one.characters, 0);
    while (characters > MAX_RECENT_CHARACTERS) characters -= rows.shift()?.characters ?? 0;
    this.recent = rows;
  }

  /** Returns the first row that has grown as far, if it is in memory; null if an earlier row may have. */
  private findRecent(isReached: (row: StepRow) => boolean): number | null {
    const [first] = this.recent;
    if (first === undefined || isReached(first)) return null;
    return this.recent.find(isReached)?.seq ?? first.seq + this.recent.length;
  }

  /**
   * Returns the first row whose `column` is at least `value`. Looks near the end first, where most readers do, then
   * halves.
   */
  private findFirst(column: "step" | "last_event", value: number): number {
    const end = this.readEnds();
    if (end === null) return 1;
    const isAtLeast = (seq: number) => {
      const query = `SELECT ${column} AS value FROM steps WHERE seq = ?`;
      return this.sql.exec<{ value: number }>(query, seq).one().value >= value;
    };
    let [below, found] = [end.first - 1, end.last + 1];
    for (let back = 1; found - 1 > below; back *= 2) {
      const seq = Math.max(found - back, below + 1);
      if (isAtLeast(seq)) found = seq;
      else {
        below = seq;
        break;
      }
    }
    while (found - below > 1) {
      const middle = Math.floor((below + found) / 2);
      if (isAtLeast(middle)) found = middle;
      else below = middle;
    }
    return found;
  }

  private readEnds(): { readonly first: number; readonly last: number } | null {
    // Two queries in one: a query with both would read every row.
    const query = "SELECT (SELECT min(seq) FROM steps) AS first, (SELECT max(seq) FROM steps) AS last";
    const { first, last } = this.sql.exec<{ first: number | null; last: number | null }>(query).one();
    return first === null || last === null ? null : { first, last };
  }

  private parse({ seq, step, first_event: firstEvent, last_event: lastEvent, body }: SqlRow): StepRow {
    const text = body === "" ? (this.values.read(LARGE_STEP + String(seq)) ?? "") : body;
    return { seq, step, firstEvent, lastEvent, body: JSON.parse(text) as StepBody, characters: text.length };
  }
}

/** Returns the events of a row after event `after`. */
export function toLoggedEvents({ firstEvent, body: { events = [], at, ledger } }: StepRow, after = 0): LoggedEvent[] {
  return toLogged(events, { firstEvent, at, ledger }).filter(({ seq }) => seq > after);
}
