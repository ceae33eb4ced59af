import { describe, expect, test } from "vitest";
import { createErasedChange, FeedWindow, type TaskChange } from "../../../core/tenant/feed.ts";

const change = (task: string, version: number, status: TaskChange["status"] = "running"): TaskChange => ({
  ...createErasedChange(task, 0),
  status,
  version,
});

function flush(window: FeedWindow, now: number): readonly TaskChange[] {
  const frame = window.take(now);
  if (frame === null || "skipped" in frame) throw new Error(`no changes: ${JSON.stringify(frame)}`);
  return frame.changes;
}

describe("the next frame of a feed", () => {
  test("is the last of each task, in the order in which they changed last", () => {
    const window = new FeedWindow();
    for (const one of [change("a", 1), change("b", 1), change("a", 2)]) window.put(one, 0);
    expect(flush(window, 20).map(({ task_id, version }) => [task_id, version])).toEqual([
      ["b", 1],
      ["a", 2],
    ]);
    expect(window.take(20)).toBeNull();
  });

  test("has no older state that came late, and no report of a deleted task", () => {
    const window = new FeedWindow();
    window.put(change("a", 5, "completed"), 0);
    window.put(change("a", 4), 0);
    window.put(change("b", 1), 0);
    window.put(createErasedChange("b", 0), 0);
    window.put(change("b", 2), 0);
    expect(flush(window, 20).map(({ status }) => status)).toEqual(["completed", "erased"]);
  });

  test("is due at once after a quiet time, or else a quarter of a second after the last one", () => {
    const window = new FeedWindow();
    expect(window.put(change("a", 1), 1000)).toBe(1020);
    flush(window, 1020);
    expect(window.put(change("a", 2), 1030)).toBe(1270);
    flush(window, 1270);
    expect(window.put(change("a", 3), 5000)).toBe(5020);
  });

  test("is only that there were too many, for a second, when more than 200 tasks changed", () => {
    const window = new FeedWindow();
    for (let i = 0; i < 200; i += 1) window.put(change(`task ${i % 200}`, i), 0);
    expect(flush(window, 20)).toHaveLength(200);
    for (let i = 0; i < 10_000; i += 1) window.put(change(`task ${i}`, i), 300);
    expect(window.take(320)).toEqual({ skipped: true });
    expect(window.put(change("a", 1), 330)).toBe(1320);
    expect(flush(window, 1320)).toHaveLength(1);
  });
});
