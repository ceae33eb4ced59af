/** What a task did when, as bars along one axis of time. All moments are milliseconds since the epoch. */
import type { TaskEvent, Trace } from "../../../api/types.generated.ts";

export type BarKind = "model" | "tool" | "person" | "subtasks" | "sleep";

export interface Bar {
  readonly id: string;
  readonly kind: BarKind;
  readonly label: string;
  /** Null for a wait: it stands between steps. */
  readonly step: number | null;
  readonly from: number;
  /** Null: it is not over. */
  readonly to: number | null;
  /** How long the tool itself worked, where that is known: a call also waits for its turn and for people. */
  readonly workedMs: number | null;
  readonly attempts: number;
  /** Of the whole step, subtasks that have ended included; null where no model worked. */
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly costUsd: number;
  /** The state of a call in the ledger; null for what is no call. */
  readonly state: string | null;
  /** A call's result has text from outside. */
  readonly isFromOutside: boolean;
}

/** What is read of an event. */
interface LoggedEvent {
  readonly seq: number;
  readonly type: TaskEvent["type"];
  readonly data: { readonly at: string; readonly status?: unknown };
}

const WAITS: Readonly<Record<string, { readonly kind: BarKind; readonly label: string }>> = {
  waiting_input: { kind: "person", label: "Waiting for an answer" },
  waiting_approval: { kind: "person", label: "Waiting for a decision" },
  waiting_subagents: { kind: "subtasks", label: "Waiting for subtasks" },
  sleeping: { kind: "sleep", label: "Sleeping" },
};

/** Kinds of events from which a task's waits can be told. */
export function tellsOfWaits({ type }: LoggedEvent): boolean {
  return /^task\.(?:waiting|resumed|completed|failed|cancelled)$/.test(type);
}

/** The waits of a task, from its log in order. A wait ends with the next status, whichever that is. */
export function waitsOf(events: readonly LoggedEvent[]): Bar[] {
  const waits: Bar[] = [];
  let open = null as OpenWait | null;
  for (const { type, seq, data } of events.filter(tellsOfWaits)) {
    const at = Date.parse(data.at);
    const status = type === "task.waiting" && typeof data.status === "string" ? data.status : null;
    if (status !== null && open?.status === status) continue;
    if (open !== null) waits.push(...waitOf(open, at));
    open = status === null ? null : { status, from: at, seq };
  }
  return open === null ? waits : [...waits, ...waitOf(open, null)];
}

interface OpenWait {
  readonly status: string;
  readonly from: number;
  readonly seq: number;
}

function waitOf({ status, from, seq }: OpenWait, to: number | null): Bar[] {
  const wait = WAITS[status];
  return wait === undefined ? [] : [{ ...NO_CALL, ...wait, id: `wait ${seq}`, from, to }];
}

const NO_CALL = {
  step: null,
  workedMs: null,
  attempts: 1,
  tokens: null,
  costUsd: 0,
  state: null,
  isFromOutside: false,
} as const;

const KIND_ORDER: readonly BarKind[] = ["model", "tool", "person", "subtasks", "sleep"];

/** Model calls, tool calls and waits, the earliest first; of those that begin together, the earlier step and its model first. */
export function barsOf(trace: Trace, waits: readonly Bar[]): Bar[] {
  const bars = trace.steps.flatMap((step) => [
    ...modelBar(step),
    ...step.calls.map((call) => callBar(step.step, call)),
  ]);
  const stepOf = ({ step }: Bar): number => step ?? Number.MAX_SAFE_INTEGER;
  return [...bars, ...waits].toSorted(
    (a, b) => a.from - b.from || stepOf(a) - stepOf(b) || KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind),
  );
}

function modelBar(of: Trace["steps"][number]): Bar[] {
  const { step, attempts, model_completed_at, usage, models, calls } = of;
  // With several tries, the waits between them are bars of their own.
  const startedAt = of.model_started_at ?? of.started_at;
  if (startedAt === null) return [];
  const spentByCalls = calls.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  return [
    {
      id: `model ${step}`,
      kind: "model",
      label: models.length === 0 ? "Model" : models.join(", "),
      step,
      from: Date.parse(startedAt),
      to: model_completed_at === null ? null : Date.parse(model_completed_at),
      workedMs: null,
      attempts,
      tokens: { input: usage.input_tokens, output: usage.output_tokens },
      costUsd: Math.max(0, usage.cost_usd - spentByCalls),
      state: null,
      isFromOutside: false,
    },
  ];
}

