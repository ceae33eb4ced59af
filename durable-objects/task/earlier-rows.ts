/**
 * Converts the rows of a task that a release before version 7 of its state stored: the tables `events`, `journal` and
 * `calls`, and the state and compaction in the table `task`. Once converted, a task is read like any other. An earlier
 * release refuses it by its version.
 */
import type { LabelledMessage, Message } from "../../core/model/messages.ts";
import { labelMessage } from "../../core/model/label-messages.ts";
import { type Label, OUTSIDE } from "../../core/provenance/label.ts";
import type { EventType } from "../../core/task/events.ts";
import { splitFileNames } from "../../core/task/file-names.ts";
import type { LedgerRow, Spend, StepMessage } from "../../core/task/decision.ts";
import { STATE_VERSION, type LedgerState, type TaskFacts } from "../../core/task/state.ts";
import { readState } from "../../core/task/state-versions.ts";
import type { EffectClass, ToolResult } from "../../core/tool/tool.ts";
import type { StoredCall } from "./ledger.ts";
import type { StepBody, StepRows } from "./step-rows.ts";
import { FACTS, SCHEMA, STATE } from "./tables.ts";
import type { TaskValues } from "./values.ts";

/** Rows of an earlier release that are read at once. */
const PAGE_ROWS = 100;

/** The row `state` of an earlier release. A row without `toldEvent` counts its events as published. */
interface EarlierState {
  readonly state: { readonly v: number };
  readonly version: number;
  readonly news: number;
  readonly told: number;
  readonly toldEvent?: number;
  readonly lastEvent: number;
}

type EventRow = { seq: number; at: number; type: string; data: string };
type JournalRow = { seq: number; step: number; kind: string; body: string };
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

/** The row that held the text of the latest compaction. */
const COMPACTION = "compaction";

/** Returns the version of a task's stored state; null if no task is stored. */
export function readVersion(values: TaskValues): number | null {
  const row = values.read(STATE);
  return row === null ? null : (JSON.parse(row) as EarlierState).state.v;
}

/** Stores the version, in the form that earlier releases read. */
export function writeVersion(values: TaskValues): void {
  values.write(STATE, JSON.stringify({ state: { v: STATE_VERSION } }));
}

/** Converts every row. Runs in one transaction. */
export function convertEarlierRows(sql: SqlStorage, values: TaskValues, rows: StepRows): void {
  const calls = readCalls(sql);
  const row = JSON.parse(values.read(STATE) ?? "null") as EarlierState;
  const intendedAt = (id: string): number | null => calls.find(({ callId }) => callId === id)?.intendedAt ?? null;
  const { facts, ...state } = readState(JSON.parse(values.read(FACTS) ?? "null"), row.state, intendedAt);
  sql.exec(SCHEMA);
  const log = new Log(rows);
  for (const events of readPages<EventRow>(sql, "events")) log.appendEvents(events);
  appendSteps(log, readPages<JournalRow>(sql, "journal"), calls, facts);
  const text = values.read(COMPACTION);
  const compaction = text === null ? {} : { compaction: { through: state.compactedThrough, text } };
  const { version, news: reportable, told: published, toldEvent: publishedEvent = row.lastEvent } = row;
  const seq = log.seq + 1;
  const head = { version, reportable, published, publishedEvent, base: seq, state };
  log.append(state.step, {
    at: facts.createdAt,
    head: { ...head, compaction: text === null ? null : seq },
    ...compaction,
  });
  for (const table of ["events", "journal", "calls"]) sql.exec(`DROP TABLE ${table}`);
  values.delete(COMPACTION);
  values.delete(STATE);
  values.write(FACTS, JSON.stringify(facts));
  writeVersion(values);
}

/** Appends rows whose steps and events grow. */
class Log {
  seq = 0;
  private step = 0;
  private lastEvent = 0;
  private readonly rows: StepRows;

  constructor(rows: StepRows) {
    this.rows = rows;
  }

