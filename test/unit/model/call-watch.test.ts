/** The two clocks of a model call, its caller, and what remains when it ended. */
import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CallWatch } from "../../../adapters/model/call-watch.ts";

const LIMITS = { timeoutMs: 10_000, idleTimeoutMs: 1000 };
const NEVER = new Promise<never>(() => undefined);
const caller = (): AbortController => new AbortController();

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a call that sends continuously is given up at its total time, and not before", () => {
  const watch = new CallWatch(LIMITS, caller().signal);
  for (let at = 500; at < 10_000; at += 500) {
    vi.advanceTimersByTime(500);
    watch.touch();
  }
  expect(watch.signal.aborted).toBe(false);
  vi.advanceTimersByTime(500);
  expect(watch.signal.reason).toMatchObject({ failure: { kind: "timeout", message: expect.stringContaining("10 s") } });
});

test("a call that goes quiet is given up the idle time after the last that came", () => {
  const watch = new CallWatch(LIMITS, caller().signal);
  vi.advanceTimersByTime(900);
  watch.touch();
  vi.advanceTimersByTime(999);
  expect(watch.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(watch.signal.reason).toMatchObject({ failure: { kind: "timeout", message: expect.stringContaining("1 s") } });
});

test("what is waited for ends with the reason of the abort, at once", async () => {
  const late = new CallWatch(LIMITS, caller().signal);
  const waiting = late.race(NEVER);
  vi.advanceTimersByTime(1000);
  await expect(waiting).rejects.toMatchObject({ failure: { kind: "timeout" } });
  await expect(late.race(NEVER)).rejects.toMatchObject({ failure: { kind: "timeout" } });

  const from = caller();
  const cancelled = new CallWatch(LIMITS, from.signal);
  const pending = cancelled.race(NEVER);
  from.abort();
  await expect(pending).rejects.toMatchObject({ failure: { kind: "cut_off" } });
});

test("a call of a caller that has given up is aborted from the start", () => {
  expect(new CallWatch(LIMITS, AbortSignal.abort()).signal.aborted).toBe(true);
});

test("however much is read, there is one timer and one listener, and neither after the call", async () => {
  const { signal } = caller();
  const watch = new CallWatch(LIMITS, signal);
  for (let read = 0; read < 50; read += 1) {
    await watch.race(Promise.resolve(read));
    watch.touch();
  }
  expect(vi.getTimerCount()).toBe(1);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  expect(getEventListeners(watch.signal, "abort")).toHaveLength(0);
  watch.end();
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("the end gives the connection up, unless the reply was read to its end", () => {
  const early = new CallWatch(LIMITS, caller().signal);
  early.end();
  expect(early.signal.aborted).toBe(true);
  const whole = new CallWatch(LIMITS, caller().signal);
  whole.complete();
  whole.end();
  expect(whole.signal.aborted).toBe(false);
});
