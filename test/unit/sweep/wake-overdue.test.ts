/** The sweep over lost alarms in simulated time: how long until all of them are woken. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Page, PagePosition } from "../../../core/base/page-cursor.ts";
import {
  AT_ONCE,
  MAX_PARTS,
  PART_MS,
  PART_SIZE,
  wakeEach,
  wakeOverdue,
  WAKE_MS,
} from "../../../core/sweep/wake-overdue.ts";

/** Time for a page of ids, and for a task whose object has to be loaded. */
const PAGE_MS = 500;
const OBJECT_MS = 250;
const CLOCK = { now: () => Date.now(), after: async (ms: number) => await sleep(ms) };
/** Without each task's timer, a simulation in which every task answers is ten times faster. */
const PATIENT = { ...CLOCK, after: async () => await new Promise<never>(() => undefined) };

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** An index of overdue tasks for a run of the sweep. */
function overdue(count: number, fates: { readonly hangs?: (task: number) => boolean } = {}) {
  const waiting = new Set(Array.from({ length: count }, (_, task) => task));
  const wokenAt = new Map<number, number>();
  const seen = { parts: 0, partSize: 0, atOnce: 0, underWay: 0 };
  const readPage = async ({ after, limit }: { after: PagePosition | null; limit: number }): Promise<Page<number>> => {
    await sleep(PAGE_MS);
    const from = after === null ? 0 : after.at + 1;
    const items = [...waiting].filter((task) => task >= from).slice(0, limit);
    const last = items.at(-1);
    return { items, next: items.length < limit || last === undefined ? null : { at: last, id: String(last) } };
  };
  const wake = async (task: number): Promise<void> => {
    seen.underWay += 1;
    seen.atOnce = Math.max(seen.atOnce, seen.underWay);
    if (fates.hangs?.(task) === true) await sleep(3_600_000);
    await sleep(OBJECT_MS);
    seen.underWay -= 1;
    waiting.delete(task);
    wokenAt.set(task, Date.now());
  };
  const wakePart = async (tasks: readonly number[]): Promise<void> => {
    seen.parts += 1;
    seen.partSize = Math.max(seen.partSize, tasks.length);
    await wakeEach(tasks, wake, fates.hangs === undefined ? PATIENT : CLOCK);
  };
  return { waiting, wokenAt, seen, run: () => wakeOverdue(readPage, wakePart) };
}

/** Runs the work in simulated time and returns the seconds. */
async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = Date.now();
  let endedAt: number | null = null;
  void work().then(() => (endedAt = Date.now()));
  for (let looks = 0; endedAt === null && looks < 4000; looks += 1) await vi.advanceTimersByTimeAsync(250);
  if (endedAt === null) throw new Error("the run did not end");
  return (endedAt - began) / 1000;
}

describe("a run of the sweep", () => {
  test("wakes 100,000 tasks with lost alarms within a minute, within the platform's limits", async () => {
    const { waiting, wokenAt, seen, run } = overdue(100_000);
    const seconds = await secondsOf(run);
    expect(waiting.size).toBe(0);
    expect(Math.max(...wokenAt.values()) / 1000).toBeLessThanOrEqual(60);
    expect(seconds).toBeLessThanOrEqual(60);
    // 32 invocations for one request, 10,000 requests for one invocation: one for each task and one for its tenant.
    expect(seen.parts).toBeLessThanOrEqual(MAX_PARTS);
    expect(2 * seen.partSize).toBeLessThanOrEqual(10_000);
    expect(seen.atOnce).toBeLessThanOrEqual(MAX_PARTS * AT_ONCE);
  });

  test("is not delayed by objects that never answer: the others of their part are woken, and the next run is in time", async () => {
    const { waiting, run } = overdue(PART_SIZE, { hangs: (task) => task % 40 === 0 });
    const seconds = await secondsOf(run);
    expect(seconds).toBeLessThanOrEqual((PART_MS + WAKE_MS) / 1000 + 1);
    expect(waiting.size).toBe(PART_SIZE / 40);
  });

  test("waits for its started parts when a later page cannot be read, and reports the failure", async () => {
    const woken: number[] = [];
    const read = vi.fn<(request: { after: PagePosition | null; limit: number }) => Promise<Page<number>>>();
    read.mockResolvedValueOnce({ items: [1, 2], next: { at: 2, id: "2" } }).mockRejectedValue(new Error("away"));
    const run = wakeOverdue(read, async (tasks) => {
      await sleep(100);
      woken.push(...tasks);
    });
    const failure = run.catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(200);
    expect(await failure).toMatchObject({ message: "away" });
    expect(woken).toEqual([1, 2]);
  });
});