function callBar(step: number, call: Trace["steps"][number]["calls"][number]): Bar {
  const to = call.settled_at === null ? null : Date.parse(call.settled_at);
  const intended = Date.parse(call.intended_at);
  // A call that changes nothing may have run before it was written down.
  const from = to === null ? intended : Math.min(intended, to - (call.duration_ms ?? 0));
  return {
    id: call.call_id,
    kind: "tool",
    label: call.tool,
    step,
    from,
    to,
    workedMs: call.duration_ms,
    attempts: call.attempts,
    tokens: null,
    costUsd: call.cost_usd,
    state: call.state,
    isFromOutside: call.label === "outside",
  };
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** From the first bar's begin to the last one's end; `now` ends what is open, of a task that ended `endedAt` does. */
export function spanOf(bars: readonly Bar[], now: number, endedAt: number | null): Span {
  const from = Math.min(...bars.map((bar) => bar.from));
  const last = Math.max(...bars.map((bar) => bar.to ?? endedAt ?? now));
  return bars.length === 0 ? { from: 0, to: 1 } : { from, to: Math.max(last, endedAt ?? last, from + 1) };
}

/** A stretch in which only waiting was done, drawn shorter than it was. */
export interface Shortened extends Span {
  /** Where it stands on the axis, from 0 to 1. */
  readonly left: number;
  readonly right: number;
}

export interface Scale {
  /** Where a moment stands on the axis, from 0 to 1. */
  readonly at: (moment: number) => number;
  readonly shortened: readonly Shortened[];
}

/** A stretch of waiting as long as that share of the work, or longer, is drawn with just this share. */
const SHORT = 0.06;

/** An axis over `span`. With `shortens`, long stretches without work take little of it, so that the work can be seen. */
export function scaleOf(bars: readonly Bar[], span: Span, shortens: boolean): Scale {
  const pieces = shortens ? splitPieces(bars, span) : [{ ...span, isIdle: false }];
  const worked = pieces.reduce((sum, piece) => sum + (piece.isIdle ? 0 : piece.to - piece.from), 0);
  const drawn = pieces.map((piece) => {
    const ms = piece.to - piece.from;
    const room = Math.max(worked * SHORT, 1);
    return { ...piece, isShort: piece.isIdle && ms > room, room: piece.isIdle ? Math.min(ms, room) : ms };
  });
  const total = drawn.reduce((sum, { room }) => sum + room, 0);
  let used = 0;
  const placed = drawn.map((piece) => {
    const left = used / total;
    used += piece.room;
    return { ...piece, left, right: used / total };
  });
  return {
    at: (moment) => {
      const piece = placed.find(({ to }) => moment <= to) ?? placed.at(-1);
      if (piece === undefined) return 0;
      const share = (moment - piece.from) / (piece.to - piece.from);
      return Math.min(1, Math.max(0, piece.left + share * (piece.right - piece.left)));
    },
    shortened: placed.filter(({ isShort }) => isShort),
  };
}

/** The span in pieces with work and without. A call that waits for a person does no work meanwhile. */
function splitPieces(bars: readonly Bar[], span: Span): (Span & { readonly isIdle: boolean })[] {
  const isWait = ({ step }: Bar): boolean => step === null;
  const spans = (which: readonly Bar[]): Span[] => joined(which.map(({ from, to }) => ({ from, to: to ?? span.to })));
  const waits = spans(bars.filter(isWait));
  const work = joined(spans(bars.filter((bar) => !isWait(bar))).flatMap((one) => without(one, waits)));
  const pieces: (Span & { isIdle: boolean })[] = [];
  let at = span.from;
  for (const { from, to } of work) {
    if (from > at) pieces.push({ from: at, to: from, isIdle: true });
    pieces.push({ from, to, isIdle: false });
    at = to;
  }
  if (at < span.to) pieces.push({ from: at, to: span.to, isIdle: true });
  return pieces;
}

/** Spans that touch become one; in order, those of no length left out. */
function joined(spans: readonly Span[]): Span[] {
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of spans.filter((one) => one.to > one.from).toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else result.push({ from, to });
  }
  return result;
}

function without(span: Span, holes: readonly Span[]): Span[] {
  let rest = [span];
  for (const hole of holes) {
    rest = rest.flatMap(({ from, to }) =>
      hole.to <= from || hole.from >= to
        ? [{ from, to }]
        : [
            { from, to: Math.min(to, hole.from) },
            { from: Math.max(from, hole.to), to },
          ],
    );
  }
  return rest.filter(({ from, to }) => to > from);
}

const TICK_STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 108e5, 216e5, 432e5,
  864e5,
];
const MOST_TICKS = 8;
/** Marks stand at least that share of the axis apart. */
const TICK_ROOM = 0.11;

/** Round times since the begin at which the axis is marked. */
export function ticksOf(span: Span, scale: Scale): { readonly ms: number; readonly left: number }[] {
  const worked = scale.shortened.reduce((sum, { from, to }) => sum - (to - from), span.to - span.from);
  const step = TICK_STEPS_MS.find((ms) => worked / ms <= MOST_TICKS) ?? Math.ceil(worked / MOST_TICKS / 864e5) * 864e5;
  const ticks: { ms: number; left: number }[] = [{ ms: 0, left: 0 }];
  const stretches = [span.from, ...scale.shortened.map(({ to }) => to)];
  for (const [index, begin] of stretches.entries()) {
    const end = scale.shortened[index]?.from ?? span.to;
    const first = Math.ceil((begin - span.from) / step) * step;
    for (let ms = first; span.from + ms <= end; ms += step) {
      const left = scale.at(span.from + ms);
      if (left - (ticks.at(-1)?.left ?? 0) >= TICK_ROOM && left <= 1 - TICK_ROOM / 2) ticks.push({ ms, left });
    }
  }
  return ticks;
}
