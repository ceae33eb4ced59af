import { describe, expect, test } from "vitest";
import {
  endOf,
  ITEM_LIFETIME_MS,
  judgeItem,
  MAX_FAILURES,
  MIN_FAILING_MS,
  shortHead,
} from "../../../../core/channels/inbox/queue.ts";
import type { InboxItem } from "../../../../core/channels/inbox/inbox.ts";

const ITEM: InboxItem = { id: "a", lane: "one", kind: "event", body: {}, receivedAt: 1 };

describe("an item", () => {
  test("is taken in its form", () => {
    expect(judgeItem(ITEM)).toEqual({ ok: true, value: ITEM });
  });

  test.each([
    ["id", { ...ITEM, id: "" }],
    ["lane", { ...ITEM, lane: "x".repeat(501) }],
    ["kind", { ...ITEM, kind: "" }],
    ["receivedAt", { ...ITEM, receivedAt: Number.NaN }],
  ])("is refused for its %s", (field, item) => {
    expect(judgeItem(item)).toMatchObject({ ok: false, error: { code: "invalid_input", field } });
  });

  test("is refused when its body is too large for a row", () => {
    const fits = { ...ITEM, body: { text: "x".repeat(500_000 - '{"text":""}'.length) } };
    expect(judgeItem(fits).ok).toBe(true);
    expect(judgeItem({ ...ITEM, body: { text: `${fits.body.text}x` } })).toMatchObject({
      error: { code: "too_large" },
    });
  });
});

describe("what becomes of an item", () => {
  const takenAt = 1_000_000;
  const later = { kind: "later", afterMs: 0, why: "away" } as const;

  test("backs off from one second to a minute", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 10_000].map((attempts) => {
      const end = endOf(later, { attempts, failures: 0, takenAt }, takenAt);
      return end.kind === "again" ? end.at - takenAt : null;
    });
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  test("follows the receiver's own word, and never beyond its lifetime", () => {
    const asked = { ...later, afterMs: 7_500 };
    expect(endOf(asked, { attempts: 3, failures: 0, takenAt }, takenAt)).toEqual({
      kind: "again",
      at: takenAt + 7_500,
      note: "away",
      failures: 0,
    });
    const last = takenAt + ITEM_LIFETIME_MS - 1;
    expect(endOf(asked, { attempts: 3, failures: 0, takenAt }, last)).toMatchObject({ kind: "again", at: last + 1 });
  });

  test("is dead after seven days, unless the last try worked it", () => {
    const late = takenAt + ITEM_LIFETIME_MS;
    expect(endOf(later, { attempts: 9, failures: 0, takenAt }, late)).toEqual({
      kind: "over",
      state: "dead",
      note: "away",
    });
    expect(endOf({ kind: "done", note: "made" }, { attempts: 9, failures: 0, takenAt }, late)).toMatchObject({
      state: "done",
    });
  });

  test("is dead after twenty tries that ended unexpectedly, and says so", () => {
    const [odd, at] = [{ ...later, isUnexpected: true }, takenAt + MIN_FAILING_MS];
    const end = endOf(odd, { attempts: 30, failures: MAX_FAILURES - 2, takenAt }, at);
    expect(end).toMatchObject({ kind: "again", failures: MAX_FAILURES - 1 });
    expect(endOf(odd, { attempts: 31, failures: MAX_FAILURES - 1, takenAt }, at)).toEqual({
      kind: "over",
      state: "dead",
      note: "It failed 20 times. away",
    });
  });

  test("outlasts what hangs or breaks for two hours, by whatever its tries end", () => {
    const hung = { ...later, isUnexpected: true };
    let [now, attempts, failures] = [takenAt, 0, 0];
    while (now - takenAt < 2 * 3_600_000) {
      attempts += 1;
      const end = endOf(hung, { attempts, failures, takenAt }, now);
      if (end.kind === "over") throw new Error(`it was given up after ${now - takenAt} ms`);
      [now, failures] = [end.at, end.failures];
    }
    expect(failures).toBeGreaterThan(MAX_FAILURES);
  });

  test("waits for what is away however often it was tried", () => {
    const end = endOf(later, { attempts: 5000, failures: MAX_FAILURES - 1, takenAt }, takenAt);
    expect(end).toMatchObject({ kind: "again", failures: MAX_FAILURES - 1 });
  });

  test("is shown by whole characters of who sent it and what it is about", () => {
    const long = `${"x".repeat(199)}😀😀`;
    expect(shortHead({ from: null, subject: long })).toEqual({ from: null, subject: `${"x".repeat(199)}\ufffd` });
  });

  test("is noted shortly", () => {
    const end = endOf({ kind: "refused", why: "x".repeat(5000) }, { attempts: 1, failures: 0, takenAt }, takenAt);
    expect(end).toEqual({ kind: "over", state: "refused", note: "x".repeat(1000) });
  });
});
