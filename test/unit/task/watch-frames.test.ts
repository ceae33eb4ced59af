/** What a task's object sends to its watchers: the frames of a window, and how many there are. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TaskEvent } from "../../../core/task/events.ts";
import { decide } from "../../../core/task/task.ts";
import {
  computeFrameAt,
  hasSettled,
  isDeltaFrame,
  maySettle,
  parseWatchFrame,
  WatchBuffer,
} from "../../../core/task/watch-frames.ts";
import { applyFailure, applyReply, created, startThinking } from "./play-task.ts";

const eventOf = (seq: number, type: TaskEvent["type"] = "step.started"): TaskEvent => ({
  seq,
  type,
  data: { task_id: "task_1", at: "2026-01-01T00:00:00.000Z", text: "a\nb" },
});
const delta = (text: string, attempt = 1) => ({ step: 1, attempt, text });

describe("the frames of a window", () => {
  test("are one text in the order of what happened, with the pieces of a reply joined", () => {
    const buffer = new WatchBuffer("task_1");
    buffer.add(eventOf(4), 0);
    for (const piece of ["one ", "two"]) buffer.addDelta(delta(piece), 0);
    buffer.addDelta(delta("again", 2), 0);
    buffer.add(eventOf(5), 0);
    const [frame = "", ...rest] = buffer.take(0);
    expect(rest).toEqual([]);
    const parsed = parseWatchFrame(frame);
    expect(parsed).toMatchObject({ from: 4, to: 5 });
    const text = "text" in parsed ? parsed.text : "";
    expect(text.match(/^(?:id|event): .*$/gm)).toEqual([
      "id: 4",
      "event: step.started",
      "event: message.delta",
      "event: message.delta",
      "id: 5",
      "event: step.started",
    ]);
    const texts = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data).text);
    expect(texts).toEqual(["a\nb", "one two", "again", "a\nb"]);
    expect(buffer.take(0)).toEqual([]);
  });

  test("give the terminal event as JSON after everything before it, at once", () => {
    const buffer = new WatchBuffer("task_1");
    buffer.addDelta(delta("Done."), 0);
    buffer.add(eventOf(7), 0);
    expect(buffer.isFull).toBe(false);
    buffer.add(eventOf(8, "task.completed"), 0);
    expect(buffer.isFull).toBe(true);
    const frames = buffer.take(0).map(parseWatchFrame);
    expect(frames).toMatchObject([{ from: 7, to: 7 }, { events: [{ seq: 8, type: "task.completed" }] }]);
  });

  test("do not wait while they are large", () => {
    const buffer = new WatchBuffer("task_1");
    for (let seq = 1; !buffer.isFull; seq += 1) {
      expect(seq).toBeLessThan(10_000);
      buffer.add(eventOf(seq), 0);
    }
    buffer.take(0);
    buffer.addDelta(delta("x".repeat(250_001)), 0);
    expect(buffer.isFull).toBe(true);
  });

  test("are awaited with text of the model, or when the task waits", () => {
    const buffer = new WatchBuffer("task_1");
    const add: [() => void, boolean][] = [
      [() => buffer.add(eventOf(1), 0), false],
      [() => buffer.addDelta(delta("x"), 0), true],
      [() => buffer.add(eventOf(2), 0), true],
      [() => void buffer.take(0), false],
      [() => buffer.add(eventOf(3, "task.waiting"), 0), true],
    ];
    for (const [change, isAwaited] of add) {
      change();
      expect(buffer.isAwaited).toBe(isAwaited);
    }
  });

  test("of deltas alone say so, and text that is no frame is refused", () => {
    const buffer = new WatchBuffer("task_1");
    buffer.addDelta(delta("x"), 0);
    const [frame = ""] = buffer.take(0);
    expect([isDeltaFrame(frame), parseWatchFrame(frame)]).toMatchObject([true, { from: 0, to: 0 }]);
    buffer.add(eventOf(10), 0);
    expect(isDeltaFrame(buffer.take(0)[0] ?? "")).toBe(false);
    for (const bad of ["", "10\n", "settled"]) expect(() => parseWatchFrame(bad)).toThrow("not readable");
  });
});

/** The frames per second to each watcher: those that a person waits for, and the others. */
const PER_WATCHER: Readonly<Record<string, (watchers: number) => number>> = {
  awaited: (watchers) => Math.max(4, Math.min(40, 200 / watchers)),
  others: (watchers) => Math.max(4, Math.min(40, 200 / watchers)) / Math.min(12, Math.max(1, watchers / 4)),
};

test.each([
  ["awaited", true, 250],
  ["others", false, 3_000],
] as const)(
  "a task sends at most 200 frames a second to 50 watchers or fewer, and fewer that nobody waits for: %s",
  (kind, isAwaited, longestMs) => {
    const frames = (watchers: number, gaps: readonly number[]) => {
      let [now, sentAt, dueAt, count] = [0, -1_000, Infinity, 0];
      for (const gap of gaps) {
        now += gap;
        if (dueAt <= now) {
          [sentAt, dueAt] = [dueAt, Infinity];
          count += 1;
        }
        if (dueAt === Infinity) dueAt = computeFrameAt(watchers, sentAt, now, isAwaited);
        expect(dueAt - now).toBeLessThanOrEqual(longestMs);
      }
      return { count, seconds: now / 1_000 };
    };
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 200, maxLength: 400 }),
        (watchers, gaps) => {
          const { count, seconds } = frames(watchers, gaps);
          const perWatcher = PER_WATCHER[kind]?.(watchers) ?? Number.NaN;
          expect(count).toBeLessThanOrEqual(Math.ceil(seconds * perWatcher) + 1);
        },
      ),
    );
  },
);

describe("a watcher that waits for the end is called", () => {
  test("for a task that ended or waits, not while its model is tried again", () => {
    const asking = applyReply(startThinking(), { text: "done" });
    expect(hasSettled(asking.state)).toBe(true);
    expect(asking.events.some(maySettle)).toBe(true);
    const failed = applyFailure(startThinking(), {});
    expect(failed.events.map(({ type }) => type)).toContain("task.waiting");
    expect([hasSettled(failed.state), failed.events.some(maySettle)]).toEqual([false, false]);
    expect(hasSettled(created())).toBe(false);
    expect(hasSettled(decide(startThinking(), { type: "cancel", by: "x" }, 1).state)).toBe(true);
  });
});
