/**
 * Stores one task in its object's SQLite, each decision as one row of `steps`. Tables are created with the task, so that
 * reading an unknown task leaves nothing behind.
 */
import { getNoticeTypes } from "../../core/task/notice.ts";
import { type EventType, isTerminalEvent } from "../../core/task/events.ts";
import { readState } from "../../core/task/state-versions.ts";
import type { Decision, Spend } from "../../core/task/decision.ts";
import { STATE_VERSION, type TaskFacts, type TaskState } from "../../core/task/state.ts";
import { getPending, type PendingView, type TaskView, toTaskView } from "../../core/task/view.ts";
import { TaskConversation } from "./conversation.ts";
import { convertEarlierRows, readVersion, writeVersion } from "./earlier-rows.ts";
import { TaskErasure } from "./erasing.ts";
import { removeTexts, TaskLedger } from "./ledger.ts";
import { TaskLog, type Unpublished } from "./log.ts";
import { type StepBody, type StoredHead, StepRows } from "./step-rows.ts";
import { BELOW, FACTS, type LoggedEvent, SCHEMA, type StateVersions, toLogged, TRIMMED } from "./tables.ts";
import { TaskValues } from "./values.ts";

/** A row has the whole state at least this often. Reading the state reads at most this many rows. */
const ROWS_PER_SNAPSHOT = 20;

/** Releases before this version of the state stored a task in other tables. */
const FIRST_VERSION_OF_STEPS = 7;

/** A stored task. `version` counts writes. */
export interface StoredTask extends StateVersions {
  readonly state: TaskState;
  /** The last row, the row with the whole state, and that of the latest compaction. */
  readonly seq: number;
  readonly base: number;
  readonly compaction: number | null;
  /** True until this release stores a row: the stored version and facts are those of version 7. */
  readonly isEarlier: boolean;
}

export class TaskStore {
  readonly conversation: TaskConversation;
  readonly ledger: TaskLedger;
  readonly log: TaskLog;
  readonly erasing: TaskErasure;
  private readonly storage: DurableObjectStorage;
  private readonly sql: SqlStorage;
  private readonly values: TaskValues;
  private readonly rows: StepRows;
  private cached: StoredTask | null = null;
  /** Called after the rows of an earlier release were converted: the task's next due time may differ. */
  afterUpgrade: () => void = () => undefined;

  constructor(storage: DurableObjectStorage) {
    this.storage = storage;
    this.sql = storage.sql;
    this.values = new TaskValues(storage.sql);
    this.rows = new StepRows(storage.sql, this.values);
    this.conversation = new TaskConversation(this.rows, () => this.load()?.compaction ?? null);
    this.ledger = new TaskLedger(this.rows, () => this.values.read(`${TRIMMED}results`) !== null);
    this.log = new TaskLog(this.rows);
    this.erasing = new TaskErasure(this.values);
  }

  /**
   * Returns the task; null when the object has none, or it is being erased. Throws for a version of a later release.
   */
  load(): StoredTask | null {
    if (this.cached !== null) return this.cached;
    if (!this.values.hasTable() || this.erasing.find() !== null) return null;
    const version = readVersion(this.values);
    if (version === null) return null;
    // A later release may have other tables, so nothing else is read.
    if (version > STATE_VERSION) throw new Error(`the task is stored as version ${version} of a later release`);
    const hasEarlierTables = version < FIRST_VERSION_OF_STEPS;
    if (hasEarlierTables) this.transact(() => convertEarlierRows(this.sql, this.values, this.rows));
    this.cached = this.readLast(!hasEarlierTables && version !== STATE_VERSION);
    if (hasEarlierTables) this.afterUpgrade();
    return this.cached;
  }

  /** Records the task's erasure. The task is neither read nor written afterwards. */
  markErasing(facts: TaskFacts, retainsSummary: boolean): void {
    this.erasing.mark(facts, retainsSummary);
    this.dropCache();
  }