  appendEvents(events: readonly EventRow[]): void {
    const [first] = events;
    if (first === undefined) return;
    // Retention may have deleted what came before.
    this.lastEvent = first.seq - 1;
    const stored = events.map(({ at, type, data }) => {
      return { type: type as EventType, data: JSON.parse(data) as Record<string, unknown>, at };
    });
    this.append(0, { at: first.at, events: stored });
  }

  append(step: number, body: StepBody): void {
    this.seq += 1;
    this.step = Math.max(this.step, step);
    this.rows.append(this.seq, this.step, this.lastEvent, body);
    this.lastEvent += body.events?.length ?? 0;
  }
}

/** Appends messages, spending and calls, step by step. */
function appendSteps(
  log: Log,
  pages: Iterable<readonly JournalRow[]>,
  calls: readonly StoredCall[],
  facts: TaskFacts,
): void {
  const callsByStep = Map.groupBy(calls, ({ step }) => step);
  const { createdAt: at } = facts;
  let inputs = 0;
  const appendCalls = (step: number) => {
    const ledger = (callsByStep.get(step) ?? []).map((row) => ({ kind: "insert" as const, row }));
    callsByStep.delete(step);
    if (ledger.length > 0) log.append(step, { at, ledger });
  };
  for (const page of pages) {
    for (const [step, rows] of Map.groupBy(page, (row) => row.step)) {
      const messages = rows
        .filter(({ kind }) => kind === "message")
        .flatMap(({ body }) => toMessages(JSON.parse(body) as Message, step === 0 ? inputs++ : null, facts))
        .map((message): StepMessage => ({ step, message }));
      const spent = rows.filter(({ kind }) => kind === "spend").map(({ body }) => JSON.parse(body) as Spend);
      log.append(step, { at, messages, spent });
      appendCalls(step);
    }
  }
  for (const step of [...callsByStep.keys()].toSorted((a, b) => a - b)) appendCalls(step);
}

/**
 * Labels a stored message. One of a release without labels has the label of its input text; one after the input is a
 * person's message and has the label of the last text, the request. File names in Slack come from outside.
 */
function toMessages(stored: Message, input: number | null, facts: TaskFacts): LabelledMessage[] {
  const { label: source, texts = [], via } = facts;
  const text = (input === null ? undefined : texts[input]) ?? texts.at(-1);
  const message = labelMessage(stored, text?.label ?? source);
  if (message.role === "user" && stored.label === undefined && via.channel === "slack")
    return splitFileNames(message.content, message.label);
  return [message];
}

/** Reads the ledger. A settled call without a stored label is from outside. */
function readCalls(sql: SqlStorage): StoredCall[] {
  const readJournal = (kind: string): unknown[] =>
    sql
      .exec<{ body: string }>("SELECT body FROM journal WHERE kind = ?", kind)
      .toArray()
      .map(({ body }) => JSON.parse(body) as unknown);
  const labels = new Map(readJournal("labels").flatMap((body) => Object.entries(body as Record<string, Label>)));
  const uploads = new Set(readJournal("uploads").flat());
  return sql
    .exec<CallRow>("SELECT * FROM calls ORDER BY step, position")
    .toArray()
    .map((row) => {
      const call = toLedgerRow(row);
      if (call.settledAt === null) return call;
      return {
        ...call,
        label: labels.get(call.callId) ?? OUTSIDE,
        ...(uploads.has(call.callId) ? { isUpload: true } : {}),
      };
    });
}

function toLedgerRow(row: CallRow): LedgerRow {
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

/** Reads a table by its `seq`, a page at a time. */
function* readPages<Row extends Record<string, SqlStorageValue> & { readonly seq: number }>(
  sql: SqlStorage,
  table: "events" | "journal",
): Generator<readonly Row[], void, void> {
  for (let after = 0; ; ) {
    const query = `SELECT * FROM ${table} WHERE seq > ? ORDER BY seq LIMIT ?`;
    const page = sql.exec<Row>(query, after, PAGE_ROWS).toArray();
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)?.seq ?? after;
  }
}
