import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readResultIds, writeResultIds } from "../../../core/prompt/result-ids.ts";

const id = (task: string, step: number, index: number) => `call_${task.padStart(26, "0")}_${step}_${index}`;

describe("the ids of results in one line", () => {
  test("share their beginning, and those of one step are a run", () => {
    const ids = [id("1", 1, 0), id("1", 2, 0), id("1", 2, 1), id("1", 2, 2), id("1", 3, 0)];
    expect(writeResultIds(ids)).toBe(
      `[Results of these steps: call_${"1".padStart(26, "0")}_ and then 1_0, 2_0 to 2_2, 3_0]`,
    );
    expect(writeResultIds([])).toBeNull();
  });

  test("are returned unchanged, in order", () => {
    const call = fc.tuple(fc.constantFrom("1", "2"), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 9 }));
    fc.assert(
      fc.property(fc.uniqueArray(call, { selector: String, maxLength: 40 }), (calls) => {
        const ids = calls.map(([task, step, index]) => id(task, step, index)).sort();
        expect(readResultIds(writeResultIds(ids) ?? "")).toEqual(ids);
      }),
    );
  });

  test("are all there for a task of a hundred steps of 64 calls", () => {
    const ids = Array.from({ length: 6400 }, (_, i) => id("1", Math.floor(i / 64) + 1, i % 64));
    const line = writeResultIds(ids) ?? "";
    expect(line.length).toBeLessThan(3_000);
    expect(readResultIds(line)).toEqual(ids);
  });

  test("stay a short line, of the newest, when they have nothing in common", () => {
    const ids = Array.from({ length: 500 }, (_, i) => id(String(i), 1, 0));
    const line = writeResultIds(ids) ?? "";
    expect(line.length).toBeLessThanOrEqual(3_000);
    expect(readResultIds(line).at(-1)).toBe(ids.at(-1));
  });

  test("are not read from another line", () => {
    for (const line of ["", "[Results of these steps: ", "Otto: done", "[Results of these steps: ]"]) {
      expect(readResultIds(line)).toEqual([]);
    }
  });
});
