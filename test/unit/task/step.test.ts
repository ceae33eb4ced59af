import { describe, expect, test } from "vitest";
import { OUTSIDE, PRINCIPAL } from "../../../core/provenance/label.ts";
import { getStatus } from "../../../core/task/status.ts";
import { createTask, decide, findNextWake } from "../../../core/task/task.ts";
import type { Command } from "../../../core/task/commands.ts";
import {
  requestCalls,
  applyFailure,
  preparedCall,
  applyReply,
  toView,
  startThinking,
  wake as wakeAs,
} from "./play-task.ts";
import { call, factsOf, SLEEP, TaskWorld } from "./world.ts";
import type { TaskState } from "../../../core/task/state.ts";

const wake = (state: TaskState, now: number) => wakeAs(state, `at ${now}`, now);
const prepared = preparedCall(startThinking());

describe("an empty reply", () => {
  test("is retried twice, each time at a cost, and then ends the task with a message", () => {
    let state = startThinking();
    for (const now of [1, 2000]) {
      const decision = applyReply(state, { text: " " }, now);
      expect(getStatus(decision.state)).toBe("sleeping");
      state = wake(decision.state, now + 1000).state;
    }
    const ended = applyReply(state, { text: "" }, 5000).state;
    expect(toView(ended)).toMatchObject({
      status: "completed",
      output: { text: expect.stringContaining("without an answer") },
    });
    expect(ended.usage).toMatchObject({ inputTokens: 21, outputTokens: 9, steps: 1 });
  });

  test("at the output limit is not retried", () => {
    expect(toView(applyReply(startThinking(), { finish: "length" }).state)).toMatchObject({
      status: "completed",
      reason: "output_limit",
    });
  });
});

describe("a model call that fails", () => {
  test("in the middle counts as a checkpoint's worth, and at the door as nothing", () => {
    expect(applyFailure(startThinking(), { kind: "cut_off" }).state.usage).toMatchObject({
      outputTokens: 1024,
      estimated: true,
    });
    expect(applyFailure(startThinking(), { kind: "timeout" }).state.usage.outputTokens).toBe(1024);
    expect(applyFailure(startThinking(), { kind: "rate_limited" }).state.usage).toMatchObject({
      outputTokens: 0,
      estimated: false,
    });
  });

  test("says so to those who watch, with the moment of the next try", () => {
    const { events } = applyFailure(startThinking(), { kind: "unavailable" });
    expect(events.find(({ type }) => type === "task.waiting")?.data).toMatchObject({
      status: "sleeping",
      error: { code: "upstream_failed", message: "the server is on fire" },
      until: new Date(1001).toISOString(),
    });
  });

  test("fifty times does not make the next crash the last", () => {
    let state = startThinking();
    for (let now = 1; now < 49; now += 1) {
      const failed = applyFailure(state, {}, now).state;
      state = wakeAs(failed, "b", findNextWake(failed, now) ?? 0).state;
    }
    expect(state.phase).toMatchObject({ name: "thinking", attempt: 49 });
    expect(wake(state, 10_000_000).state.phase).toMatchObject({ name: "thinking", attempt: 50 });
  });

  test("by crashes alone is given up after fifty of them", () => {
    let state = startThinking();
    for (let crash = 1; crash <= 50; crash += 1) state = wake(state, crash * 2000).state;
    expect(toView(state)).toMatchObject({ status: "failed", reason: "internal" });
  });
});

describe("a step that continues", () => {
  test("emits that the task resumed before its next event", () => {
    const world = new TaskWorld([[call("none", SLEEP)]]);
    world.run();
    const types = world.events.map(({ type }) => type);
    expect(types.indexOf("task.resumed")).toBeGreaterThan(types.indexOf("task.waiting"));
    expect(types[types.indexOf("task.resumed") + 1]).toBe("step.started");
  });

  test("leaves the tool phase to a new alarm after a slow model call", () => {
    const late = requestCalls(startThinking(), [prepared], 61_000);
    expect(late.work).toBeNull();
    expect(late.state.phase.name).toBe("prepared");
    expect(wake(late.state, 61_001).work).toMatchObject({ kind: "act", calls: [{ mode: "run", attempt: 1 }] });
    expect(requestCalls(startThinking(), [prepared], 1000).work).toMatchObject({ kind: "act" });
  });
});

