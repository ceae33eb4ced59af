import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ACCESS_MS, AccessCache } from "../../../core/tenant/access-cache.ts";
import { countRequest, RATE_WINDOW_MS, type RateWindow } from "../../../core/tenant/rate-limit.ts";
import { ReadAllowances } from "../../../core/tenant/read-allowance.ts";
import type { Admission, KeyRecord, SessionFacts } from "../../../core/tenant/rpc.ts";

const START = 1_800_000_000_000;
const RATE = { limit: 6000, remaining: 5999, resetSeconds: 60 };

const keyOf = (id: string, more: Partial<KeyRecord> = {}): KeyRecord => ({
  id,
  tenant: "ten_a",
  name: id,
  scopes: ["tasks:read"],
  expiresAt: null,
  ...more,
});

function admit(key: KeyRecord, readAllowance = 60, session: SessionFacts | null = null) {
  return { key, session, rate: RATE, readAllowance } satisfies Partial<Admission>;
}

/** A cache that has admitted `key` under the name `a`, asked at START. */
function cacheWith(key: KeyRecord, readAllowance?: number, session?: SessionFacts): AccessCache {
  const cache = new AccessCache(() => "isolate");
  cache.storeAdmission(cache.begin(key.tenant, "a", START), admit(key, readAllowance, session), START);
  return cache;
}

describe("a cached caller", () => {
  test("reads for three seconds from the moment before the object was asked", () => {
    const cache = new AccessCache(() => "isolate");
    const question = cache.begin("ten_a", "a", START);
    cache.storeAdmission(question, admit(keyOf("key_a")), START + 2000);
    expect(cache.takeRead("a", START + ACCESS_MS - 1)?.key.id).toBe("key_a");
    expect(cache.takeRead("a", START + ACCESS_MS)).toBeNull();
    expect(ACCESS_MS).toBeLessThan(5000);
  });

  test("is not stored when the object answered late", () => {
    const cache = new AccessCache(() => "isolate");
    cache.storeAdmission(cache.begin("ten_a", "a", START), admit(keyOf("key_a")), START + ACCESS_MS);
    expect(cache.size).toBe(0);
  });

  test("ends with its key's time, with its session's, and when the clock is set back", () => {
    expect(cacheWith(keyOf("key_a", { expiresAt: START + 10 })).find("a", START + 10)).toBeNull();
    const session = { id: "ses", hash: "h", tenantName: "Acme", expiresAt: START + 10 };
    const cache = cacheWith(keyOf("key_a"), 60, session);
    expect(cache.find("a", START + 9)?.session).toEqual(session);
    expect(cache.find("a", START + 10)).toBeNull();
    expect(cache.find("a", START - 1)).toBeNull();
  });

  test("is forgotten when its tenant is, also by an admission that was on its way", () => {
    const cache = cacheWith(keyOf("key_a"));
    cache.storeAdmission(cache.begin("ten_b", "b", START), admit(keyOf("key_b", { tenant: "ten_b" })), START);
    const question = cache.begin("ten_a", "a", START);
    const other = cache.begin("ten_b", "c", START);
    cache.forgetTenant("ten_a");
    cache.storeAdmission(question, admit(keyOf("key_a")), START);
    cache.storeAdmission(other, admit(keyOf("key_c", { tenant: "ten_b" })), START);
    expect([cache.find("a", START), cache.find("b", START)?.key.id]).toEqual([null, "key_b"]);
    expect(cache.find("c", START)?.key.id).toBe("key_c");
  });

  test("is forgotten when the object admits it no more", () => {
    const cache = cacheWith(keyOf("key_a"));
    cache.endWithout(cache.begin("ten_a", "a", START));
    expect(cache.find("a", START)).toBeNull();
  });
});

test("unknown keys take no memory, and known ones at most 2,000 entries for a minute", () => {
  const cache = new AccessCache(() => "isolate");
  for (let index = 0; index < 5000; index += 1) cache.endWithout(cache.begin("ten_a", `bad ${index}`, START));
  expect(cache.size).toBe(0);
  for (let index = 0; index < 5000; index += 1)
    cache.storeAdmission(cache.begin("ten_a", `${index}`, START), admit(keyOf(`key_${index}`)), START);
  expect(cache.size).toBe(2000);
  const later = START + RATE_WINDOW_MS;
  cache.storeAdmission(cache.begin("ten_a", "last", later), admit(keyOf("key_last")), later);
  expect(cache.size).toBe(1);
});

