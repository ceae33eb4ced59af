/** What is reported in place of an object that holds nothing. */
import { expect, it } from "vitest";
import { createLostReport, STATE_LOST } from "../../../core/task/lost.ts";
import { report } from "../../contracts/database/rows.ts";

const NOW = Date.UTC(2026, 0, 2);

it("a task that had not ended has failed, and has no open questions", () => {
  const lost = createLostReport(report({ version: 7, status: "waiting_input", wakeAt: 5 }), NOW);
  expect(lost).toMatchObject({ version: 8, wakeAt: NOW + 24 * 3_600_000 });
  expect(lost.view).toMatchObject({
    status: "failed",
    error: { message: STATE_LOST },
    pending: [],
    reason: "internal",
  });
  expect(lost.view.ended_at).toBe("2026-01-02T00:00:00.000Z");
  expect(createLostReport(lost, NOW + 1).view).toEqual(lost.view);
});

it("an ended task retains its outcome", () => {
  const before = report({ status: "cancelled" });
  expect(createLostReport(before, NOW).view).toEqual(before.view);
});
