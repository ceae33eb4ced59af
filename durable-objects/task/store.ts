/**
 * Stores one task in its object's SQLite, each decision atomically. Tables are created with the task, so that reading
 * an unknown task leaves nothing behind.
 */
import { toNoticeData, type ReportedNotice, getNoticeTypes } from "../../core/task/notice.ts";
import { type EventType, isTerminalEvent, type TaskEvent } from "../../core/task/events.ts";
import type { LedgerPage } from "../../core/task/rpc.ts";
import { OUTSIDE } from "../../core/provenance/label.ts";
import { readState } from "../../core/task/state-versions.ts";
import type { Decision, LedgerRow, Spend } from "../../core/task/decision.ts";
import { STATE_VERSION, type TaskFacts, type TaskState } from "../../core/task/state.ts";
import { getPending, type PendingView, type TaskView, toTaskView } from "../../core/task/view.ts";
import { TaskConversation } from "./conversation.ts";
import { TaskErasure } from "./erasing.ts";
import { changeLedger, groupLabelsByStep, toPosition, groupUploadsByStep } from "./ledger.ts";
import {
  BELOW,
  type CallRow,
  COMPACTION,
  type EventRow,
  FACTS,
  type JournalKind,
  type LoggedEvent,
  readCall,
  readEvent,
  SCHEMA,
  SMALL_COLUMNS,
  STATE,
  fromStateRow,
  type StateRow,
  type StateVersions,
  toStateRow,
  takePage,
} from "./tables.ts";
import { TaskValues } from "./values.ts";

/** Maximum events per report. */
const MAX_UNPUBLISHED = 200;

/** A stored task. `version` counts writes. */
export interface StoredTask extends StateVersions {
  readonly state: TaskState;
}

/** The unpublished events of a task, oldest first, up to the event `upTo`. */
export interface Unpublished {
  readonly notices: readonly ReportedNotice[];
  readonly upTo: number;
  readonly isAll: boolean;
}

export class TaskStore {
  readonly conversation: TaskConversation;
  readonly erasing: TaskErasure;
  private readonly storage: DurableObjectStorage;
  private readonly sql: SqlStorage;
  private readonly values: TaskValues;
  private cached: StoredTask | null = null;
  /** Called after a state of an earlier release was converted: its next due time may differ. */
  afterUpgrade: () => void = () => undefined;

  constructor(storage: DurableObjectStorage) {
    this.storage = storage;
    this.sql = storage.sql;
    this.values = new TaskValues(storage.sql);
    this.conversation = new TaskConversation(storage.sql, this.values);
    this.erasing = new TaskErasure(this.values);
  }

  /** Returns the task; null when the object has none, or it is being erased. */
  load(): StoredTask | null {
    if (this.cached !== null) return this.cached;
    if (!this.values.hasTable() || this.erasing.find() !== null) return null;
    const [facts, row] = [this.values.read(FACTS), this.values.read(STATE)];
    if (facts === null || row === null) return null;
    const { state: stored, ...versions } = fromStateRow(JSON.parse(row) as StateRow);
    const intendedAt = (callId: string) => this.readCalls([callId])[0]?.intendedAt ?? null;
    // A state of an earlier release is converted, facts and state together.
    const read = { ...versions, state: readState(JSON.parse(facts), stored, intendedAt) };
    const isEarlier = (stored as TaskState).v !== STATE_VERSION;
    if (isEarlier) this.storage.transactionSync(() => this.write(read, null));
    this.cached = read;
    if (isEarlier) this.afterUpgrade();
    return read;
  }

  /** Records the task's erasure. The task is neither read nor written afterwards. */
  markErasing(facts: TaskFacts, retainsSummary: boolean): void {
    this.erasing.mark(facts, retainsSummary);
    this.dropCache();
  }

  create(decision: Decision, now: number): void {
    const { state, events } = decision;
    const made = { state, version: 1, reportable: 1, published: 0, publishedEvent: 0, lastEvent: events.length };
    this.storage.transactionSync(() => {
      this.sql.exec(SCHEMA);
      this.write(made, null);
      this.append(decision, 0, now);
    });
    this.cached = made;
  }

