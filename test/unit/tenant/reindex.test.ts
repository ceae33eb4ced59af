/** When a tenant's object and its row are apart, and what a loss is called. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addLost,
  addLostProjects,
  type Inventory,
  judgeRow,
  LOSS_REPORTED_MS,
  mayPrune,
  createReindex,
} from "../../../core/tenant/recovery.ts";

const NOTHING: Inventory = {
  agents: 0,
  people: 0,
  secrets: 0,
  memories: 0,
  skills: 0,
  tools: 0,
  mcp_servers: 0,
  webhooks: 0,
  incoming_webhooks: 0,
  slack_workspaces: 0,
  connections: 0,
  keys: 0,
  projects: 0,
};
const row = (counter: number, isErased = false) => ({ counter, isErased });
const at = (counter: number) => ({ from: counter, to: counter });

describe("a tenant's object and its row", () => {
  test.each([
    [at(5), row(5), "together"],
    [at(5), row(6), "together"],
    [at(5), row(7), "ahead"],
    [at(5), row(4), "behind"],
    [at(0), row(0), "together"],
    [at(5), null, "missing"],
    [at(0), null, "missing"],
    [at(5), row(0, true), "erased"],
    // Batches continued while the row was read.
    [{ from: 5, to: 9 }, row(5), "together"],
    [{ from: 5, to: 9 }, row(10), "together"],
    [{ from: 5, to: 9 }, row(11), "ahead"],
    [{ from: 5, to: 9 }, row(4), "behind"],
  ] as const)("with the counter %j and the row %j are %s", (counter, read, verdict) => {
    expect(judgeRow(counter, read)).toBe(verdict);
  });

  test("are never apart by batches alone, cut off anywhere", () => {
    const steps = fc.array(fc.constantFrom("whole", "cut off before", "cut off after"), { maxLength: 50 });
    fc.assert(
      fc.property(steps, (batches) => {
        let [object, stored] = [0, 0];
        for (const batch of batches) {
          // The statement advances the row from the object's counter, or one beyond.
          if (batch !== "cut off before" && stored >= object && stored <= object + 1) stored = object + 1;
          if (batch === "whole") object += 1;
          expect(judgeRow(at(object), row(stored))).toBe("together");
        }
      }),
    );
  });
});

test("rows that no object knows go only where the object is the newer one", () => {
  expect(mayPrune({ reason: "behind" }, 5)).toBe(true);
  expect(mayPrune({ reason: "missing" }, 5)).toBe(true);
  expect(mayPrune({ reason: "ahead" }, 5)).toBe(false);
  expect(mayPrune({ reason: "missing" }, 0)).toBe(false);
  // A repeat removes nothing that an earlier rebuilding left.
  expect(mayPrune({ reason: "requested" }, 5)).toBe(false);
});

describe("what was lost", () => {
  test("is what was counted before and is absent now, in addition to earlier losses", () => {
    const before = { ...NOTHING, agents: 3, secrets: 2, projects: 4, keys: 5 };
    expect(addLost({ people: 1, projects: 1 }, before, { ...NOTHING, agents: 1, keys: 4 }, 0)).toEqual({
      people: 1,
      projects: 1,
      agents: 2,
      secrets: 2,
      keys: 1,
    });
    expect(addLost({}, null, NOTHING, 0)).toEqual({});
    expect(addLost({}, NOTHING, { ...NOTHING, agents: 2 }, 0)).toEqual({});
    // Counted by a release that knew no connections.
    const { connections: _, ...earlier } = { ...NOTHING, agents: 1 };
    expect(addLost({ connections: 2 }, earlier, { ...NOTHING, connections: 1 }, 0)).toEqual({
      connections: 2,
      agents: 1,
    });
  });

  test("has projects that are not there at the end, whatever was lost earlier", () => {
    expect(addLostProjects({ lost: { agents: 1 }, projectsBefore: 4 }, 1)).toEqual({ agents: 1, projects: 3 });
    expect(addLostProjects({ lost: { projects: 3 }, projectsBefore: 1 }, 1)).toEqual({ projects: 3 });
    expect(addLostProjects({ lost: {} }, 0)).toEqual({});
    expect(addLostProjects({ lost: {}, projectsBefore: 1 }, 2)).toEqual({});
  });

  test("has a key that another tenant has once, however often the rebuilding is repeated", () => {
    const first = addLost({}, { ...NOTHING, keys: 2 }, { ...NOTHING, keys: 1 }, 1);
    expect(first).toEqual({ keys: 1 });
    expect(addLost(first, { ...NOTHING, keys: 1 }, { ...NOTHING, keys: 1 }, 1)).toEqual({ keys: 1 });
    expect(addLost({ agents: 1 }, null, NOTHING, 2)).toEqual({ agents: 1, keys: 2 });
  });

  test("stays reported when a rebuilding is repeated, for thirty days", () => {
    const first = { ...createReindex("missing", 1, null, 1000), lost: { agents: 2 } };
    expect(createReindex("requested", 1, first, 2000).lost).toEqual({ agents: 2 });
    expect(createReindex("requested", 1, first, 1000 + LOSS_REPORTED_MS).lost).toEqual({});
  });
});
