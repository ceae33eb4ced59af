import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { barWords } from "../../../web/src/pages/task/time/bar-looks.ts";
import { sortedBars, tookMs, totalsOf } from "../../../web/src/pages/task/time/time-totals.ts";
import { type Bar, barsOf, scaleOf, spanOf, ticksOf, waitsOf } from "../../../web/src/pages/task/time/waterfall.ts";
import type { TaskEvent, Trace } from "../../../web/src/api/types.generated.ts";

const START = Date.parse("2026-03-01T12:00:00.000Z");
const iso = (ms: number): string => new Date(START + ms).toISOString();

type Step = Trace["steps"][number];

function stepOf(step: number, from: number, modelTo: number | null, rest: Partial<Step> = {}): Step {
  const usage = { input_tokens: 100, output_tokens: 20, cost_usd: 0.05, estimated: false };
  const model_completed_at = modelTo === null ? null : iso(modelTo);
  const started_at = iso(from);
  const times = { started_at, model_started_at: started_at, model_completed_at, completed_at: null, duration_ms: null };
  return { step, attempts: 1, ...times, usage, models: ["small-1"], calls: [], ...rest };
}

type Call = Step["calls"][number];

function callOf(id: string, from: number, to: number | null, rest: Partial<Call> = {}): Call {
  const times = { intended_at: iso(from), settled_at: to === null ? null : iso(to), duration_ms: null };
  return {
    call_id: id,
    tool: "read_file",
    effect: "none",
    state: "confirmed",
    attempts: 1,
    ...times,
    label: "outside",
    account: null,
    cost_usd: 0,
    ...rest,
  };
}

function traceOf(steps: Step[]): Trace {
  const usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0, estimated: false };
  return { task_id: "task_1", status: "running", started_at: null, ended_at: null, duration_ms: null, usage, steps };
}

function eventOf(seq: number, type: TaskEvent["type"], at: number, status?: string) {
  return { seq, type, data: { task_id: "task_1", at: iso(at), ...(status === undefined ? {} : { status }) } };
}

function barOf(id: string, from: number, to: number | null, rest: Partial<Bar> = {}): Bar {
  const worth = { workedMs: null, attempts: 1, tokens: null, costUsd: 0, state: null, isFromOutside: false };
  return { id, kind: "tool", label: id, step: 1, from, to, ...worth, ...rest };
}