  /** Writes a decision atomically. */
  save(decision: Decision, changesIndexed: boolean, now: number): LoggedEvent[] {
    const stored = this.load();
    if (stored === null) throw new Error("a task is created before it is saved");
    const { state, events: more } = decision;
    const lastEvent = stored.lastEvent + more.length;
    const version = stored.version + 1;
    const next = { ...stored, state, version, reportable: changesIndexed ? version : stored.reportable, lastEvent };
    const events = this.storage.transactionSync(() => {
      this.write(next, stored);
      return this.append(decision, stored.lastEvent, now);
    });
    this.cached = next;
    return events;
  }

  /** Resolves when everything written so far is on disk. */
  async sync(): Promise<void> {
    await this.storage.sync();
  }

  /** True while the tenant or the parent needs the present state. */
  hasUnpublished(): boolean {
    const stored = this.load();
    return stored !== null && stored.reportable > stored.published;
  }

  /** Requires another report. */
  markUnpublished(): void {
    const stored = this.load();
    if (stored === null) return;
    const version = stored.version + 1;
    this.replace({ ...stored, version, reportable: version }, stored);
  }

  /**
   * Records that this version was published with these events; if more events are left, the version stays unpublished.
   * Stored with the next decision, since a repeated report changes nothing; an ended task has no next decision.
   */
  markPublished(version: number, { upTo: publishedEvent, isAll }: Pick<Unpublished, "upTo" | "isAll">): void {
    const stored = this.load();
    if (stored === null || stored.published >= version) return;
    const next = { ...stored, published: isAll ? version : stored.published, publishedEvent };
    if (stored.state.phase.name === "ended") this.replace(next, stored);
    else this.cached = next;
  }

  /** The task as the API returns it. */
  toView(state: TaskState): TaskView {
    const argumentsOf = (id: string): unknown => this.readCalls([id])[0]?.arguments ?? null;
    const asked = Object.keys(state.waitsBelow).length > 0;
    return toTaskView(state, { getArguments: argumentsOf, below: asked ? this.readWaitsBelow() : [] });
  }

  /** Returns events after a sequence number, oldest first; `done` when the log ends with them. */
  readEvents(after: number, limit: number): { events: TaskEvent[]; last: number; done: boolean } {
    const task = this.load();
    const query = "SELECT seq, at, type, data FROM events WHERE seq > ? ORDER BY seq LIMIT ?";
    const { rows } = takePage(this.sql.exec<EventRow>(query, after, limit), limit, ({ data }) => data.length);
    const events = rows.map((row) => readEvent(row, task?.state.facts.id ?? ""));
    const last = events.at(-1)?.seq ?? after;
    return { events, last, done: task?.state.phase.name === "ended" && last >= task.lastEvent };
  }

  /** Reads the next unpublished events, at most one report's worth. */
  readUnpublished({ state, lastEvent, publishedEvent }: StoredTask): Unpublished {
    // Our own names need no escaping. An inline list is prepared faster than json_each, and each object prepares its
    // own statements.
    const types = getNoticeTypes(state.facts)
      .map((type) => `'${type}'`)
      .join(", ");
    const query = `SELECT seq, at, type, data FROM events
      WHERE seq > ? AND seq <= ? AND type IN (${types}) ORDER BY seq LIMIT ?`;
    const rows = this.sql.exec<EventRow>(query, publishedEvent, lastEvent, MAX_UNPUBLISHED).toArray();
    const notices = rows.map(({ seq, at, type, data }) => ({
      seq,
      type: type as ReportedNotice["type"],
      at: new Date(at).toISOString(),
      data: toNoticeData(JSON.parse(data) as Record<string, unknown>),
    }));
    const isAll = rows.length < MAX_UNPUBLISHED;
    return { notices, upTo: isAll ? lastEvent : (rows.at(-1)?.seq ?? lastEvent), isAll };
  }

  /** Returns calls after `after`, in order. Without results, neither results nor arguments are read. */
  readLedger({ after, limit, withResults }: { after: string | null; limit: number; withResults: boolean }): LedgerPage {
    const columns = withResults ? "*" : SMALL_COLUMNS;
    const query = `SELECT ${columns} FROM calls WHERE (step, position) > (?, ?) ORDER BY step, position LIMIT ?`;
    const read = this.sql.exec<CallRow>(query, ...(after === null ? [-1, -1] : toPosition(after)), limit + 1);
    const { rows, more } = takePage(
      read,
      limit,
      ({ result, arguments: given }) => (result?.length ?? 0) + given.length,
    );
    return { rows: this.addLabels(rows), next: more ? (rows.at(-1)?.call_id ?? null) : null };
  }

