import { expect, test } from "vitest";
import { CallBudget, MAX_CALL_DEPTH, MAX_RUN_CALLS } from "../../../core/base/call-budget.ts";
import { MAX_DEPTH } from "../../../core/task/subtasks.ts";

test("a run has room for sixteen calls, and counts those that it makes beyond them", () => {
  const calls = new CallBudget();
  expect([calls.getRoom(), calls.hasRoom(MAX_RUN_CALLS), calls.hasRoom(MAX_RUN_CALLS + 1)]).toEqual([16, true, false]);
  calls.count(15);
  expect([calls.getRoom(), calls.hasRoom(), calls.hasRoom(2)]).toEqual([1, true, false]);
  calls.count(3);
  expect([calls.getRoom(), calls.hasRoom()]).toEqual([0, false]);
});

/** Outboxes, inboxes, notices and tasks begin their work in an alarm, so what is nested below each alarm is fixed. */
test("the longest chain of calls that an alarm begins is within the limit", () => {
  const tasksAboveTheDeepest = MAX_DEPTH;
  // An inbox calls the runner, which answers a hidden call of the deepest task; each task reports to the one above, the root to the tenant.
  const inboxToTenant = 1 + 1 + 1 + tasksAboveTheDeepest + 1;
  // A task calls its runner, which writes a file: the sandbox asks the tenant for the bytes.
  const taskToTenant = 1 + 1 + 1;
  expect(Math.max(inboxToTenant, taskToTenant)).toBeLessThanOrEqual(MAX_CALL_DEPTH);
});
