import { describe, expect, it } from "vitest";
import type { Task } from "../../../web/src/api/types.generated.ts";
import {
  EMPTY_TASK,
  faultAt,
  likeTask,
  limitHint,
  LIMITS,
  type NewTask,
  readNewTask,
} from "../../../web/src/pages/tasks/new-task.ts";

function written(part: Partial<NewTask>): NewTask {
  return { ...EMPTY_TASK, input: "Sum up", ...part };
}

describe("a task in the form", () => {
  it("asks for no more than what was filled in", () => {
    expect(readNewTask(written({}), false)).toEqual({ ok: true, request: { input: "Sum up" } });
  });

  it("is held when files come with it", () => {
    expect(readNewTask(written({}), true)).toEqual({ ok: true, request: { input: "Sum up", hold: true } });
  });

  it("asks for everything that was filled in, in the API's units", () => {
    const limits = { max_steps: "5", max_tokens: " 1000 ", max_cost_usd: "0.5", max_duration_s: "2" };
    const task = written({
      agent: "agent_1",
      project: " sales ",
      tools: "read_*\n\n write_file ",
      skills: "report",
      limits,
      deliver: [{ channel: "email", to: " ana@example.com " }],
    });
    expect(readNewTask(task, false)).toEqual({
      ok: true,
      request: {
        input: "Sum up",
        agent: "agent_1",
        project: "sales",
        tools: ["read_*", "write_file"],
        skills: ["report"],
        budget: { max_steps: 5, max_tokens: 1000, max_cost_usd: 0.5, max_duration_s: 120 },
        deliver: [{ channel: "email", to: "ana@example.com" }],
      },
    });
  });

  it("reads its limits as the console prints them, and an amount that may have decimals in one way only", () => {
    const limits = { max_steps: "", max_tokens: "100,000", max_cost_usd: "0,5", max_duration_s: "1,5" };
    expect(readNewTask(written({ limits }), false)).toMatchObject({
      request: { budget: { max_tokens: 100_000, max_cost_usd: 0.5, max_duration_s: 90 } },
    });
    expect(readNewTask(written({ limits: { ...limits, max_cost_usd: "0,125" } }), false)).toMatchObject({
      faults: { "budget.max_cost_usd": expect.stringContaining("write 125 or 0.125") as string },
    });
  });

  it("disables the matching of skills only on request", () => {
    expect(readNewTask(written({ usesNoSkills: true, skills: "report" }), false)).toMatchObject({
      request: { skills: [] },
    });
  });

  it("names every field that cannot be sent", () => {
    const limits = { ...EMPTY_TASK.limits, max_steps: "many", max_tokens: "-1" };
    const read = readNewTask(written({ input: " \n", limits, deliver: [{ channel: "slack", to: " " }] }), false);
    expect(read.ok ? [] : Object.keys(read.faults)).toEqual([
      "input",
      "budget.max_steps",
      "budget.max_tokens",
      "deliver.0.to",
    ]);
  });

  it("starts as a copy of another task, with its last request, its agent and its limits", () => {
    const task = {
      input: [
        { role: "user", content: "first" },
        { role: "assistant", content: "yes" },
        { role: "user", content: "second" },
      ],
      agent: { id: "agent_1", version: 2 },
      project: "sales",
      budget: { max_steps: 7, max_tokens: null, max_cost_usd: null, max_duration_s: 90 },
    } as unknown as Task;
    expect(likeTask(task)).toMatchObject({
      input: "second",
      agent: "agent_1",
      project: "sales",
      limits: { max_steps: "7", max_tokens: "", max_cost_usd: "", max_duration_s: "1.5" },
    });
  });

  it("says the most that the agent allows at the field", () => {
    const [steps, , , minutes] = LIMITS;
    expect(steps && limitHint(steps, { max_steps: 20 })).toBe("At most 20, which holds when empty");
    expect(minutes && limitHint(minutes, { max_duration_s: 600 })).toBe("At most 10, which holds when empty");
    expect(steps && limitHint(steps, undefined)).toBe("10 when empty, at most 100");
  });
});

describe("what the API finds wrong with a new task", () => {
  const faults = { "tools.2": "is too long", "budget.max_steps": "is over 20" };

  it("is listed at its field, with the line of the fault", () => {
    expect(faultAt(faults, "tools")).toBe("Line 3: is too long");
    expect(faultAt(faults, "budget.max_steps")).toBe("is over 20");
  });

  it("is listed at no other field", () => {
    expect(faultAt(faults, "tool")).toBeUndefined();
    expect(faultAt(faults, "input")).toBeUndefined();
  });
});
