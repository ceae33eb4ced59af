/** When the frames of a task with many watchers are sent. The sockets are noted, and no time passes but the set one. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TaskWatchers } from "../../../durable-objects/task/watchers.ts";

const WATCHERS = 50;
const TASK = "task_1";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: 1_800_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The watchers of an object with this number of sockets, and the frames that one of them received. */
function makeWatchers() {
  const frames: string[] = [];
  const sockets = Array.from({ length: WATCHERS }, (_, index) => ({
    send: (text: string) => void (index === 0 && frames.push(text)),
  }));
  const state = { getWebSockets: (tag?: string) => (tag === undefined || tag === "stream" ? sockets : []) };
  return { watchers: new TaskWatchers(state as unknown as DurableObjectState), frames };
}

const eventOf = (seq: number) => ({ seq, at: Date.now(), type: "step.started", data: { step: seq } }) as const;
const delta = { step: 2, attempt: 1, text: "Hello" };

test("text of the model is not held back by events that nobody waits for", () => {
  const { watchers, frames } = makeWatchers();
  watchers.publish([eventOf(1)], TASK);
  vi.advanceTimersByTime(100);
  expect(frames).toHaveLength(1);
  // The next frame of events alone is due after three seconds.
  watchers.publish([eventOf(2)], TASK);
  vi.advanceTimersByTime(1000);
  expect(frames).toHaveLength(1);
  watchers.publishDelta(delta, TASK);
  vi.advanceTimersByTime(250);
  expect(frames.length).toBeGreaterThan(1);
  expect(frames.join()).toContain("Hello");
});

test("events that nobody waits for are sent together, after three seconds at the latest", () => {
  const { watchers, frames } = makeWatchers();
  watchers.publish([eventOf(1)], TASK);
  vi.advanceTimersByTime(100);
  for (const seq of [2, 3, 4]) watchers.publish([eventOf(seq)], TASK);
  vi.advanceTimersByTime(2800);
  expect(frames).toHaveLength(1);
  vi.advanceTimersByTime(200);
  expect(frames).toHaveLength(2);
});
