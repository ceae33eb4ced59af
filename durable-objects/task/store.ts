/**
 * What is stored of one task: read and written in its object's SQLite, each decision whole or not at all. Tables are made
 * when the task is, so that a look at a task that does not exist leaves nothing behind.
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
import { TaskErasing } from "./erasing.ts";
import { changeLedger, labelsByStep, placeOf, uploadsByStep } from "./ledger.ts";
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
  type StateRow,
  upToPage,
} from "./tables.ts";
import { TaskValues } from "./values.ts";

/** Events that are told at once. */
const MAX_UNTOLD = 200;

/** A task as it is stored. `version` counts writes. */
export interface StoredTask {
  readonly state: TaskState;
  readonly version: number;
  /** The last version that the tenant or the parent has to hear of, and the last one that they heard. */
  readonly news: number;
  readonly told: number;
  /** The last event that they heard of. */
  readonly toldEvent: number;
  /** The sequence number of the last event. */
  readonly lastEvent: number;
}

/** What of a task's events has not been told: oldest first, up to the event `upTo`. */
export interface Untold {
  readonly notices: readonly ReportedNotice[];
  readonly upTo: number;
  readonly isAll: boolean;
}

export class TaskStore {
  readonly conversation: TaskConversation;
  readonly erasing: TaskErasing;
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
    this.erasing = new TaskErasing(this.values);
  }

  /** The task, or null when this object holds none, or one that is being erased. */
  load(): StoredTask | null {
    if (this.cached !== null) return this.cached;
    if (!this.values.exist() || this.erasing.find() !== null) return null;
    const [facts, row] = [this.values.read(FACTS), this.values.read(STATE)];
    if (facts === null || row === null) return null;
    const { state: stored, ...rest } = JSON.parse(row) as StateRow;
    const intendedAt = (callId: string) => this.calls([callId])[0]?.intendedAt ?? null;
    // A state of an earlier release gets the shapes of this one, facts and state together. Its events count as told.
    const read = { toldEvent: rest.lastEvent, ...rest, state: readState(JSON.parse(facts), stored, intendedAt) };
    const isEarlier = (stored as TaskState).v !== STATE_VERSION;
    if (isEarlier) this.storage.transactionSync(() => this.write(read, null));
    this.cached = read;
    if (isEarlier) this.afterUpgrade();
    return read;
  }

  /** Marks the task as being erased: nothing of it is read or written any more. */
  markErasing(facts: TaskFacts, keepsMemory: boolean): void {
    this.erasing.mark(facts, keepsMemory);
    this.forget();
  }

  /** Writes the first decision of a task. */
  create(decision: Decision, now: number): void {
    const { state, events } = decision;
    const made = { state, version: 1, news: 1, told: 0, toldEvent: 0, lastEvent: events.length };
    this.storage.transactionSync(() => {
      this.sql.exec(SCHEMA);
      this.write(made, null);
      this.append(decision, 0, now);
    });
    this.cached = made;
  }

  /** Writes a decision, whole or not at all. */
  save(decision: Decision, isNews: boolean, now: number): LoggedEvent[] {
    const stored = this.load();
    if (stored === null) throw new Error("a task is created before it is saved");
    const { state, events: more } = decision;
    const lastEvent = stored.lastEvent + more.length;
    const version = stored.version + 1;
    const next = { ...stored, state, version, news: isNews ? version : stored.news, lastEvent };
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

  /** True while the tenant or the parent has to hear how the task stands. */
  hasNews(): boolean {
    const stored = this.load();
    return stored !== null && stored.news > stored.told;
  }

  /** They have to be told again. */
  markNews(): void {
    const stored = this.load();
    if (stored === null) return;
    const version = stored.version + 1;
    this.replace({ ...stored, version, news: version }, stored);
  }

  /**
   * They heard of this version with these of its events; of one that has more to tell they hear again. It is stored with the
   * next decision, as to be told twice changes nothing; a task that has ended makes none.
   */
  markTold(version: number, { upTo: toldEvent, isAll }: Pick<Untold, "upTo" | "isAll">): void {
    const stored = this.load();
    if (stored === null || stored.told >= version) return;
    const next = { ...stored, told: isAll ? version : stored.told, toldEvent };
    if (stored.state.phase.name === "ended") this.replace(next, stored);
    else this.cached = next;
  }

  /** The task as the API shows it. */
  view(state: TaskState): TaskView {
    const argumentsOf = (id: string): unknown => this.calls([id])[0]?.arguments ?? null;
    const asked = Object.keys(state.waitsBelow).length > 0;
    return toTaskView(state, { getArguments: argumentsOf, below: asked ? this.below() : [] });
  }

  /** Events after a sequence number, oldest first; `done` when the log ends with them. */
  events(after: number, limit: number): { events: TaskEvent[]; last: number; done: boolean } {
    const task = this.load();
    const query = "SELECT seq, at, type, data FROM events WHERE seq > ? ORDER BY seq LIMIT ?";
    const { rows } = upToPage(this.sql.exec<EventRow>(query, after, limit), limit, ({ data }) => data.length);
    const events = rows.map((row) => readEvent(row, task?.state.facts.id ?? ""));
    const last = events.at(-1)?.seq ?? after;
    return { events, last, done: task?.state.phase.name === "ended" && last >= task.lastEvent };
  }

  /** What has happened that has to be told, as much as is told at once. */
  untold({ state, lastEvent, toldEvent }: StoredTask): Untold {
    // These names are ours. A list in the statement is prepared sooner than json_each, and each object prepares its own.
    const types = getNoticeTypes(state.facts)
      .map((type) => `'${type}'`)
      .join(", ");
    const query = `SELECT seq, at, type, data FROM events
      WHERE seq > ? AND seq <= ? AND type IN (${types}) ORDER BY seq LIMIT ?`;
    const rows = this.sql.exec<EventRow>(query, toldEvent, lastEvent, MAX_UNTOLD).toArray();
    const notices = rows.map(({ seq, at, type, data }) => ({
      seq,
      type: type as ReportedNotice["type"],
      at: new Date(at).toISOString(),
      data: toNoticeData(JSON.parse(data) as Record<string, unknown>),
    }));
    const isAll = rows.length < MAX_UNTOLD;
    return { notices, upTo: isAll ? lastEvent : (rows.at(-1)?.seq ?? lastEvent), isAll };
  }

  /** Calls after `after`, in order. Without results, neither results nor arguments are read. */
  ledger({ after, limit, withResults }: { after: string | null; limit: number; withResults: boolean }): LedgerPage {
    const columns = withResults ? "*" : SMALL_COLUMNS;
    const query = `SELECT ${columns} FROM calls WHERE (step, position) > (?, ?) ORDER BY step, position LIMIT ?`;
    const read = this.sql.exec<CallRow>(query, ...(after === null ? [-1, -1] : placeOf(after)), limit + 1);
    const { rows, more } = upToPage(
      read,
      limit,
      ({ result, arguments: given }) => (result?.length ?? 0) + given.length,
    );
    return { rows: this.labelled(rows), next: more ? (rows.at(-1)?.call_id ?? null) : null };
  }

  /** The ledger rows of these calls, for hop two. */
  calls(ids: readonly string[]): LedgerRow[] {
    const query = "SELECT * FROM calls WHERE step = ? AND position = ? AND call_id = ?";
    const rows = ids.flatMap((id) => this.sql.exec<CallRow>(query, ...placeOf(id), id).toArray());
    return this.labelled(rows);
  }

  /** Rows with the labels of their results. */
  private labelled(rows: readonly CallRow[]): LedgerRow[] {
    const steps = rows.map(({ step }) => step);
    const labels = rows.length === 0 ? {} : this.conversation.labels(Math.min(...steps), Math.max(...steps));
    return rows.map(readCall).map((row) => {
      return row.settledAt === null ? row : { ...row, label: labels[row.callId] ?? OUTSIDE };
    });
  }

  /** Every model call that was paid for, in order. */
  spending(): Spend[] {
    const rows = this.sql.exec<JournalRow>("SELECT body FROM journal WHERE kind = 'spend' ORDER BY seq").toArray();
    return rows.map(({ body }) => JSON.parse(body) as Spend);
  }

  /** Forgets what is in memory; the storage itself is deleted by the object. */
  forget(): void {
    this.cached = null;
    this.conversation.rest();
  }

  private below(): PendingView[] {
    const query = "SELECT value FROM task WHERE name > ? AND name < ? ORDER BY name";
    const rows = this.sql.exec<{ value: string }>(query, BELOW, `${BELOW}~`).toArray();
    return rows.flatMap(({ value }) => JSON.parse(value) as PendingView[]);
  }

  private replace(next: StoredTask, before: StoredTask): void {
    this.write(next, before);
    this.cached = next;
  }

  /** The state; the facts beside it when they are new. */
  private write(next: StoredTask, before: StoredTask | null): void {
    const { facts, ...state } = next.state;
    if (facts !== before?.state.facts) this.values.write(FACTS, JSON.stringify(facts));
    this.values.write(STATE, JSON.stringify({ ...next, state }));
  }

  private append(decision: Decision, lastEvent: number, now: number): LoggedEvent[] {
    for (const { step, message } of decision.messages) this.note(step, "message", message);
    for (const change of decision.ledger) changeLedger(this.sql, change);
    for (const [step, labels] of labelsByStep(decision)) this.note(step, "labels", labels);
    for (const [step, calls] of uploadsByStep(decision)) this.note(step, "uploads", calls);
    for (const spend of decision.spent) this.note(spend.step, "spend", spend);
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

  private note(step: number, kind: JournalKind, body: unknown): void {
    this.sql.exec("INSERT INTO journal (step, kind, body) VALUES (?, ?, ?)", step, kind, JSON.stringify(body));
  }
}

interface JournalRow extends Record<string, SqlStorageValue> {
  readonly body: string;
}

/** True for a decision after which the tenant's index, or the parent, has to hear how the task stands. */
export function changesIndex(before: TaskState, { state, events, below }: Decision): boolean {
  if (below.length > 0 || getPending(before).length !== getPending(state).length) return true;
  // The parent's time depends on whether this task's stands, where time is limited.
  const stands = (one: TaskState) => one.clock.since === null;
  if (state.facts.limits.maxDurationMs !== null && stands(before) !== stands(state)) return true;
  // What a subtask used that ended after this task did.
  if (before.uncounted.length > state.uncounted.length) return true;
  const told: readonly EventType[] = getNoticeTypes(state.facts);
  return events.some(
    ({ type }) => isTerminalEvent(type) || /^(task|question|approval)\./.test(type) || told.includes(type),
  );
}