  /** Reads the ledger rows of these calls, for the tool phase. */
  readCalls(ids: readonly string[]): LedgerRow[] {
    const query = "SELECT * FROM calls WHERE step = ? AND position = ? AND call_id = ?";
    const rows = ids.flatMap((id) => this.sql.exec<CallRow>(query, ...toPosition(id), id).toArray());
    return this.addLabels(rows);
  }

  private addLabels(rows: readonly CallRow[]): LedgerRow[] {
    const steps = rows.map(({ step }) => step);
    const labels = rows.length === 0 ? {} : this.conversation.readResultLabels(Math.min(...steps), Math.max(...steps));
    return rows.map(readCall).map((row) => {
      return row.settledAt === null ? row : { ...row, label: labels[row.callId] ?? OUTSIDE };
    });
  }

  /** Lists every charged model call, in order. */
  readSpending(): Spend[] {
    const rows = this.sql.exec<JournalRow>("SELECT body FROM journal WHERE kind = 'spend' ORDER BY seq").toArray();
    return rows.map(({ body }) => JSON.parse(body) as Spend);
  }

  /** Drops what is in memory. The object deletes the storage. */
  dropCache(): void {
    this.cached = null;
    this.conversation.dropCache();
  }

  private readWaitsBelow(): PendingView[] {
    const query = "SELECT value FROM task WHERE name > ? AND name < ? ORDER BY name";
    const rows = this.sql.exec<{ value: string }>(query, BELOW, `${BELOW}~`).toArray();
    return rows.flatMap(({ value }) => JSON.parse(value) as PendingView[]);
  }

  private replace(next: StoredTask, before: StoredTask): void {
    this.write(next, before);
    this.cached = next;
  }

  /** Writes the state, and the facts when they changed. */
  private write(next: StoredTask, before: StoredTask | null): void {
    const { facts, ...state } = next.state;
    if (facts !== before?.state.facts) this.values.write(FACTS, JSON.stringify(facts));
    this.values.write(STATE, JSON.stringify(toStateRow(next, state)));
  }

  private append(decision: Decision, lastEvent: number, now: number): LoggedEvent[] {
    for (const { step, message } of decision.messages) this.addToJournal(step, "message", message);
    for (const change of decision.ledger) changeLedger(this.sql, change);
    for (const [step, labels] of groupLabelsByStep(decision)) this.addToJournal(step, "labels", labels);
    for (const [step, calls] of groupUploadsByStep(decision)) this.addToJournal(step, "uploads", calls);
    for (const spend of decision.spent) this.addToJournal(spend.step, "spend", spend);
    for (const { subtask, pending } of decision.below) {
      if (pending.length > 0)
        this.sql.exec("INSERT OR REPLACE INTO task VALUES (?, ?)", BELOW + subtask, JSON.stringify(pending));
      else this.sql.exec("DELETE FROM task WHERE name = ?", BELOW + subtask);
    }
    if (decision.compaction !== null) this.values.write(COMPACTION, decision.compaction.text);
    return decision.events.map(({ type, data }, index) => {
      const seq = lastEvent + index + 1;
      this.sql.exec("INSERT INTO events VALUES (?, ?, ?, ?)", seq, now, type, JSON.stringify(data));
      return { seq, at: now, type, data };
    });
  }

  private addToJournal(step: number, kind: JournalKind, body: unknown): void {
    this.sql.exec("INSERT INTO journal (step, kind, body) VALUES (?, ?, ?)", step, kind, JSON.stringify(body));
  }
}

interface JournalRow extends Record<string, SqlStorageValue> {
  readonly body: string;
}

/** True for a decision that changes the index row or what the parent needs. */
export function changesIndex(before: TaskState, { state, events, below }: Decision): boolean {
  if (below.length > 0 || getPending(before).length !== getPending(state).length) return true;
  // The parent's clock depends on this task's clock where time is limited.
  const stands = (one: TaskState) => one.clock.since === null;
  if (state.facts.limits.maxDurationMs !== null && stands(before) !== stands(state)) return true;
  // A subtask ended after this task, and its use was added.
  if (before.uncounted.length > state.uncounted.length) return true;
  const noticed: readonly EventType[] = getNoticeTypes(state.facts);
  return events.some(
    ({ type }) => isTerminalEvent(type) || /^(task|question|approval)\./.test(type) || noticed.includes(type),
  );
}
