/** The results that a call reads again: those of its own task come with the job, and the task's object is not asked. */
import { describe, expect, test } from "vitest";
import { openResults } from "../../../adapters/files/results.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import { getExpandedResult } from "../../../core/steps/expanded-result.ts";
import { deriveCallId, makeId } from "../../../core/base/ids.ts";
import { OUTSIDE, TENANT } from "../../../core/provenance/label.ts";
import type { OwnResult } from "../../../core/steps/rpc.ts";

const [own, other] = [1, 2].map((seed) => makeId("task", seed, new Uint8Array(10))) as [string, string];
const away = { put: async () => ok(undefined), get: async () => failed("not_found", "There is no such blob.") };

/** The results of `own`, whose objects count how often they are asked. */
function open(results: readonly OwnResult[] | null) {
  const requests: string[] = [];
  const taskOf = (task: string) => ({
    facts: async () => {
      requests.push(task);
      return ok({ rootId: own } as never);
    },
    call: async () => {
      requests.push(task);
      return ok({ content: `row of ${task}`, label: TENANT } as never);
    },
  });
  const sent = results === null ? null : { task: own, results };
  return { port: openResults({ blobs: away, taskOf, tenant: "ten_1", rootId: own, own: sent }), requests };
}

describe("a result of the call's own task", () => {
  const id = deriveCallId(own, 1, 0);

  test("is read from the job, with its label", async () => {
    const { port, requests } = open([{ callId: id, content: "It is noon.", label: TENANT }]);
    expect(await port.read(id)).toEqual(ok("It is noon."));
    expect(await port.getLabel(id)).toBe(TENANT);
    expect(requests).toEqual([]);
  });

  test("that the job does not have is not found, without a call to an object", async () => {
    const { port, requests } = open([]);
    expect(await port.read(id)).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await port.getLabel(id)).toBe(OUTSIDE);
    expect(requests).toEqual([]);
  });

  test("is read from its object when the job is of an earlier release", async () => {
    const { port, requests } = open(null);
    expect(await port.read(id)).toEqual(ok(`row of ${own}`));
    expect(new Set(requests)).toEqual(new Set([own]));
  });
});

test("a result of another task of the tree is read from that task's object", async () => {
  const { port, requests } = open([]);
  expect(await port.read(deriveCallId(other, 3, 1))).toEqual(ok(`row of ${other}`));
  expect(new Set(requests)).toEqual(new Set([other]));
});

test.each([
  ["expand_result", { result_id: "call_1" }, "call_1"],
  ["expand_result", { result_id: 7 }, null],
  ["expand_result", null, null],
  ["read_file", { result_id: "call_1" }, null],
])("%s with %j reads %j again", (tool, given, expected) => {
  expect(getExpandedResult(tool, given)).toBe(expected);
});
