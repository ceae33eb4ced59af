import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  deriveCallId,
  deriveWaitId,
  ID_PREFIXES,
  type IdKind,
  isId,
  makeId,
  findTaskOfCall,
  findTaskOfWait,
} from "../../../core/base/ids.ts";

const kinds = Object.keys(ID_PREFIXES) as IdKind[];
const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
const moment = fc.integer({ min: 0, max: 2 ** 48 - 1 });

describe("an id", () => {
  test.each(kinds)("of kind %s is recognised as that kind and no other", (kind) => {
    const id = makeId(kind, 1_800_000_000_000, new Uint8Array(10).fill(200));
    expect(kinds.filter((other) => isId(other, id))).toEqual([kind]);
  });

  test("is the same for the same moment and bytes", () => {
    fc.assert(
      fc.property(moment, bytes, (at, random) => {
        expect(makeId("task", at, random)).toBe(makeId("task", at, random.slice()));
      }),
    );
  });

  test("differs when a byte differs", () => {
    fc.assert(
      fc.property(moment, bytes, fc.integer({ min: 0, max: 9 }), (at, random, index) => {
        const other = random.with(index, ((random[index] ?? 0) + 1) % 256);
        expect(makeId("task", at, random)).not.toBe(makeId("task", at, other));
      }),
    );
  });

  test("sorts by creation time", () => {
    fc.assert(
      fc.property(moment, moment, bytes, bytes, (a, b, left, right) => {
        fc.pre(a < b);
        expect(makeId("key", a, left) < makeId("key", b, right)).toBe(true);
      }),
    );
  });

  test("wants ten random bytes", () => {
    expect(() => makeId("task", 0, new Uint8Array(9))).toThrow(RangeError);
  });

  test.each([
    "",
    "task_",
    "task_short",
    `task_${"i".repeat(26)}`,
    `task_${"0".repeat(27)}`,
    `task_${"0".repeat(25)}\u0000`,
  ])("is not %j", (text) => {
    expect(isId("task", text)).toBe(false);
  });

  test("of a call and of what a call opened follow from the task", () => {
    const call = deriveCallId("task_abc", 3, 0);
    expect(call).toBe("call_abc_3_0");
    expect(deriveWaitId("question", call)).toBe("qst_abc_3_0");
    expect(deriveWaitId("approval", call)).toBe("apr_abc_3_0");
  });

  test("of a call, a question or an approval contains its task", () => {
    fc.assert(
      fc.property(moment, bytes, fc.nat(999_999), fc.nat(999_999), (at, random, step, index) => {
        const task = makeId("task", at, random);
        const call = deriveCallId(task, step, index);
        expect(findTaskOfCall(call)).toBe(task);
        expect(findTaskOfWait(deriveWaitId("question", call))).toBe(task);
        expect(findTaskOfWait(deriveWaitId("approval", call))).toBe(task);
        expect(findTaskOfWait(call)).toBeNull();
        expect(findTaskOfCall(deriveWaitId("approval", call))).toBeNull();
      }),
    );
  });

  test.each([
    "",
    "x",
    "abc_1_0",
    "0".repeat(26),
    `${"0".repeat(26)}_1_`,
    `${"i".repeat(26)}_1_0`,
    `${"0".repeat(26)}_01_0`,
  ])("of no task is in %j", (text) => {
    expect(findTaskOfWait(`qst_${text}`)).toBeNull();
    expect(findTaskOfCall(`call_${text}`)).toBeNull();
  });
});
