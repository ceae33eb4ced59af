import { expect, test } from "vitest";
import {
  CallBudget,
  MAX_BEGIN_DEPTH,
  MAX_CALL_DEPTH,
  MAX_NESTED_RUN_CALLS,
  MAX_RUN_CALLS,
  REQUEST_DEPTH,
} from "../../../core/base/call-budget.ts";
import { MAX_DEPTH } from "../../../core/task/subtasks.ts";

test("a run has room for sixteen calls, and counts those that it makes beyond them", () => {
  const calls = new CallBudget();
  expect([calls.getRoom(), calls.hasRoom(MAX_RUN_CALLS), calls.hasRoom(MAX_RUN_CALLS + 1)]).toEqual([16, true, false]);
  calls.count(15);
  expect([calls.getRoom(), calls.hasRoom(), calls.hasRoom(2)]).toEqual([1, true, false]);
  calls.count(3);
  expect([calls.getRoom(), calls.hasRoom()]).toEqual([0, false]);
});

/** A run begins in an alarm or in a call that is nested four times at most, so what is nested below each alarm is fixed. */
test("the longest chain of calls that an alarm or a request begins is within the limit", () => {
  const tasksAboveTheDeepest = MAX_DEPTH;
  // An inbox calls the runner, which answers a hidden call of the deepest task; each task reports to the one above, the root to the tenant.
  const inboxToTenant = 1 + 1 + 1 + tasksAboveTheDeepest + 1;
  // A task calls its runner, which writes a file: the sandbox asks the tenant for the bytes.
  const taskToTenant = 1 + 1 + 1;
  // The deepest task in which a call begins a run: its own calls, or its report through the tasks above.
  const nestedRun = MAX_BEGIN_DEPTH + Math.max(taskToTenant, tasksAboveTheDeepest + 1);
  expect(Math.max(inboxToTenant, taskToTenant, nestedRun)).toBeLessThanOrEqual(MAX_CALL_DEPTH);
  // A task that a request made may run its subtasks, and hear of their end, in the same chain.
  expect(REQUEST_DEPTH + 2).toBeLessThanOrEqual(MAX_BEGIN_DEPTH);
});

test("a run in another object's run has room for one phase", () => {
  // The permit first, then a phase with its reports to the parent and the tenant.
  const calls = new CallBudget(MAX_NESTED_RUN_CALLS);
  calls.count();
  expect([calls.hasRoom(3), calls.hasRoom(4)]).toEqual([true, false]);
});
