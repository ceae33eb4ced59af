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
  const reads = { begun: 0, ended: 0 };
  const read = async (): Promise<void> => {
    reads.begun += 1;
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
  expect(reads).toEqual({ begun: 1, ended: 1 });
});

test("changes that come faster than answers neither begin a read anew nor are lost", async () => {
  const { reads, read } = slowReads(1_500);
  const change = gatherChanges(read, new AbortController().signal);
  for (let at = 0; at < 6_000; at += 100) {
    change();
    await vi.advanceTimersByTimeAsync(100);
    expect(reads.begun - reads.ended).toBeLessThanOrEqual(1);
  }
  expect(reads.ended).toBeGreaterThanOrEqual(3);
  const before = reads.begun;
  change();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reads.begun).toBeGreaterThan(before);
  expect(reads.ended).toBe(reads.begun);
});

test("quick reads begin a second apart, however many changes come", async () => {
  const begun: number[] = [];
  const change = gatherChanges(async () => {
    begun.push(Date.now());
    await Promise.resolve();
  }, new AbortController().signal);
  for (let at = 0; at < 10_000; at += 5) {
    change();
    await vi.advanceTimersByTimeAsync(5);
  }
  const apart = begun.slice(1).map((at, index) => at - (begun[index] ?? 0));
  expect(begun.length).toBeGreaterThan(5);
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
  const told = new Promise((resolve) => process.once("unhandledRejection", resolve));
  const read = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error("no")).mockResolvedValue(undefined);
  const change = gatherChanges(read, new AbortController().signal);
  change();
  await vi.advanceTimersByTimeAsync(2_000);
  change();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(read).toHaveBeenCalledTimes(2);
  expect(await told).toMatchObject({ message: "no" });
});

test("nothing is read after the end", async () => {
  const { reads, read } = slowReads(1);
  const leaving = new AbortController();
  gatherChanges(read, leaving.signal)();
  leaving.abort();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reads.begun).toBe(0);
});
