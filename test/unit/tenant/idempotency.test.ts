import { describe, expect, test } from "vitest";
import {
  computeFingerprint,
  getExpiresAt,
  isIdempotencyKey,
  shouldStoreReply,
  judgeRepeat,
  REPLY_LIFETIME_MS,
  TRY_STALE_MS,
  type IdempotencyRow,
} from "../../../core/tenant/idempotency.ts";

const NOW = 1_800_000_000_000;
const claim = { fingerprint: "f", incarnation: "here", newSeed: "new" };
const running: IdempotencyRow = {
  fingerprint: "f",
  seed: "old",
  startedAt: NOW - 10_000,
  runner: "here",
  tryAt: NOW - 10_000,
  doneAt: null,
};

describe("a repeated request", () => {
  test("begins with a seed of its own when nothing is stored", () => {
    expect(judgeRepeat(null, claim, NOW)).toEqual({
      kind: "begin",
      row: { fingerprint: "f", seed: "new", startedAt: NOW, runner: "here", tryAt: NOW, doneAt: null },
    });
  });

  test("waits while the first one runs", () => {
    expect(judgeRepeat(running, claim, NOW)).toEqual({ kind: "wait" });
  });

  test.each([
    ["another body came first and still runs", running],
    ["another body came first and is done", { ...running, doneAt: NOW - 1 }],
    ["another body came first and was cut off", { ...running, runner: null }],
  ])("is refused when %s", (_, stored) => {
    expect(judgeRepeat(stored, { ...claim, fingerprint: "other" }, NOW)).toEqual({ kind: "mismatch" });
  });

  test("gets the stored reply for a day, and runs again after it", () => {
    const done = { ...running, doneAt: NOW };
    expect(judgeRepeat(done, claim, NOW + REPLY_LIFETIME_MS - 1)).toEqual({ kind: "replay" });
    expect(judgeRepeat(done, claim, NOW + REPLY_LIFETIME_MS)).toMatchObject({ kind: "begin", row: { seed: "new" } });
    expect(getExpiresAt(done)).toBe(NOW + REPLY_LIFETIME_MS);
  });

  test.each([
    ["ended without a reply to keep", { ...running, runner: null }],
    ["was let in by an instance that is gone", { ...running, runner: "an earlier instance" }],
    ["has not ended for too long", { ...running, tryAt: NOW - TRY_STALE_MS }],
  ])("takes over, with the first one's seed and moment, from a try that %s", (_, stored) => {
    expect(judgeRepeat(stored, claim, NOW)).toEqual({
      kind: "begin",
      row: { ...running, runner: "here", tryAt: NOW, seed: "old", startedAt: NOW - 10_000 },
    });
  });

  test("keeps what the caller has to live with, and not what another try may turn out better", () => {
    expect([200, 201, 404, 409, 422].filter((status) => !shouldStoreReply(status))).toEqual([]);
    expect([401, 403, 429, 500, 503].filter(shouldStoreReply)).toEqual([]);
  });
});

describe("an Idempotency-Key", () => {
  test.each(["a", "0f8d-…".slice(0, 4), " ~", "x".repeat(256)])("may be %j", (key) => {
    expect(isIdempotencyKey(key)).toBe(true);
  });

  test.each(["", "x".repeat(257), "ключ", "tab\t", "line\n", "\u0000", "é"])("may not be %j", (key) => {
    expect(isIdempotencyKey(key)).toBe(false);
  });
});

describe("a fingerprint", () => {
  const request = { method: "POST", path: "/v1/tasks", query: "?wait=1", body: new TextEncoder().encode('{"a":1}') };

  test("is the same for the same request", async () => {
    expect(await computeFingerprint(request)).toBe(
      await computeFingerprint({ ...request, body: request.body.slice() }),
    );
    expect(await computeFingerprint(request)).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    ["method", { method: "PUT" }],
    ["path", { path: "/v1/keys" }],
    ["query", { query: "" }],
    ["body", { body: new TextEncoder().encode('{"a": 1}') }],
    ["absence of a body", { body: null }],
  ])("changes with the %s", async (_, change) => {
    expect(await computeFingerprint({ ...request, ...change })).not.toBe(await computeFingerprint(request));
  });
});
