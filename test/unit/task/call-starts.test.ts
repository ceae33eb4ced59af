/** When the calls of a step start, and how calls that had not started end after a crash, a cancellation or a stop. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { scheduleCalls } from "../../../core/steps/schedule-calls.ts";
import { deriveCallId } from "../../../core/base/ids.ts";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import type { ActLine } from "../../../core/steps/rpc.ts";
import type { Command, ModelReply } from "../../../core/task/commands.ts";
import type { RunnableCall, Work } from "../../../core/task/decision.ts";
import type { TaskState } from "../../../core/task/state.ts";
import { getStatus } from "../../../core/task/status.ts";
import { decide, findNextWake } from "../../../core/task/task.ts";
import { drawsFrom, startThinking, wake } from "./play-task.ts";
import { crashing } from "./faults.ts";
import { call, factsOf, TaskWorld } from "./world.ts";

const TASK = factsOf().id;
const TWENTY = Array.from({ length: 20 }, () => call("once"));
const idOf = (index: number) => deriveCallId(TASK, 1, index);

/** A call as hop two gets it. */
function hopCall(index: number): RunnableCall {
  const id = idOf(index);
  const row = { tool: "t", arguments: {}, argumentsHash: "h", effect: "once", key: id } as const;
  return { callId: id, mode: "run", attempt: 1, ...row };
}

/** A runner that makes `total` calls, of which the first `stored` have their attempts stored, and what it does. */
function schedule(total: number, stored: number, maxParallel = 5) {
  const all = Array.from({ length: total }, (_, index) => hopCall(index));
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const lines = scheduleCalls({ calls: all.slice(0, stored), later: all.slice(stored) }, maxParallel, {
    async make(one) {
      started.push(one.callId);
      await new Promise<void>((resolve) => ends.set(one.callId, resolve));
      return { type: "settled", callId: one.callId, outcome: confirmedOutcome({}, "done", 1) };
    },
    isSettledBy: () => true,
    giveTurn: async () => undefined,
  });
  return { started, lines, end: (index: number) => ends.get(idOf(index))?.() };
}

/** Each start but the first waits for its turn. */
const settleStarts = async () => await new Promise((resolve) => setImmediate(resolve));

describe("the runner", () => {
  test("starts a later call only after the line that names it was stored, with the end that frees its slot", async () => {
    const { started, lines, end } = schedule(7, 5);
    const first = lines.next(false);
    await settleStarts();
    expect(started).toEqual([0, 1, 2, 3, 4].map(idOf));
    end(2);
    expect((await first).value).toMatchObject({ type: "settled", callId: idOf(2), starts: [idOf(5)] });
    expect(started).toHaveLength(5);
    const second = lines.next(true);
    await settleStarts();
    expect(started.slice(5)).toEqual([idOf(5)]);
    end(5);
    expect((await second).value).toMatchObject({ type: "settled", callId: idOf(5), starts: [idOf(6)] });
    await lines.return();
  });

  test("starts no call after a refused start, and still reports how the calls under way end", async () => {
    const { started, lines, end } = schedule(9, 5);
    const reported: ActLine[] = [];
    for (const index of [0, 1, 2, 3, 4]) {
      const next = lines.next(false);
      await settleStarts();
      end(index);
      const { value } = await next;
      if (value !== undefined) reported.push(value);
    }
    expect((await lines.next(false)).done).toBe(true);
    expect(started).toHaveLength(5);
    expect(reported.map((line) => line.type)).toEqual(Array.from({ length: 5 }, () => "settled"));
    expect(reported.map((line) => (line.type === "settled" ? (line.starts?.length ?? 0) : null))).toEqual([
      1, 0, 0, 0, 0,
    ]);
  });

  test("announces at once the calls that it has room for beyond the stored ones", async () => {
    const { started, lines } = schedule(9, 5, 8);
    expect((await lines.next(false)).value).toEqual({ type: "starting", starts: [5, 6, 7].map(idOf) });
    await settleStarts();
    expect(started).toHaveLength(5);
    await lines.return();
  });
});