test("calls that never end, because their requests were cancelled, are dropped after three seconds", () => {
  const cache = new AccessCache(() => "isolate");
  for (let index = 0; index < 1000; index += 1) cache.begin("ten_a", `${index}`, START);
  expect(cache.size).toBe(1000);
  cache.begin("ten_a", "last", START + ACCESS_MS);
  expect(cache.size).toBe(1);
});

describe("the reads of a key", () => {
  test("count down its rate, and are reported once, by its key or by a session", () => {
    const key = keyOf("key_a");
    const cache = cacheWith(key, 3);
    const remaining = () => cache.takeRead("a", START + 1500)?.rate;
    expect(remaining()).toEqual({ limit: 6000, remaining: 5998, resetSeconds: 59 });
    expect(remaining()?.remaining).toBe(5997);
    const session = { id: "ses", hash: "h", tenantName: "Acme", expiresAt: START + 99_999 };
    cache.storeAdmission(cache.begin("ten_a", "s", START), admit(key, 3, session), START);
    expect(cache.takeRead("s", START)?.rate.remaining).toBe(5996);
    expect(cache.takeRead("a", START)).toBeNull();
    expect(cache.begin("ten_a", "a", START).reads).toEqual({ isolate: "isolate", served: 3 });
    expect(cache.begin("ten_a", "a", START).reads.served).toBe(0);
  });

  test("need the object while a call is on its way, and without an allowance", () => {
    const cache = cacheWith(keyOf("key_a"), 3);
    cache.begin("ten_a", "a", START);
    expect(cache.takeRead("a", START)).toBeNull();
    expect(cacheWith(keyOf("key_a"), 0).takeRead("a", START)).toBeNull();
  });
});

describe("the allowance of an isolate", () => {
  test("is a hundredth of the limit, a tenth for all together, and none for a small limit", () => {
    const allowances = new ReadAllowances();
    const granted = Array.from({ length: 12 }, (_, index) => allowances.grant(`i${index}`, 6000, START));
    expect(granted).toEqual([...Array<number>(10).fill(60), 0, 0]);
    expect(allowances.grant("i0", 6000, START)).toBe(60);
    expect(allowances.grant("late", 6000, START + RATE_WINDOW_MS)).toBe(60);
    expect(new ReadAllowances().grant("i", 99, START)).toBe(0);
  });

  test("lets a minute pass the limit, and at most a tenth more, for any number of isolates", () => {
    const step = fc.record({ isolate: fc.integer({ min: 0, max: 29 }), waitMs: fc.integer({ min: 0, max: 30 }) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 500, maxLength: 1500 }), (steps) => {
        const LIMIT = 200;
        const caches = Array.from({ length: 30 }, (_, index) => new AccessCache(() => `i${index}`));
        const allowances = new ReadAllowances();
        let passed = 0;
        let window: RateWindow | null = null;
        let now = START;
        for (const { isolate, waitMs } of steps) {
          now += waitMs;
          const cache = caches[isolate] as AccessCache;
          if (cache.takeRead("a", now) !== null) {
            passed += 1;
            continue;
          }
          const question = cache.begin("ten_a", "a", now);
          const counted = countRequest(window, LIMIT, now, question.reads.served);
          window = counted.window;
          const isAllowed = counted.retryAfterMs === null;
          const readAllowance = isAllowed ? allowances.grant(question.reads.isolate, LIMIT, now) : 0;
          const admission = { key: keyOf("key_a"), session: null, rate: counted.rate, readAllowance };
          if (isAllowed) {
            cache.storeAdmission(question, admission, now);
            passed += 1;
          } else cache.endWithout(question);
        }
        // All of it is within one minute.
        expect(now - START).toBeLessThan(RATE_WINDOW_MS);
        expect(passed).toBeGreaterThanOrEqual(LIMIT);
        expect(passed).toBeLessThanOrEqual(LIMIT * 1.1);
      }),
      { numRuns: 60 },
    );
  });
});
