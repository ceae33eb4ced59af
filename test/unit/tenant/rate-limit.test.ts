import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countRequest, RATE_WINDOW_MS, toRateHeaders, type RateWindow } from "../../../core/tenant/rate-limit.ts";

const START = 1_800_000_000_000;

/** Sends requests at these moments and says which came in. */
function send(moments: readonly number[], limit: number): { allowed: number[]; last: ReturnType<typeof countRequest> } {
  let window: RateWindow | null = null;
  const allowed: number[] = [];
  let last = countRequest(null, limit, 0);
  for (const at of moments) {
    last = countRequest(window, limit, at);
    window = last.window;
    if (last.retryAfterMs === null) allowed.push(at);
  }
  return { allowed, last };
}

describe("the request limit", () => {
  test("lets exactly the limit in during a first minute and refuses the next one", () => {
    const moments = Array.from({ length: 6001 }, (_, index) => START + index * 9);
    const { allowed, last } = send(moments, 6000);
    expect(allowed).toHaveLength(6000);
    expect(last.rate).toEqual({ limit: 6000, remaining: 0, resetSeconds: 6 });
    expect(last.retryAfterMs).toBeGreaterThan(0);
  });

  test("counts down what remains", () => {
    const first = countRequest(null, 3, START);
    const second = countRequest(first.window, 3, START + 1000);
    expect([first.rate.remaining, second.rate.remaining]).toEqual([2, 1]);
    expect(second.rate.resetSeconds).toBe(59);
  });

  test("forgets what is two minutes old", () => {
    const full = send(Array(10).fill(START), 10).last.window;
    expect(countRequest(full, 10, START + 2 * RATE_WINDOW_MS).rate.remaining).toBe(9);
  });

  test("does not let a burst at the end of a window and one at the start of the next add up to twice the limit", () => {
    const late = Array.from({ length: 100 }, () => START + RATE_WINDOW_MS - 1);
    const early = Array.from({ length: 100 }, () => START + RATE_WINDOW_MS + 1);
    expect(send([START, ...late, ...early], 100).allowed.length).toBeLessThanOrEqual(101);
  });

  test("lets a request in after the time that a refusal named, and not before half of it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 150_000 }), { minLength: 1, maxLength: 200 }),
        (limit, offsets) => {
          let window: RateWindow | null = null;
          for (const offset of offsets.toSorted((a, b) => a - b)) {
            const at = START + offset;
            const decision = countRequest(window, limit, at);
            window = decision.window;
            if (decision.retryAfterMs === null) continue;
            expect(countRequest(window, limit, at + decision.retryAfterMs + 1).retryAfterMs).toBeNull();
            expect(countRequest(window, limit, at + decision.retryAfterMs / 2).retryAfterMs).not.toBeNull();
          }
        },
      ),
    );
  });

  test("never lets more than the limit in within one window, however the requests come", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.integer({ min: 0, max: 200_000 }), { maxLength: 300 }),
        (limit, offsets) => {
          const { allowed } = send(
            offsets.toSorted((a, b) => a - b),
            limit,
          );
          const first = allowed[0] ?? 0;
          for (let from = first; from <= 200_000; from += RATE_WINDOW_MS) {
            expect(allowed.filter((at) => at >= from && at < from + RATE_WINDOW_MS).length).toBeLessThanOrEqual(limit);
          }
        },
      ),
    );
  });

  test("names the policy and what is left of it in the two header fields", () => {
    expect(toRateHeaders({ limit: 6000, remaining: 12, resetSeconds: 34 })).toEqual([
      ["RateLimit-Policy", '"default";q=6000;w=60'],
      ["RateLimit", '"default";r=12;t=34'],
    ]);
  });
});
