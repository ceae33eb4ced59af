import { describe, expect, test, vi } from "vitest";
import { Drain } from "../../../adapters/files/drain.ts";
import { DRAIN_MS, getDrainLeftMs } from "../../../core/steps/drain.ts";

describe("a deployment drains", () => {
  test("for 30 seconds from the moment at which the mark was written, and never longer", () => {
    expect(getDrainLeftMs(null, 1000)).toBe(0);
    expect([getDrainLeftMs(1000, 1000), getDrainLeftMs(1000, 21_000), getDrainLeftMs(1000, 31_000)]).toEqual([
      DRAIN_MS,
      10_000,
      0,
    ]);
    // A bucket whose clock is ahead.
    expect(getDrainLeftMs(99_000, 1000)).toBe(DRAIN_MS);
  });

  test("as an isolate reads it, at most every three seconds and in the background", async () => {
    let [now, writtenAt] = [0, null as number | null];
    const head = vi.fn<() => Promise<{ uploaded: Date } | null>>(async () =>
      writtenAt === null ? null : { uploaded: new Date(writtenAt) },
    );
    const drain = new Drain({ head }, { now: () => now });
    expect(await drain.leftMs()).toBe(0);
    [now, writtenAt] = [2999, 2000];
    expect([await drain.leftMs(), head.mock.calls.length]).toEqual([0, 1]);
    now = 3000;
    expect([await drain.leftMs(), head.mock.calls.length]).toEqual([0, 2]);
    await Promise.resolve();
    expect(await drain.leftMs()).toBe(29_000);
  });

  test("not while the bucket is unavailable", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const away = async (): Promise<never> => await Promise.reject(new Error("away"));
    const drain = new Drain({ head: away }, { now: () => 0 });
    expect(await drain.leftMs()).toBe(0);
    vi.restoreAllMocks();
  });
});
