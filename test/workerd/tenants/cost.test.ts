import { describe, expect, test } from "vitest";
import type { TaskView } from "../../../core/task/view.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { config } from "../tenant/client.ts";

interface LogEntry {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const completed = ({ status }: TaskView) => status === "completed";
const hasEnded = ({ status }: TaskView) => ["completed", "failed", "cancelled"].includes(status);

async function makeAgent(caller: Caller, more: object): Promise<string> {
  const made = await caller.send("POST", "/v1/agents", config("priced", more));
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

describe("what a task cost", () => {
  test("is reported by step, by call and in total, and a subtask's with its dispatch", async () => {
    const caller = await makeCaller();
    // 2.50 and 10 dollars for a million tokens.
    const agent = await makeAgent(caller, { model: "gpt-4o" });
    const child = { replies: [{ text: "Part.", usage: { input: 2000, output: 100 } }] };
    const calls = [
      { name: "get_current_datetime", arguments: {} },
      { name: "dispatch_subagent", arguments: { task_description: JSON.stringify(child) } },
    ];
    const { id } = await caller.makeTask(
      [
        { calls, usage: { input: 1000, output: 50 } },
        { text: "Done.", usage: { input: 4000, output: 10 } },
      ],
      { agent },
    );
    const view = await caller.until(id, completed);
    const trace = (await caller.send("GET", `/v1/tasks/${id}/trace`)).json;
    const total = { input_tokens: 7000, output_tokens: 160, cost_usd: 0.0191, estimated: false };
    expect(trace.usage).toEqual(total);
    expect(view.usage).toMatchObject(total);
    expect(trace.steps).toMatchObject([
      {
        usage: { input_tokens: 3000, output_tokens: 150, cost_usd: 0.009, estimated: false },
        models: ["gpt-4o"],
        calls: [{ cost_usd: 0 }, { cost_usd: 0.006 }],
      },
      { usage: { input_tokens: 4000, output_tokens: 10, cost_usd: 0.0101 }, models: ["gpt-4o"], calls: [] },
    ]);
    const [subtask] = (await caller.send("GET", `/v1/tasks/${id}/subtasks`)).json.data;
    const below = (await caller.send("GET", `/v1/tasks/${subtask.id}/trace`)).json;
    expect(below.usage).toMatchObject({ input_tokens: 2000, output_tokens: 100, cost_usd: 0.006 });
  });

  test("is marked where the provider reported no usage", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([{ text: "Done.", usage: null }]);
    await caller.until(id, completed);
    const { usage, steps } = (await caller.send("GET", `/v1/tasks/${id}/trace`)).json;
    expect([usage.estimated, steps[0].usage.estimated, steps[0].models]).toEqual([true, true, ["mock-model"]]);
  });
});

describe("an agent with fallbacks", () => {
  test("shows them as they were given", async () => {
    const caller = await makeCaller();
    const id = await makeAgent(caller, { model: "gpt-4o", fallbacks: ["gpt-4.1", "gpt-4o-mini"] });
    expect((await caller.send("GET", `/v1/agents/${id}`)).json.fallbacks).toEqual(["gpt-4.1", "gpt-4o-mini"]);
    const wrong = config("wrong", { fallbacks: Array.from({ length: 6 }, (_, index) => `m${index}`) });
    expectProblem(await caller.send("POST", "/v1/agents", wrong), 422, "fallbacks");
  });

  test.each([
    ["refuses", { status: 400 }, 1],
    ["fails twice", { status: 503 }, 2],
  ])("is worked for by the next one, at its price, when its own model %s", async (_how, fault, tries) => {
    const caller = await makeCaller();
    // 0.40 and 1.60 dollars for a million tokens.
    const agent = await makeAgent(caller, { model: "gpt-4o", fallbacks: ["gpt-4.1-mini"] });
    const call = { name: "get_current_datetime", arguments: {} };
    const usage = { input: 1000, output: 100 };
    const { id } = await caller.makeTask(
      [
        { calls: [call], usage, models: { "gpt-4o": { fault: { kind: "status", ...fault } } } },
        { text: "From the next.", usage, models: { "gpt-4o": { text: "From its own." } } },
      ],
      { agent },
    );
    const view = await caller.until(id, hasEnded);
    expect(view).toMatchObject({
      status: "completed",
      output: { text: "From the next." },
      usage: { steps: 2, input_tokens: 2000, output_tokens: 200, cost_usd: 0.00112, estimated: false },
    });
    const trace = (await caller.send("GET", `/v1/tasks/${id}/trace`)).json;
    expect(trace.steps.map(({ models }: { models: string[] }) => models)).toEqual([["gpt-4.1-mini"], ["gpt-4.1-mini"]]);
    const log = await caller.send("GET", `/v1/tasks/${id}/events?limit=500`, undefined, { accept: "application/json" });
    const of = (wanted: string, field: string) =>
      log.json.data.flatMap(({ type, data }: LogEntry) => (type === wanted ? [data[field]] : []));
    expect(of("step.started", "step")).toEqual([...Array.from({ length: tries + 1 }, () => 1), 2]);
    expect(of("message.completed", "model")).toEqual(["gpt-4.1-mini", "gpt-4.1-mini"]);
  });

  test("has no money limit if one of them has no known price", async () => {
    const caller = await makeCaller();
    const agent = await makeAgent(caller, { model: "gpt-4o", fallbacks: ["home-made"] });
    const body = { input: "x", hold: true, agent, budget: { max_cost_usd: 1 } };
    const answer = await caller.send("POST", "/v1/tasks", body);
    expectProblem(answer, 422, "budget.max_cost_usd");
    expect(answer.json.detail).toContain("home-made");
    expect((await caller.send("POST", "/v1/tasks", { ...body, budget: {} })).status).toBe(201);
  });
});

describe("an agent with a limit of money", () => {
  const budget = { max_cost_usd: 1 };

  test.each([
    ["its model", { model: "home-made", budget }, "home-made"],
    ["a fallback", { model: "gpt-4o", fallbacks: ["gpt-4.1", "home-made"], budget }, "home-made"],
    ["the model that it gets as it names none", { budget }, "mock-model"],
  ])("is rejected on creation and change if %s has no known price", async (_which, more, model) => {
    const caller = await makeCaller();
    const id = await makeAgent(caller, { model: "gpt-4o", budget });
    for (const [method, path] of [
      ["POST", "/v1/agents"],
      ["PUT", `/v1/agents/${id}`],
    ] as const) {
      const answer = await caller.send(method, path, config("other", more));
      expectProblem(answer, 422, "budget.max_cost_usd");
      expect(answer.json.detail).toMatch(new RegExp(`${model}.*Omit it, or limit max_tokens`));
    }
    expect((await caller.send("GET", `/v1/agents/${id}`)).json.version).toBe(1);
  });
});
