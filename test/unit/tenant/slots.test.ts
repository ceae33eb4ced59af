/** Slots are for work under way, not for tasks that wait for their models. */
import { describe, expect, test } from "vitest";
import { LONGEST_PERMIT_MS, type SlotLimits, Slots } from "../../../core/tenant/slots.ts";

const NOW = 1_800_000_000_000;

const limitsOf = (share: number, waiting: readonly string[] = [], held = 100): SlotLimits => ({
  share,
  held,
  isWaiting: (task) => waiting.includes(task),
});

/** Two tasks of one key that hold the two slots. */
function makeFull(): Slots {
  const slots = new Slots([]);
  for (const task of ["a", "b"]) expect(slots.request(task, "key", limitsOf(2), NOW)).toBe(true);
  expect(slots.request("c", "key", limitsOf(2), NOW)).toBe(false);
  return slots;
}

describe("a task that waits for its model", () => {
  test("leaves its place to the next in the queue, which is called", () => {
    const slots = makeFull();
    expect(slots.takeTasksToCall(limitsOf(2), NOW)).toEqual([]);
    expect(slots.takeTasksToCall(limitsOf(2, ["a"]), NOW)).toEqual(["c"]);
    expect(slots.request("c", "key", limitsOf(2, ["a"]), NOW)).toBe(true);
    expect(slots.request("d", "key", limitsOf(2, ["a"]), NOW)).toBe(false);
  });

  test("waits for a place when it returns to work, behind those that work", () => {
    const slots = makeFull();
    slots.request("c", "key", limitsOf(2, ["a"]), NOW);
    expect(slots.request("a", "key", limitsOf(2), NOW)).toBe(false);
    slots.dequeue("b");
    expect(slots.takeTasksToCall(limitsOf(2), NOW)).toEqual(["a"]);
  });

  test("works again from its request on, also if its earlier call still waits", () => {
    const slots = makeFull();
    expect(slots.request("a", "key", limitsOf(2, ["a"]), NOW)).toBe(true);
    expect(slots.countUnderWay(limitsOf(2), NOW)).toBe(2);
  });

  test("has memory, so all that hold a slot have a limit of their own", () => {
    const slots = makeFull();
    const waiting = ["a", "b", "c", "d"];
    expect(slots.request("c", "key", limitsOf(2, waiting, 3), NOW)).toBe(true);
    expect(slots.request("d", "key", limitsOf(2, waiting, 3), NOW)).toBe(false);
  });
});

test("a task whose permit has expired is in a long call and leaves its place too", () => {
  const slots = makeFull();
  expect(slots.takeTasksToCall(limitsOf(2), NOW + LONGEST_PERMIT_MS - 1)).toEqual([]);
  expect(slots.takeTasksToCall(limitsOf(2), NOW + LONGEST_PERMIT_MS)).toEqual(["c"]);
});

test("after a start every holder works until its permit would have expired", () => {
  const slots = new Slots(["a", "b"].map((task) => ({ task, key: "key" })));
  expect(slots.request("c", "key", limitsOf(2), NOW)).toBe(false);
  expect(slots.takeTasksToCall(limitsOf(2), NOW + LONGEST_PERMIT_MS)).toEqual(["c"]);
});

test("a task whose permit has expired takes no place back that is reserved for another", () => {
  const slots = new Slots([]);
  expect(slots.request("a", "key", limitsOf(1), NOW)).toBe(true);
  expect(slots.request("b", "key", limitsOf(1), NOW)).toBe(false);
  expect(slots.takeTasksToCall(limitsOf(1), NOW + LONGEST_PERMIT_MS)).toEqual(["b"]);
  expect(slots.request("a", "key", limitsOf(1), NOW + LONGEST_PERMIT_MS)).toBe(false);
  expect(slots.request("b", "key", limitsOf(1), NOW + LONGEST_PERMIT_MS)).toBe(true);
});

describe("a slot that is reserved for a task with a short permit", () => {
  test("is given while an eighth of the slots stays free and nobody waits", () => {
    const slots = new Slots([]);
    const given = Array.from({ length: 9 }, () => slots.reserve("key", 1, limitsOf(8), NOW));
    expect(given).toEqual([...Array.from({ length: 7 }, () => true), false, false]);
    expect(slots.reserve("key", 8, limitsOf(8), NOW + 2000)).toBe(false);
    expect(slots.reserve("key", 7, limitsOf(8), NOW + 2000)).toBe(true);
    const full = makeFull();
    expect(full.reserve("key", 1, limitsOf(2), NOW)).toBe(false);
  });

  test("counts as taken until its task reports or two seconds have passed", () => {
    const slots = new Slots([]);
    expect(slots.reserve("key", 2, limitsOf(3), NOW)).toBe(true);
    expect(slots.request("a", "key", limitsOf(3), NOW)).toBe(true);
    expect(slots.request("b", "key", limitsOf(3), NOW)).toBe(false);
    expect(slots.releaseReserved("key")).toBe(true);
    expect(slots.takeTasksToCall(limitsOf(3), NOW)).toEqual(["b"]);
    expect(slots.request("c", "key", limitsOf(3), NOW)).toBe(false);
    expect(slots.takeTasksToCall(limitsOf(3), NOW + 1999)).toEqual([]);
    expect(slots.takeTasksToCall(limitsOf(3), NOW + 2000)).toContain("c");
  });

  test("becomes the slot of a task of its key, and of no other", () => {
    const slots = new Slots([]);
    slots.reserve("key", 1, limitsOf(8), NOW);
    expect(slots.takeReserved("x", "other", NOW)).toBe(false);
    expect(slots.takeReserved("a", "key", NOW)).toBe(true);
    expect(slots.heldCount).toBe(1);
    expect(slots.takeReserved("b", "key", NOW)).toBe(false);
  });
});
