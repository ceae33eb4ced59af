import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { gatherChanges } from "../../../web/src/api/gather-changes.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Reads that take as long as a slow answer, counted as they begin and end. */
function slowReads(takesMs: number) {
  const reads = { started: 0, ended: 0 };
  const read = async (): Promise<void> => {
    reads.started += 1;
    await new Promise((resolve) => setTimeout(resolve, takesMs));
    reads.ended += 1;
  };
  return { reads, read };
}

test("changes of one moment are read once", async () => {
  const { reads, read } = slowReads(1);
  const change = gatherChanges(read, new AbortController().signal);
  for (let many = 0; many < 50; many += 1) change();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reads).toEqual({ started: 1, ended: 1 });
});

test("changes that arrive faster than replies neither restart a read nor are lost", async () => {
  const { reads, read } = slowReads(1_500);
  const change = gatherChanges(read, new AbortController().signal);
  for (let at = 0; at < 6_000; at += 100) {
    change();
    await vi.advanceTimersByTimeAsync(100);
    expect(reads.started - reads.ended).toBeLessThanOrEqual(1);
  }
  expect(reads.ended).toBeGreaterThanOrEqual(3);
  const before = reads.started;
  change();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reads.started).toBeGreaterThan(before);
  expect(reads.ended).toBe(reads.started);
});

test("quick reads start a second apart, however many changes arrive", async () => {
  const started: number[] = [];
  const change = gatherChanges(async () => {
    started.push(Date.now());
    await Promise.resolve();
  }, new AbortController().signal);
  for (let at = 0; at < 10_000; at += 5) {
    change();
    await vi.advanceTimersByTimeAsync(5);
  }
  const apart = started.slice(1).map((at, index) => at - (started[index] ?? 0));
  expect(started.length).toBeGreaterThan(5);
  for (const ms of apart) expect(ms).toBeGreaterThanOrEqual(1_000);
});

test("a read that never ends does not hold the next", async () => {
  const read = vi.fn<() => Promise<void>>(async () => await new Promise<void>(() => undefined));
  const change = gatherChanges(read, new AbortController().signal);
  change();
  await vi.advanceTimersByTimeAsync(1_000);
  change();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(read).toHaveBeenCalledTimes(2);
});

test("a read that fails says so, and does not hold the next", async () => {
  const rejection = new Promise((resolve) => process.once("unhandledRejection", resolve));
  const read = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error("no")).mockResolvedValue(undefined);
  const change = gatherChanges(read, new AbortController().signal);
  change();
  await vi.advanceTimersByTimeAsync(2_000);
  change();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(read).toHaveBeenCalledTimes(2);
  expect(await rejection).toMatchObject({ message: "no" });
});

test("nothing is read after the end", async () => {
  const { reads, read } = slowReads(1);
  const leaving = new AbortController();
  gatherChanges(read, leaving.signal)();
  leaving.abort();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reads.started).toBe(0);
});