  create(decision: Decision, now: number): void {
    const { state, events } = decision;
    const counters = { version: 1, reportable: 1, published: 0, publishedEvent: 0, lastEvent: events.length };
    this.cached = this.transact(() => {
      this.sql.exec(SCHEMA);
      this.values.write(FACTS, JSON.stringify(state.facts));
      writeVersion(this.values);
      return this.append({ state, ...counters }, null, decision, now);
    });
  }

  /** Writes a decision atomically. */
  save(decision: Decision, changesIndexed: boolean, now: number): LoggedEvent[] {
    const stored = this.load();
    if (stored === null) throw new Error("a task is created before it is saved");
    const { state, events } = decision;
    const version = stored.version + 1;
    const reportable = changesIndexed ? version : stored.reportable;
    const next = { ...stored, state, version, reportable, lastEvent: stored.lastEvent + events.length };
    const append = () => this.append(next, stored, decision, now);
    // A decision is one statement, unless a subtask's waits go with it.
    this.cached =
      decision.below.length === 0
        ? append()
        : this.transact(() => {
            this.writeBelow(decision);
            return append();
          });
    return toLogged(events, { firstEvent: stored.lastEvent + 1, at: now, ledger: decision.ledger });
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
    this.cached = this.append({ ...stored, version, reportable: version }, stored, null, Date.now());
  }

  /**
   * Records that this version was published with these events; if more events are left, the version stays unpublished.
   * Stored with the next decision, since a repeated report changes nothing; an ended task has no next decision.
   */
  markPublished(version: number, { upTo: publishedEvent, isAll }: Pick<Unpublished, "upTo" | "isAll">): void {
    const stored = this.load();
    if (stored === null || stored.published >= version) return;
    const next = { ...stored, published: isAll ? version : stored.published, publishedEvent };
    this.cached = stored.state.phase.name === "ended" ? this.append(next, stored, null, Date.now()) : next;
  }

  /** The task as the API returns it. */
  toView(state: TaskState): TaskView {
    const argumentsOf = (id: string): unknown => this.ledger.readCalls([id])[0]?.arguments ?? null;
    const asked = Object.keys(state.waitsBelow).length > 0;
    return toTaskView(state, { getArguments: argumentsOf, below: asked ? this.readWaitsBelow() : [] });
  }

  /** Lists every charged model call, in order. */
  readSpending(): Spend[] {
    return [...this.rows.readFrom(1)].flatMap(({ body }) => body.spent ?? []);
  }

  /**
   * Deletes the events but the last, which ends every stream, the messages, and the arguments and results of calls. The
   * record of who did what, when, with which effect and cost stays.
   */
  trimLog(): void {
    const stored = this.load();
    if (stored === null) return;
    const now = Date.now();
    const calls = Map.groupBy(this.ledger.readAll(), ({ step }) => step);
    const spent = Map.groupBy(this.readSpending(), ({ step }) => step);
    const last = [...this.log.readAfter(stored.lastEvent - 1)].map(({ event: { at, type, data } }) => ({
      at,
      type,
      data,
    }));
    this.cached = this.transact(() => {
      this.rows.deleteThrough(stored.seq);
      let { seq } = stored;
      const before = stored.lastEvent - last.length;
      for (const step of [...new Set([...calls.keys(), ...spent.keys()])].toSorted((a, b) => a - b)) {
        const ledger = (calls.get(step) ?? []).map((call) => ({ kind: "insert" as const, row: removeTexts(call) }));
        this.rows.append((seq += 1), step, before, { at: now, ledger, spent: spent.get(step) ?? [] });
      }
      const present = { ...stored, seq, lastEvent: before, compaction: null };
      return this.append({ ...present, lastEvent: stored.lastEvent }, present, { events: last }, now);
    });
  }

  /** Drops what is in memory. The object deletes the storage. */
  dropCache(): void {
    this.cached = null;
    this.rows.forgetRecent();
    this.conversation.dropCache();
  }

  /** Writes all or nothing. */
  private transact<T>(write: () => T): T {
    try {
      return this.storage.transactionSync(write);
    } catch (thrown) {
      this.rows.forgetRecent();
      throw thrown;
    }
  }

