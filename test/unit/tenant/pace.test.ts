/** Pacing, on a simulated thread: slices of work run one after another in the order in which they came due. */
import { describe, expect, test } from "vitest";
import { CostShare, LONGEST_PACE_MS } from "../../../core/tenant/cost-share.ts";
import { quantile } from "../../drill/random.ts";

const START = 1_800_000_000_000;
/** When the victim's tasks begin to count: noise that arrives at once first takes its bursts. */
const WARM_UP_MS = 3000;

/** A thread that runs one slice at a time. Time passes only by its events. */
class Thread {
  now = START;
  private busyUntil = START;
  private readonly due: { readonly at: number; readonly order: number; readonly run: () => void }[] = [];
  private order = 0;

  at(at: number, run: () => void): void {
    this.due.push({ at, order: (this.order += 1), run });
  }

  async wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => this.at(this.now + ms, resolve));
  }

  /** Takes the thread for `ms` after all earlier requests for it. */
  async work(ms: number): Promise<void> {
    this.busyUntil = Math.max(this.busyUntil, this.now) + ms;
    await this.wait(this.busyUntil - this.now);
  }

  async runFor(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      this.due.sort((left, right) => left.at - right.at || left.order - right.order);
      const next = this.due[0];
      if (next === undefined || next.at > end) break;
      this.due.shift();
      this.now = Math.max(this.now, next.at);
      next.run();
      // Resumed code schedules its next event before time advances.
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
    this.now = end;
  }
}

interface Noise {
  readonly tenant: string;
  readonly lanes: number;
  /** The slices of a request, in milliseconds each. */
  readonly slices: readonly number[];
}

interface Simulated {
  readonly p95Ms: number;
  readonly requests: Readonly<Record<string, number>>;
}

/** A victim that runs tasks in its lanes, with a rest after each, next to noise, for thirty seconds. */
async function simulate(
  noise: readonly Noise[],
  { isPaced = true, lanes = 2, restMs = 0 }: { isPaced?: boolean; lanes?: number; restMs?: number } = {},
): Promise<Simulated> {
  const thread = new Thread();
  const share = new CostShare();
  const requests: Record<string, number> = {};
  const begin = async (tenant: string): Promise<boolean> => {
    const waitMs = isPaced ? share.book(tenant, thread.now) : 0;
    await thread.wait(waitMs);
    return waitMs <= LONGEST_PACE_MS;
  };
  const compute = async (tenant: string, ms: number): Promise<void> => {
    await thread.work(ms);
    share.charge(tenant, ms, thread.now);
  };
  const makeNoise = async ({ tenant, slices }: Noise): Promise<void> => {
    for (;;) {
      if (!(await begin(tenant))) continue;
      for (const slice of slices) {
        await compute(tenant, slice);
        if (isPaced) await thread.wait(Math.min(1000, share.findTurnWaitMs(tenant, thread.now)));
      }
      requests[tenant] = (requests[tenant] ?? 0) + 1;
      await thread.wait(1);
    }
  };
  const taskMs: number[] = [];
  const runTasks = async (): Promise<void> => {
    for (;;) {
      const from = thread.now;
      for (const [turns, waitMs] of [
        [6, 5],
        [6, 5],
        [1, 200],
        [3, 5],
      ] as const) {
        // A task is made by one request and read by another; its phases book nothing.
        if (waitMs === 5) await begin("victim");
        for (let turn = 0; turn < turns; turn += 1) {
          await compute("victim", 1);
          await thread.wait(waitMs);
        }
      }
      if (from >= START + WARM_UP_MS) taskMs.push(thread.now - from);
      await thread.wait(restMs);
    }
  };
  for (let lane = 0; lane < lanes; lane += 1) void runTasks();
  for (const one of noise) for (let lane = 0; lane < one.lanes; lane += 1) void makeNoise(one);
  await thread.runFor(30_000);
  return { p95Ms: taskMs.length === 0 ? NaN : quantile(taskMs, 0.95), requests };
}

