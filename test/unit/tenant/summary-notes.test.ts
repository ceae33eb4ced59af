/** Which tasks leave a summary: noted in the task's row, once. */
import { expect, test } from "vitest";
import { AdmissionController, type AdmissionStore, type TaskRow } from "../../../core/tenant/admission.ts";
import { NO_AMOUNT } from "../../../core/task/amounts.ts";
import { report } from "../../contracts/database/rows.ts";

const NOON = Date.UTC(2026, 10, 30, 12);

function makeController() {
  const rows = new Map<string, TaskRow>();
  const store: AdmissionStore = {
    task: (task) => rows.get(task) ?? null,
    holders: () => [],
    save: (row) => void rows.set(row.task, row),
    remove: (task) => void rows.delete(task),
    hasLimits: () => false,
    figures: () => ({ limit: null, spent: { day: NO_AMOUNT, month: NO_AMOUNT, total: NO_AMOUNT } }),
  };
  return { rows, controller: new AdmissionController(store) };
}

test("a completed task leaves one, however often it reports", () => {
  const { rows, controller } = makeController();
  controller.report(report({ task: "a", version: 1, status: "completed" }), NOON);
  expect(rows.get("a")?.summary).toBe("due");
  rows.set("a", { ...(rows.get("a") as TaskRow), summary: "stored" });
  for (const version of [1, 2]) controller.report(report({ task: "a", version, status: "completed" }), NOON);
  expect(rows.get("a")?.summary).toBe("stored");
});

test("a subtask, a hidden task and one that failed leave none", () => {
  const { rows, controller } = makeController();
  const ended = report({ task: "a", version: 1, status: "completed" });
  controller.report({ ...ended, hidden: true }, NOON);
  controller.report({ ...ended, task: "b", view: { ...ended.view, parent_id: "a" } }, NOON);
  controller.report(report({ task: "c", version: 1, status: "failed" }), NOON);
  for (const task of ["a", "b", "c"]) expect(rows.get(task)?.summary).toBeNull();
});
