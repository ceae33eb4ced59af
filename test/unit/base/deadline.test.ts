/** Deadlines: in time, too late, aborted; and what they leave behind. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { awaitUnlessAborted, awaitWithin, openTimeLimit, sleep } from "../../../core/base/deadline.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const never = new Promise<never>(() => undefined);

test("work in time gives its result or its error and leaves no timer", async () => {
  expect(await awaitWithin(globalThis, 10, Promise.resolve("done"), "late")).toBe("done");
  await expect(awaitWithin(globalThis, 10, Promise.reject(new Error("broken")), "late")).rejects.toThrow("broken");
  expect(vi.getTimerCount()).toBe(0);
});

test("late work returns the given value, and its later error is dropped", async () => {
  const work = new Promise((_, reject) => setTimeout(() => reject(new Error("after the deadline")), 50));
  const outcome = awaitWithin(globalThis, 10, work, "late");
  await vi.advanceTimersByTimeAsync(10);
  expect(await outcome).toBe("late");
  await vi.advanceTimersByTimeAsync(40);
});

test("work is given up when its signal aborts, also when it has aborted before", async () => {
  const abort = new AbortController();
  const outcome = awaitUnlessAborted(abort.signal, never, null);
  abort.abort();
  expect(await outcome).toBeNull();
  expect(await awaitUnlessAborted(abort.signal, never, null)).toBeNull();
  expect(await awaitUnlessAborted(new AbortController().signal, Promise.resolve(1), null)).toBe(1);
});

test("a sleep ends in time, or early with its signal", async () => {
  const abort = new AbortController();
  const whole = sleep(globalThis, 10, abort.signal);
  await vi.advanceTimersByTimeAsync(10);
  expect(await whole).toBe(true);
  const cut = sleep(globalThis, 10, abort.signal);
  abort.abort();
  expect(await cut).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test("a time limit aborts late, as a timeout, or with its caller", async () => {
  const abort = new AbortController();
  const late = openTimeLimit(globalThis, 10, abort.signal);
  const early = openTimeLimit(globalThis, 20, abort.signal);
  await vi.advanceTimersByTimeAsync(10);
  expect(late.signal.reason).toMatchObject({ name: "TimeoutError" });
  expect(early.signal.aborted).toBe(false);
  abort.abort("stopped");
  expect(early.signal.reason).toBe("stopped");
  early.end();
  expect(vi.getTimerCount()).toBe(0);
});

test("a time limit ends with its time or with the whole work, and leaves nothing behind once it is ended", async () => {
  const whole = new AbortController();
  const late = openTimeLimit(globalThis, 10, whole.signal);
  const cut = openTimeLimit(globalThis, 50, whole.signal);
  const ended = openTimeLimit(globalThis, 10, whole.signal);
  ended.end();
  await vi.advanceTimersByTimeAsync(10);
  expect([late, cut, ended].map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
  whole.abort("cancelled");
  expect([cut.signal.reason, ended.signal.aborted]).toEqual(["cancelled", false]);
  expect(openTimeLimit(globalThis, 10, whole.signal).signal.aborted).toBe(true);
  cut.end();
  await vi.advanceTimersByTimeAsync(10);
  expect(vi.getTimerCount()).toBe(0);
});