describe("a request that is sent again", () => {
  const message: Command = { type: "message", text: "hello", request: "seed-1" };

  test("is applied once and answered as before", () => {
    const first = decide(startThinking(), message, 1);
    const again = decide(first.state, message, 2);
    expect(again).toMatchObject({ refused: null, events: [] });
    const hello = { role: "user", content: "hello", label: PRINCIPAL };
    expect(again.state.steering).toEqual([hello]);
    expect(decide(again.state, { ...message, request: "seed-2" }, 3).state.steering).toEqual([hello, hello]);
  });

  test("is a principal's in the sender's part, and one message", () => {
    const sent = { ...message, text: "Look at it.\n\n- slack/evil.txt", own: 11 };
    const messaged = decide(startThinking(), sent, 1);
    expect(messaged.events).toMatchObject([{ type: "message.completed", data: { text: sent.text } }]);
    expect(messaged.state.steering).toEqual([
      { role: "user", content: "Look at it.", label: PRINCIPAL },
      { role: "user", content: "\n\n- slack/evil.txt", label: OUTSIDE, continues: true },
    ]);
    const alone = decide(startThinking(), { ...sent, own: 0 }, 1).state.steering;
    expect(alone).toEqual([{ role: "user", content: sent.text, label: OUTSIDE }]);
  });

  test("does not count as applied when it was refused", () => {
    const held = createTask({ facts: factsOf(), hold: true, call: null }, 0).state;
    const started = decide(held, { type: "start", request: "s" }, 1).state;
    expect(decide(started, { type: "start", request: "other" }, 2).refused?.code).toBe("conflict");
    expect(decide(started, { type: "start", request: "s" }, 2).refused).toBeNull();
  });
});

describe("what a task holds", () => {
  test("is at most five hundred files to deliver, each once", () => {
    let state = startThinking();
    const attach = (path: string) =>
      decide(state, { type: "attach", file: { path, size: 1, contentType: "text/plain" } }, 1);
    for (let i = 0; i < 500; i += 1) state = attach(`f${i}`).state;
    expect(attach("f0")).toMatchObject({ refused: null, events: [] });
    expect(attach("one more").refused?.code).toBe("quota_exceeded");
  });

  test("are the hidden tasks of its calls, until it has ended", () => {
    const state = decide(startThinking(), { type: "adopt", task: "task_h" }, 1).state;
    expect(state.adopted).toEqual(["task_h"]);
    const left = decide(state, { type: "disown", task: "task_h" }, 2).state;
    expect(left).toMatchObject({ adopted: [], disowned: ["task_h"] });
    expect(decide(left, { type: "disown", task: "task_other" }, 3).state).toBe(left);
    const ended = decide(state, { type: "cancel", by: "x" }, 2).state;
    expect(decide(ended, { type: "adopt", task: "task_i" }, 3).refused?.code).toBe("conflict");
  });
});

test("the hidden task of a call reads no messages", () => {
  const made = createTask({ facts: factsOf({ kind: "call" }), hold: false, call: prepared }, 0).state;
  expect(decide(made, { type: "message", text: "hi", request: null }, 1).refused?.code).toBe("conflict");
});

test("a call that was cut off too often may have happened, unless it does nothing outside", () => {
  for (const [effect, state] of [
    ["keyed", "unknown"],
    ["none", "failed"],
  ] as const) {
    let task = createTask({ facts: factsOf({ kind: "call" }), hold: false, call: { ...prepared, effect } }, 0).state;
    let settled = "";
    for (let crash = 1; settled === "" && crash < 100; crash += 1) {
      const decision = wake(task, crash * 2000);
      task = decision.state;
      const change = decision.ledger.find(({ kind }) => kind === "settle");
      if (change?.kind === "settle") settled = change.state;
    }
    expect(settled).toBe(state);
  }
});

test("the hidden task of a call expires a week after it ended; a task of an agent stays", () => {
  const made = createTask({ facts: factsOf({ kind: "call" }), hold: false, call: prepared }, 0).state;
  const ended = decide(made, { type: "cancel", by: "x" }, 1000).state;
  expect(findNextWake(ended, 1000)).toBe(1000 + 7 * 86_400_000);
  expect(findNextWake(decide(startThinking(), { type: "cancel", by: "x" }, 1000).state, 1000)).toBeNull();
});
