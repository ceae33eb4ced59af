import { describe, expect, it } from "vitest";
import { isFiltered, listQueryOf, readTasksSearch } from "../../../web/src/pages/tasks/task-filters.ts";
import { whatWaits } from "../../../web/src/pages/tasks/what-waits.ts";

describe("the address of the list of tasks", () => {
  it.each([
    [{}, {}],
    [{ status: "running,failed,running" }, { status: "running,failed" }],
    [{ status: "failed,running" }, { status: "running,failed" }],
    [{ status: "gone" }, {}],
    [{ status: ["running"] }, {}],
    [
      { project: 2024, query: "x", agent: "" },
      { project: "2024", query: "x" },
    ],
    [
      { subtasks: "true", after: "c1" },
      { subtasks: true, after: "c1" },
    ],
    [{ subtasks: "no", other: "thing" }, {}],
  ])("reads %j", (given, read) => {
    expect(readTasksSearch(given)).toEqual(read);
  });

  it("requests, in the short form, only root tasks unless subtasks are wanted", () => {
    const all = { limit: 50, view: "short" };
    expect(listQueryOf({})).toEqual({ ...all, parent: "none" });
    expect(listQueryOf({ subtasks: true, after: "c1", query: " x " })).toEqual({ ...all, cursor: "c1", query: "x" });
  });

  it("is filtered by what narrows the list, not by the position in it", () => {
    expect(isFiltered({ after: "c1" })).toBe(false);
    expect(isFiltered({ query: "x" })).toBe(true);
  });
});

describe("what waits in a task", () => {
  it.each([
    [[], null],
    [["question"], "1 question"],
    [["approval", "approval", "question", "unknown"], "1 question, 2 approvals, 1 unknown outcome"],
  ] as const)("%j is described as %j", (kinds, filters) => {
    expect(whatWaits(kinds.map((kind) => ({ kind })))).toBe(filters);
  });
});
