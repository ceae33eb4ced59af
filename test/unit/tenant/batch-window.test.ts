/** When what tasks leave behind is sent to Postgres. */
import { describe, expect, test } from "vitest";
import { BATCH_DELAY_MS, BatchWindow, getRowDelayMs } from "../../../core/tenant/index-outbox.ts";

const NOW = Date.UTC(2026, 10, 27, 12);

describe("a batch", () => {
  test("leaves two seconds after its first item, however many come later", () => {
    const window = new BatchWindow();
    expect(window.dueAt).toBeNull();
    for (const later of [0, 500, 1900]) window.add(NOW + later, BATCH_DELAY_MS);
    expect(window.dueAt).toBe(NOW + 2000);
  });

  test("leaves at once when it has 50 items, and the next one waits again", () => {
    const window = new BatchWindow();
    for (let item = 1; item < 50; item += 1) window.add(NOW, BATCH_DELAY_MS);
    expect(window.dueAt).toBe(NOW + 2000);
    window.add(NOW + 10, BATCH_DELAY_MS);
    expect(window.dueAt).toBe(NOW + 10);
    window.clear();
    expect(window.dueAt).toBeNull();
    window.add(NOW + 20, BATCH_DELAY_MS);
    expect(window.dueAt).toBe(NOW + 2020);
  });

  test("leaves earlier for an item that may wait less", () => {
    const window = new BatchWindow();
    window.add(NOW, getRowDelayMs("running"));
    expect(window.dueAt).toBe(NOW + 10_000);
    window.add(NOW + 1000, getRowDelayMs("waiting_input"));
    expect(window.dueAt).toBe(NOW + 3000);
  });
});

test.each(["waiting_input", "sleeping", "completed", "failed", "cancelled"] as const)(
  "the row of a task that is %s waits two seconds at most",
  (status) => {
    expect(getRowDelayMs(status)).toBe(BATCH_DELAY_MS);
  },
);