describe("twenty calls that cannot be looked up, five at a time", () => {
  test("have only the attempts of the first five stored with the write that begins the tool phase", () => {
    const { state, work, ledger } = startCalls();
    expect(state.batch.map(({ attempts }) => attempts)).toEqual([...Array(5).fill(1), ...Array(15).fill(0)]);
    expect(ledger.map((change) => (change.kind === "insert" ? change.row.attempts : change.kind))).toEqual(
      state.batch.map(({ attempts }) => attempts),
    );
    expect([work?.calls.length, work?.later.length]).toEqual([5, 15]);
  });

  test("leave at most five unknown per crash, are sent at most once, and run unless they were cut off", () => {
    const seen = new Set<number>();
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(0.01, 0.03, 0.1), (seed, rate) => {
        const world = new TaskWorld([TWENTY], crashing(drawsFrom(seed), rate));
        let [unknown, crashes] = [0, 0];
        world.afterStored = ({ batch }) => {
          const now = batch.filter(({ state }) => state === "unknown").length;
          if (now > unknown) {
            expect(now - unknown).toBeLessThanOrEqual(5 * Math.max(1, world.crashes - crashes));
            [unknown, crashes] = [now, world.crashes];
          }
        };
        world.run();
        expect(getStatus(world.state)).toBe("completed");
        for (const { callId: id, state } of world.ledger.values()) {
          const times = world.effects.get(id) ?? 0;
          expect(state === "confirmed" ? times === 1 : state === "unknown" && times <= 1).toBe(true);
        }
        seen.add(unknown);
      }),
      { numRuns: 300 },
    );
    expect(Math.max(...seen)).toBeGreaterThan(0);
  });

  test("run after a crash if they had not started, and are unknown only if they may have left", () => {
    const { state } = startCalls();
    const hop = { step: 1, incarnation: "a" } as const;
    const outcome = confirmedOutcome({}, "done", 1);
    const settled = decide(state, { type: "call_settled", ...hop, callId: idOf(0), outcome }, 2).state;
    const started = decide(settled, { type: "calls_starting", ...hop, callIds: [idOf(5)] }, 2).state;
    const after = wake(started, "b", 5000);
    expect(after.state.batch.map(({ state: its }) => its)).toEqual([
      "confirmed",
      ...Array(5).fill("unknown"),
      ...Array(14).fill("intended"),
    ]);
    expect(workOf(after.work)?.calls).toEqual(
      [6, 7, 8, 9, 10].map((i) => ({ callId: idOf(i), mode: "run", attempt: 1 })),
    );
    const late = decide(after.state, { type: "calls_starting", ...hop, callIds: [idOf(11)] }, 5001);
    expect(late.state).toBe(after.state);
  });

  test("end as not done if the task is cancelled before they start", () => {
    const { state } = startCalls();
    const cancelled = decide(state, { type: "cancel", by: "ana" }, 3).state;
    const states = cancelled.batch.map(({ state: its }) => its);
    expect(states).toEqual([...Array(5).fill("unknown"), ...Array(15).fill("failed")]);
  });

  test("run after a stop if they had not started", () => {
    const { state } = startCalls();
    const halted = decide(state, { type: "halt", message: "stopped" }, 3).state;
    const released = decide(halted, { type: "called" }, 10_000).state;
    const after = wake(released, "b", 10_000);
    expect(after.state.batch.filter((one) => one.state === "unknown")).toHaveLength(5);
    expect(workOf(after.work)?.calls.map(({ callId: id }) => id)).toEqual([5, 6, 7, 8, 9].map(idOf));
  });

  test("all run once with a runner of an earlier release, which skips `later`", () => {
    let { state } = startCalls();
    const made: string[] = [];
    for (let hops = 0; state.phase.name !== "ready" && hops < 10; hops += 1) {
      const work = hops === 0 ? startCalls().work : workOf(wake(state, `h${hops}`, 3 + hops).work);
      if (hops > 0) state = wake(state, `h${hops}`, 3 + hops).state;
      const hop = { step: 1, incarnation: hops === 0 ? "a" : `h${hops}` } as const;
      for (const { callId: id } of work?.calls ?? []) {
        made.push(id);
        const outcome = confirmedOutcome({}, "done", 1);
        state = decide(state, { type: "call_settled", ...hop, callId: id, outcome }, 3 + hops).state;
      }
      state = decide(state, { type: "runner_call_ended", ...hop }, 3 + hops).state;
      if (state.phase.name === "prepared") expect(findNextWake(state, 3 + hops)).toBe(3 + hops);
    }
    expect(made).toEqual(Array.from({ length: 20 }, (_, index) => idOf(index)));
  });
});

test("calls beyond the runner's own setting do not count as started", () => {
  const { state } = startCalls(2);
  expect(state.batch.filter(({ attempts }) => attempts > 0)).toHaveLength(2);
});

test("a tool phase that fails at once starts no further calls before the next alarm", () => {
  const { state } = startCalls();
  const ended = decide(state, { type: "runner_call_ended", step: 1, incarnation: "a" }, 3).state;
  expect(ended.phase).toMatchObject({ name: "acting", incarnation: "" });
  expect(findNextWake(ended, 3)).toBeGreaterThan(3);
});

/** The moment at which the model has asked for the twenty calls. */
function startCalls(maxParallel?: number) {
  const state: TaskState = startThinking({ agent: DEFAULT_AGENT });
  const calls = TWENTY.map((_, index) => ({
    id: idOf(index),
    tool: "t",
    arguments: {},
    argumentsHash: `h${index}`,
    effect: "once" as const,
    approval: null,
    outcome: null,
  }));
  if (state.phase.name !== "thinking") throw new Error(`the task is ${state.phase.name}`);
  const { attempt, incarnation } = state.phase;
  const requested = calls.map(({ id, tool }) => ({ id, name: tool, arguments: "{}" }));
  const usage = { inputTokens: 7, outputTokens: 3, estimated: false };
  const reply: ModelReply = { text: "", calls, requested, usage, finish: "calls" };
  const command: Command = { type: "model_replied", step: 1, attempt, incarnation, reply };
  const decision = decide(state, maxParallel === undefined ? command : { ...command, maxParallel }, 1);
  return { ...decision, work: workOf(decision.work) };
}

function workOf(work: Work | null) {
  return work?.kind === "act" ? work : null;
}