describe("a victim's tasks take at most twice as long", () => {
  test.each([
    ["requests of 5 ms", [{ tenant: "noisy", lanes: 12, slices: [5] }]],
    ["requests of 20 ms", [{ tenant: "noisy", lanes: 12, slices: [20] }]],
    ["requests of 70 ms", [{ tenant: "noisy", lanes: 6, slices: [70] }]],
    ["long work in turns", [{ tenant: "noisy", lanes: 6, slices: Array.from({ length: 20 }, () => 35) }]],
    ["three noisy tenants", ["a", "b", "c"].map((tenant) => ({ tenant, lanes: 6, slices: [20] }))],
  ] as const)("next to %s", async (_, noise) => {
    const alone = await simulate([]);
    const unpaced = await simulate(noise, { isPaced: false });
    const beside = await simulate(noise);
    expect(unpaced.p95Ms).toBeGreaterThan(alone.p95Ms * 2);
    expect(beside.p95Ms).toBeLessThanOrEqual(alone.p95Ms * 2);
    // The noisy tenants still get an eighth of what they get unpaced.
    for (const [tenant, count] of Object.entries(beside.requests))
      expect(count).toBeGreaterThan((unpaced.requests[tenant] ?? 0) / 8);
  });
});

test("a victim below its fair share is not slowed by twenty noisy tenants", async () => {
  const noise = Array.from({ length: 20 }, (_, index) => ({ tenant: `n${index}`, lanes: 6, slices: [5] }));
  const victim = { lanes: 1, restMs: 700 };
  const [alone, beside] = [await simulate([], victim), await simulate(noise, victim)];
  expect((await simulate(noise, { ...victim, isPaced: false })).p95Ms).toBeGreaterThan(alone.p95Ms * 2);
  expect(beside.p95Ms).toBeLessThanOrEqual(alone.p95Ms * 2);
});

test("a tenant that is alone is not paced", async () => {
  const noise = [{ tenant: "noisy", lanes: 6, slices: [20] }];
  const paced = await simulate(noise, { lanes: 0 });
  const unpaced = await simulate(noise, { isPaced: false, lanes: 0 });
  expect(paced.requests).toEqual(unpaced.requests);
});

describe("the beginning of work", () => {
  const shared = (): CostShare => {
    const share = new CostShare();
    share.charge("other", 10, START);
    return share;
  };

  test("waits for cost beyond the mean, and is not booked past the longest wait", () => {
    const share = shared();
    expect(share.book("a", START)).toBe(0);
    share.charge("a", 4000, START);
    const waitMs = share.book("a", START);
    expect(waitMs).toBeGreaterThan(LONGEST_PACE_MS);
    expect(share.book("a", START)).toBe(waitMs);
    share.charge("other", 1, START + waitMs);
    expect(share.book("a", START + waitMs)).toBeLessThanOrEqual(LONGEST_PACE_MS);
  });

  test("does not wait for a tenant that spent its burst and no more", () => {
    const share = shared();
    share.charge("a", 50, START);
    expect([share.book("a", START), share.findTurnWaitMs("b", START)]).toEqual([0, 0]);
    share.charge("b", 200, START);
    expect(share.findTurnWaitMs("b", START)).toBeGreaterThan(0);
  });

  test("does not wait for a tenant whose neighbours cost nothing for ten seconds", () => {
    const share = shared();
    share.charge("a", 5000, START);
    expect(share.findTurnWaitMs("a", START)).toBeGreaterThan(0);
    expect(share.findTurnWaitMs("a", START + 10_000)).toBe(0);
  });

  test("is booked at no more than its caller says, and what was booked and not spent is credit", () => {
    const share = shared();
    share.charge("a", 50, START);
    expect(share.book("a", START, 2)).toBe(0);
    const booked = share.book("a", START);
    expect(booked).toBeGreaterThan(0);
    share.charge("a", 2 + 25, START);
    expect(share.findTurnWaitMs("a", START)).toBe(share.book("a", START));
  });

  test("waits no longer than the window after a debt, even when the clock was set back", () => {
    const share = shared();
    share.charge("a", 60_000, START);
    expect(share.findTurnWaitMs("a", START)).toBeLessThanOrEqual(10_000);
    share.charge("other", 10, START - 50_000);
    expect(share.findTurnWaitMs("a", START - 50_000)).toBeLessThanOrEqual(10_000);
  });
});
