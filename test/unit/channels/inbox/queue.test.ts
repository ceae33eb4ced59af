import { describe, expect, test } from "vitest";
import {
  decideNextStep,
  ITEM_LIFETIME_MS,
  validateItem,
  MAX_FAILURES,
  MIN_FAILING_MS,
  truncateHead,
} from "../../../../core/channels/inbox/queue.ts";
import type { InboxItem } from "../../../../core/channels/inbox/inbox.ts";

const ITEM: InboxItem = { id: "a", lane: "one", kind: "event", body: {}, receivedAt: 1 };

describe("an item", () => {
  test("is accepted in its form", () => {
    expect(validateItem(ITEM)).toEqual({ ok: true, value: ITEM });
  });

  test.each([
    ["id", { ...ITEM, id: "" }],
    ["lane", { ...ITEM, lane: "x".repeat(501) }],
    ["kind", { ...ITEM, kind: "" }],
    ["receivedAt", { ...ITEM, receivedAt: Number.NaN }],
  ])("is refused for its %s", (field, item) => {
    expect(validateItem(item)).toMatchObject({ ok: false, error: { code: "invalid_input", field } });
  });

  test("is rejected when its body is too large for a row", () => {
    const fits = { ...ITEM, body: { text: "x".repeat(500_000 - '{"text":""}'.length) } };
    expect(validateItem(fits).ok).toBe(true);
    expect(validateItem({ ...ITEM, body: { text: `${fits.body.text}x` } })).toMatchObject({
      error: { code: "too_large" },
    });
  });
});

describe("the step after an attempt", () => {
  const takenAt = 1_000_000;
  const later = { kind: "later", afterMs: 0, why: "away" } as const;

  test("backs off from one second to a minute", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 10_000].map((attempts) => {
      const end = decideNextStep(later, { attempts, failures: 0, takenAt }, takenAt);
      return end.kind === "retry" ? end.at - takenAt : null;
    });
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  test("follows the receiver's delay, but never beyond the item's lifetime", () => {
    const retry = { ...later, afterMs: 7_500 };
    expect(decideNextStep(retry, { attempts: 3, failures: 0, takenAt }, takenAt)).toEqual({
      kind: "retry",
      at: takenAt + 7_500,
      note: "away",
      failures: 0,
    });
    const last = takenAt + ITEM_LIFETIME_MS - 1;
    expect(decideNextStep(retry, { attempts: 3, failures: 0, takenAt }, last)).toMatchObject({
      kind: "retry",
      at: last + 1,
    });
  });

  test("is dead after seven days, unless the last attempt succeeded", () => {
    const late = takenAt + ITEM_LIFETIME_MS;
    expect(decideNextStep(later, { attempts: 9, failures: 0, takenAt }, late)).toEqual({
      kind: "ended",
      state: "dead",
      note: "away",
    });
    expect(decideNextStep({ kind: "done", note: "made" }, { attempts: 9, failures: 0, takenAt }, late)).toMatchObject({
      state: "done",
    });
  });

  test("is dead after twenty unexpected failures, and says so", () => {
    const [odd, at] = [{ ...later, isUnexpected: true }, takenAt + MIN_FAILING_MS];
    const end = decideNextStep(odd, { attempts: 30, failures: MAX_FAILURES - 2, takenAt }, at);
    expect(end).toMatchObject({ kind: "retry", failures: MAX_FAILURES - 1 });
    expect(decideNextStep(odd, { attempts: 31, failures: MAX_FAILURES - 1, takenAt }, at)).toEqual({
      kind: "ended",
      state: "dead",
      note: "It failed 20 times. away",
    });
  });

  test("survives any failures for two hours", () => {
    const hung = { ...later, isUnexpected: true };
    let [now, attempts, failures] = [takenAt, 0, 0];
    while (now - takenAt < 2 * 3_600_000) {
      attempts += 1;
      const end = decideNextStep(hung, { attempts, failures, takenAt }, now);
      if (end.kind === "ended") throw new Error(`it was given up after ${now - takenAt} ms`);
      [now, failures] = [end.at, end.failures];
    }
    expect(failures).toBeGreaterThan(MAX_FAILURES);
  });

  test("waits out an outage however many attempts it takes", () => {
    const end = decideNextStep(later, { attempts: 5000, failures: MAX_FAILURES - 1, takenAt }, takenAt);
    expect(end).toMatchObject({ kind: "retry", failures: MAX_FAILURES - 1 });
  });

  test("shows sender and subject without half characters", () => {
    const long = `${"x".repeat(199)}😀😀`;
    expect(truncateHead({ from: null, subject: long })).toEqual({ from: null, subject: `${"x".repeat(199)}\ufffd` });
  });

  test("truncates the note", () => {
    const end = decideNextStep(
      { kind: "refused", why: "x".repeat(5000) },
      { attempts: 1, failures: 0, takenAt },
      takenAt,
    );
    expect(end).toEqual({ kind: "ended", state: "refused", note: "x".repeat(1000) });
  });
});