describe("the bars of a task", () => {
  it("are one for each model call and each tool call, in the order in which they began", () => {
    const trace = traceOf([
      stepOf(1, 0, 100, { calls: [callOf("c1", 100, 300), callOf("c2", 100, null, { state: "intended" })] }),
      stepOf(2, 300, null),
    ]);
    expect(barsOf(trace, []).map(({ id, from, to }) => [id, from - START, to === null ? null : to - START])).toEqual([
      ["model 1", 0, 100],
      ["c1", 100, 300],
      ["c2", 100, null],
      ["model 2", 300, null],
    ]);
  });

  it("say of a call whether its result came from outside", () => {
    const calls = [callOf("c1", 0, 1), callOf("c2", 0, 1, { label: "tenant" }), callOf("c3", 0, null, { label: null })];
    const bars = barsOf(traceOf([stepOf(1, 0, 1, { calls })]), []);
    expect(bars.map(({ isFromOutside }) => isFromOutside)).toEqual([false, true, false, false]);
    expect(bars.map((bar) => barWords(bar, START, START).includes("from outside"))).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  it("are listed by their steps if they start together", () => {
    const first = stepOf(1, 100, 100, { calls: [callOf("c1", 100, 100), callOf("c2", 100, 100)] });
    const bars = barsOf(traceOf([stepOf(2, 100, 200), first]), []);
    expect(bars.map(({ id }) => id)).toEqual(["model 1", "c1", "c2", "model 2"]);
  });

  it("give the model the cost of its step without the calls, and never less than zero", () => {
    const dear = traceOf([stepOf(1, 0, 1, { calls: [callOf("c1", 1, 2, { cost_usd: 0.02 })] })]);
    expect(barsOf(dear, [])[0]?.costUsd).toBeCloseTo(0.03);
    const odd = traceOf([stepOf(1, 0, 1, { calls: [callOf("c1", 1, 2, { cost_usd: 0.06 })] })]);
    expect(barsOf(odd, [])[0]?.costUsd).toBe(0);
  });

  it("start the model's bar with its last attempt", () => {
    const [bar] = barsOf(traceOf([stepOf(1, 0, 900, { attempts: 2, model_started_at: iso(600) })]), []);
    expect([bar?.from, bar?.attempts]).toEqual([START + 600, 2]);
  });

  it("start a call at its run if it ran before it was recorded", () => {
    const [bar] = barsOf(
      traceOf([
        stepOf(1, 0, 1, {
          started_at: null,
          model_started_at: null,
          calls: [callOf("c1", 50, 50, { duration_ms: 30 })],
        }),
      ]),
      [],
    );
    expect([bar?.from, bar?.to]).toEqual([START + 20, START + 50]);
  });

  it("list each wait by its kind, until the next status", () => {
    const events = [
      eventOf(1, "task.created", 0),
      eventOf(2, "task.waiting", 10, "waiting_approval"),
      eventOf(3, "task.waiting", 12, "waiting_approval"),
      eventOf(4, "task.waiting", 20, "waiting_input"),
      eventOf(5, "task.resumed", 30, "running"),
      eventOf(6, "step.started", 31),
      eventOf(7, "task.waiting", 40, "sleeping"),
      eventOf(8, "task.cancelled", 50),
    ];
    const said = waitsOf(events).map(({ kind, label, from, to }) => [kind, label, from - START, (to ?? 0) - START]);
    expect(said).toEqual([
      ["person", "Waiting for a decision", 10, 20],
      ["person", "Waiting for an answer", 20, 30],
      ["sleep", "Sleeping", 40, 50],
    ]);
    expect(waitsOf([eventOf(1, "task.waiting", 5, "waiting_subagents")])).toMatchObject([
      { kind: "subtasks", to: null },
    ]);
  });
});

describe("the axis of time", () => {
  it("goes from the first bar to the last end, and to the present while one is open", () => {
    const bars = [barOf("a", 100, 200), barOf("b", 150, null)];
    expect(spanOf(bars, 500, null)).toEqual({ from: 100, to: 500 });
    expect(spanOf(bars, 500, 300)).toEqual({ from: 100, to: 300 });
    expect(spanOf([barOf("a", 100, 100)], 500, null)).toEqual({ from: 100, to: 101 });
    expect(spanOf([], 500, null)).toEqual({ from: 0, to: 1 });
  });

  it("is even when nothing is shortened", () => {
    const bars = [barOf("a", 0, 10), barOf("b", 990, 1000)];
    const { at, shortened } = scaleOf(bars, { from: 0, to: 1000 }, false);
    expect([0, 250, 1000].map(at)).toEqual([0, 0.25, 1]);
    expect(shortened).toEqual([]);
  });

  it("draws a day of waiting for a person shorter than the seconds of work, though a call lasted as long", () => {
    const day = 86_400_000;
    const bars = [
      barOf("model", 0, 2000),
      barOf("ask", 2000, 2000 + day),
      barOf("wait", 2000, 2000 + day, { step: null, kind: "person" }),
      barOf("model again", 2000 + day, 4000 + day),
    ];
    const scale = scaleOf(bars, spanOf(bars, 0, null), true);
    expect(scale.shortened).toMatchObject([{ from: 2000, to: 2000 + day }]);
    expect(scale.at(2000 + day) - scale.at(2000)).toBeLessThan(0.1);
    expect(scale.at(2000)).toBeCloseTo(1 - scale.at(2000 + day));
  });

  const bars = fc
    .array(fc.record({ from: fc.nat(10_000), ms: fc.nat(100_000), isWait: fc.boolean() }), {
      minLength: 1,
      maxLength: 30,
    })
    .map((all) =>
      all.map(({ from, ms, isWait }, index) => barOf(`${index}`, from, from + ms, isWait ? { step: null } : {})),
    );

  it("never reverses time and uses its full length, for any bars", () => {
    fc.assert(
      fc.property(bars, fc.boolean(), (all, shortens) => {
        const span = spanOf(all, 0, null);
        const { at } = scaleOf(all, span, shortens);
        expect(at(span.from)).toBe(0);
        expect(at(span.to)).toBeCloseTo(1);
        const moments = all.flatMap(({ from, to }) => [from, to ?? 0]).toSorted((a, b) => a - b);
        const places = moments.map(at);
        for (const [index, place] of places.entries()) {
          expect(place >= 0 && place <= 1).toBe(true);
          expect(place).toBeGreaterThanOrEqual((places[index - 1] ?? 0) - 1e-9);
        }
      }),
    );
  });

  it("marks round times, not too close to each other", () => {
    fc.assert(
      fc.property(bars, fc.boolean(), (all, shortens) => {
        const span = spanOf(all, 0, null);
        const ticks = ticksOf(span, scaleOf(all, span, shortens));
        expect(ticks[0]).toEqual({ ms: 0, left: 0 });
        expect(ticks.length).toBeLessThan(11);
        for (const [index, { ms, left }] of ticks.entries()) {
          if (index > 0) expect(left - (ticks[index - 1]?.left ?? 0)).toBeGreaterThan(0.1);
          expect(ms % 1).toBe(0);
        }
      }),
    );
    const plain = [barOf("a", 0, 4000)];
    const span = spanOf(plain, 0, null);
    expect(ticksOf(span, scaleOf(plain, span, true)).map(({ ms }) => ms)).toEqual([
      0, 500, 1000, 1500, 2000, 2500, 3000, 3500,
    ]);
  });

  it("places a thousand calls", () => {
    const calls = Array.from({ length: 1000 }, (_, index) => callOf(`c${index}`, index * 10, index * 10 + 5));
    const all = barsOf(traceOf([stepOf(1, 0, 1, { calls })]), []);
    const scale = scaleOf(all, spanOf(all, 0, null), true);
    expect(all.map(({ from }) => scale.at(from)).every((place) => place >= 0 && place <= 1)).toBe(true);
    expect(all).toHaveLength(1001);
  });
});

describe("the sums", () => {
  const bars = [
    barOf("1", 0, 100, { label: "search", costUsd: 0.1 }),
    barOf("2", 0, 300, { label: "search", workedMs: 50, state: "failed" }),
    barOf("3", 0, null, { label: "read_file" }),
    barOf("4", 0, 400, { label: "small-1", kind: "model", costUsd: 0.5 }),
  ];

  it("are one for each tool, the most expensive first", () => {
    expect(totalsOf(bars, "tool", 1000)).toEqual([
      { name: "search", count: 2, ms: 150, costUsd: 0.1, failed: 1 },
      { name: "read_file", count: 1, ms: 1000, costUsd: 0, failed: 0 },
    ]);
    expect(totalsOf(bars, "model", 1000)).toMatchObject([{ name: "small-1", ms: 400, costUsd: 0.5 }]);
    expect(totalsOf(bars, "sleep", 1000)).toEqual([]);
  });

  it("sort the bars by when they began, how long they took or what they cost", () => {
    const named = (all: readonly Bar[]): string => all.map(({ id }) => id).join("");
    expect(named(sortedBars(bars, "start", 1000))).toBe("1234");
    expect(named(sortedBars(bars, "duration", 1000))).toBe("3412");
    expect(named(sortedBars(bars, "cost", 1000))).toBe("4123");
    expect(tookMs(barOf("late", 900, null), 500)).toBe(0);
  });
});