  private readWaitsBelow(): PendingView[] {
    const query = "SELECT value FROM task WHERE name > ? AND name < ? ORDER BY name";
    const rows = this.sql.exec<{ value: string }>(query, BELOW, `${BELOW}~`).toArray();
    return rows.flatMap(({ value }) => JSON.parse(value) as PendingView[]);
  }

  private writeBelow({ below }: Decision): void {
    for (const { subtask, pending } of below) {
      if (pending.length > 0)
        this.sql.exec("INSERT OR REPLACE INTO task VALUES (?, ?)", BELOW + subtask, JSON.stringify(pending));
      else this.sql.exec("DELETE FROM task WHERE name = ?", BELOW + subtask);
    }
  }

  /** Reads the task from its last row and those since the last whole state. */
  private readLast(isEarlier: boolean): StoredTask | null {
    const [facts, last] = [this.values.read(FACTS), this.rows.readLast()];
    if (facts === null || last?.body.head === undefined) return null;
    const { seq, lastEvent } = last;
    const { state: _, ...counters } = last.body.head;
    let state: object = {};
    for (const { body } of this.rows.readFrom(counters.base)) state = { ...state, ...body.head?.state };
    return { ...counters, seq, lastEvent, isEarlier, state: readState(JSON.parse(facts), state) };
  }

  /** Appends a row with a decision, and the task after it. Returns the task as it is now stored. */
  private append(next: Unstored, before: StoredTask | null, decided: Decided | null, now: number): StoredTask {
    const seq = (before?.seq ?? 0) + 1;
    const isUpgrade = before?.isEarlier === true;
    const base = before === null || isUpgrade || needsWhole(next.state, before, seq) ? seq : before.base;
    const compaction = decided?.compaction == null ? (before?.compaction ?? null) : seq;
    const { version, reportable, published, publishedEvent } = next;
    const { facts: _, ...whole } = next.state;
    const state = before === null || base === seq ? whole : pickChanged(whole, before.state);
    const head: StoredHead = { version, reportable, published, publishedEvent, base, compaction, state };
    const body = { at: now, head, ...toRecord(decided) };
    const write = () => this.rows.append(seq, before?.state.step ?? 0, before?.lastEvent ?? 0, body);
    if (isUpgrade) this.transact(() => this.writeUpgraded(next.state.facts, write));
    else write();
    return { ...next, seq, base, compaction, isEarlier: false };
  }

  /** Stores the first row of this release, which has the whole state, with its version: earlier releases refuse it. */
  private writeUpgraded(facts: TaskFacts, writeRow: () => void): void {
    this.values.write(FACTS, JSON.stringify(facts));
    writeVersion(this.values);
    writeRow();
  }
}

/** A task whose row is not written yet. */
type Unstored = Pick<StoredTask, "state" | keyof StateVersions>;
/** What a row has besides the task. */
type Decided = Partial<Pick<Decision, "messages" | "ledger" | "spent" | "compaction">> & Pick<StepBody, "events">;

function toRecord(decided: Decided | null): Omit<StepBody, "at" | "head"> {
  const { events = [], messages = [], ledger = [], spent = [], compaction = null } = decided ?? {};
  return {
    ...(events.length === 0 ? {} : { events }),
    ...(messages.length === 0 ? {} : { messages }),
    ...(ledger.length === 0 ? {} : { ledger }),
    ...(spent.length === 0 ? {} : { spent }),
    ...(compaction === null ? {} : { compaction }),
  };
}

/** True for a row that has the whole state: that of a task that waits is read again after its object was evicted. */
function needsWhole(state: TaskState, before: StoredTask, seq: number): boolean {
  const isResting = ["held", "parked", "ended"].includes(state.phase.name);
  return (
    isResting || seq - before.base >= ROWS_PER_SNAPSHOT || Object.keys(before.state).some((name) => !(name in state))
  );
}

/** Returns the fields that a decision replaced. */
function pickChanged(state: StoredHead["state"], before: TaskState): StoredHead["state"] {
  const earlier = new Map<string, unknown>(Object.entries(before));
  return Object.fromEntries(Object.entries(state).filter(([name, value]) => value !== earlier.get(name)));
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
