import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_AGENT, type PinnedAgent } from "../../../core/agents/agent.ts";
import { isId } from "../../../core/base/ids.ts";
import { toModelChoice } from "../../../core/model/table.ts";
import {
  createCallFacts,
  MAX_INPUT_CHARACTERS,
  createTaskFacts,
  resolveLimits,
  type TaskOrigin,
  taskRequestSchema,
} from "../../../core/task/new-task.ts";
import { makeSkill } from "../../fakes/skill-texts.ts";

const origin: TaskOrigin = {
  tenant: "ten_a",
  key: "key_a",
  via: { channel: "api", id: null },
  agent: DEFAULT_AGENT,
  sources: [{ name: "custom", hash: "a".repeat(64) }],
  skills: [],
  defaultModel: "gpt-4o",
  createdAt: Date.parse("2026-11-20T10:00:00Z"),
  random: new Uint8Array(10).fill(7),
};

function withConfig(config: Partial<PinnedAgent["config"]>): TaskOrigin {
  return { ...origin, agent: { ...DEFAULT_AGENT, config: { ...DEFAULT_AGENT.config, ...config } } };
}

const fieldsOf = (body: unknown) => {
  const parsed = taskRequestSchema.safeParse(body);
  if (parsed.success) return [];
  return parsed.error.issues.map((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.join(",") : issue.path.join("."),
  );
};

describe("the body of a new task", () => {
  test.each([
    ["no input", {}, "input"],
    ["an empty input", { input: "" }, "input"],
    ["an input that is a number", { input: 7 }, "input"],
    ["no messages", { input: [] }, "input"],
    ["a system message", { input: [{ role: "system", content: "x" }] }, "input"],
    ["a last message of the assistant's", { input: [{ role: "assistant", content: "x" }] }, "input"],
    ["a field that there is not", { input: "x", inputs: "y" }, "inputs"],
    ["a limit that there is not", { input: "x", budget: { max_money: 1 } }, "max_money"],
    ["no steps", { input: "x", budget: { max_steps: 0 } }, "budget.max_steps"],
    ["more steps than any agent has", { input: "x", budget: { max_steps: 101 } }, "budget.max_steps"],
    ["half a token", { input: "x", budget: { max_tokens: 0.5 } }, "budget.max_tokens"],
    ["no money", { input: "x", budget: { max_cost_usd: 0 } }, "budget.max_cost_usd"],
    ["a project with a slash", { input: "x", project: "a/b" }, "project"],
    ["a mode that there is not", { input: "x", mode: "dry" }, "mode"],
    ["hold as text", { input: "x", hold: "yes" }, "hold"],
    ["metadata as a list", { input: "x", metadata: [] }, "metadata"],
    ["tools as text", { input: "x", tools: "read_file" }, "tools"],
  ])("is refused for %s, by the field's name", (_what, body, field) => {
    expect(fieldsOf(body)).toContain(field);
  });

  test("may hold text of exactly the limit, counted in characters and not in code units", () => {
    expect(fieldsOf({ input: "😀".repeat(MAX_INPUT_CHARACTERS) })).toEqual([]);
    expect(fieldsOf({ input: `${"😀".repeat(MAX_INPUT_CHARACTERS)}x` })).toEqual(["input"]);
    const half = "x".repeat(MAX_INPUT_CHARACTERS / 2);
    const messages = [
      { role: "user", content: half },
      { role: "assistant", content: half },
      { role: "user", content: "x" },
    ];
    expect(fieldsOf({ input: messages })).toEqual(["input"]);
  });

  test("has bounded metadata", () => {
    expect(fieldsOf({ input: "x", metadata: { order: "ä".repeat(8000) } })).toEqual([]);
    expect(fieldsOf({ input: "x", metadata: { order: "ä".repeat(9000) } })).toEqual(["metadata"]);
    const keys = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 1]));
    expect(fieldsOf({ input: "x", metadata: keys })).toEqual(["metadata"]);
  });
});

describe("a field whose feature is not there", () => {
  test("answers not_available and names it", () => {
    const made = createTaskFacts(taskRequestSchema.parse({ input: "x", mode: "staged" }), origin);
    expect(made).toMatchObject({ ok: false, error: { code: "not_available", field: "mode" } });
  });

  test("is accepted when it is off", () => {
    const request = taskRequestSchema.parse({ input: "x", skills: [], deliver: [], mode: "live" });
    expect(createTaskFacts(request, origin).ok).toBe(true);
  });
});

describe("the facts of a task", () => {
  test("have the deliveries of its result", () => {
    const deliver = [{ channel: "slack", to: "#sales" }] as const;
    const made = createTaskFacts(taskRequestSchema.parse({ input: "x", deliver }), origin);
    expect(made).toMatchObject({ ok: true, value: { deliver, via: { channel: "api", id: null } } });
  });

  test("have the requested values, and the defaults", () => {
    const made = createTaskFacts(
      taskRequestSchema.parse({ input: "x", tools: ["read_*"], metadata: { a: 1 } }),
      origin,
    );
    expect(made).toMatchObject({
      ok: true,
      value: {
        tenant: "ten_a",
        key: "key_a",
        parentId: null,
        depth: 0,
        kind: "agent",
        input: "x",
        tools: [["read_*"]],
        sources: origin.sources,
        models: [toModelChoice("gpt-4o")],
        project: null,
        metadata: { a: 1 },
        limits: { maxSteps: 10, maxTokens: null, maxCostMicros: null, maxDurationMs: null },
      },
    });
    if (!made.ok) throw new Error("not made");
    expect(isId("task", made.value.id)).toBe(true);
    expect(made.value.rootId).toBe(made.value.id);
  });

  test("narrow no tools if the request names no skill", () => {
    expect(createTaskFacts(taskRequestSchema.parse({ input: "x" }), origin)).toMatchObject({ value: { tools: [] } });
  });

  test.each([
    [{}, ["gpt-4o"]],
    [{ model: "gpt-5" }, ["gpt-5"]],
    [{ fallbacks: ["gpt-5", "home-made"] }, ["gpt-4o", "gpt-5", "home-made"]],
    [{ model: "gpt-5", fallbacks: ["gpt-4.1", "gpt-5", "gpt-4.1"] }, ["gpt-5", "gpt-4.1"]],
  ])("hold the models to ask in order, each once: %j", (config, names) => {
    expect(createTaskFacts(taskRequestSchema.parse({ input: "x" }), withConfig(config))).toMatchObject({
      value: { models: names.map((name) => toModelChoice(name)) },
    });
  });

  test("have the same id when they are created again from the same time and bytes", () => {
    const request = taskRequestSchema.parse({ input: "x" });
    const [one, two] = [createTaskFacts(request, origin), createTaskFacts(request, origin)];
    expect(one).toEqual(two);
  });

  test("have the matched skills, and one list of their tools in addition to the request's own", () => {
    const skills = [
      makeSkill("a", { allowedTools: ["read_*"] }),
      makeSkill("b", { allowedTools: ["x"] }),
      makeSkill("c"),
    ];
    const made = (body: object) => {
      const facts = createTaskFacts(taskRequestSchema.parse({ input: "x", ...body }), { ...origin, skills });
      if (!facts.ok) throw new Error(facts.error.message);
      return facts.value;
    };
    const both = made({ skills: ["b", "a", "c"], tools: ["read_*"] });
    expect(both.tools).toEqual([["read_*"], ["ask_human", "x", "read_*"]]);
    expect(both.skills.map(({ name, hash, how }) => [name, hash, how])).toEqual([
      ["b", "hash-of-b", "request"],
      ["a", "hash-of-a", "request"],
      ["c", "hash-of-c", "request"],
    ]);
    expect(made({ skills: ["c"] }).tools).toEqual([]);
    expect(made({}).skills).toEqual([]);
    expect(
      createTaskFacts(taskRequestSchema.parse({ input: "x", skills: ["z"] }), { ...origin, skills }),
    ).toMatchObject({
      error: { code: "invalid_input", field: "skills" },
    });
    const call = { project: null, toolName: "t" };
    const own = createCallFacts(origin, { ...call, of: null, skills: both.skills });
    expect([own.tools, own.skills]).toEqual([[["ask_human", "x", "read_*"]], both.skills]);
    const below = createCallFacts(origin, { ...call, of: both, skills: [] });
    expect([below.tools, below.skills]).toEqual([both.tools, both.skills]);
  });

  test("of a call are those of its task, with its sandbox, and never appear as its own root", () => {
    const made = createTaskFacts(taskRequestSchema.parse({ input: "x", project: "sales", tools: ["a"] }), origin);
    if (!made.ok) throw new Error("not made");
    const other = { ...origin, sources: [], key: "key_b", random: new Uint8Array(10).fill(9) };
    const below = { ...made.value, id: "task_below", depth: 2, tools: [["a"], ["b", "c"]] };
    const facts = createCallFacts(other, { project: null, of: below, skills: [], toolName: "read_file" });
    expect(facts).toMatchObject({
      kind: "call",
      key: "key_b",
      rootId: made.value.id,
      parentId: below.id,
      depth: 2,
      project: "sales",
      tools: below.tools,
      sources: origin.sources,
    });
    expect(facts.id).not.toBe(made.value.id);
    expect(createCallFacts(other, { project: "p", of: null, skills: [], toolName: "t" })).toMatchObject({
      key: "key_b",
      rootId: facts.id,
      parentId: null,
      depth: 0,
      tools: [],
      sources: [],
      project: "p",
    });
  });
});

describe("the limits of a task", () => {
  test("are the agent's when the request says nothing", () => {
    const budget = { max_steps: 20, max_tokens: 1000, max_cost_usd: 0.5, max_duration_s: 60 };
    const made = createTaskFacts(taskRequestSchema.parse({ input: "x" }), withConfig({ budget }));
    expect(made).toMatchObject({
      value: { limits: { maxSteps: 20, maxTokens: 1000, maxCostMicros: 500_000, maxDurationMs: 60_000 } },
    });
  });

  test.each(["max_steps", "max_tokens", "max_cost_usd", "max_duration_s"] as const)(
    "may be lowered and never raised over the agent's %s",
    (name) => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 100 }), (requested, agents) => {
          const resolved = resolveLimits({ [name]: requested }, { [name]: agents }, [toModelChoice("gpt-4o")]);
          expect(resolved.ok).toBe(requested <= agents);
          if (!resolved.ok) expect(resolved.error).toMatchObject({ code: "invalid_input", field: `budget.${name}` });
        }),
      );
    },
  );

  test("replace the default of ten steps, up to a hundred, if the agent sets no limit", () => {
    const models = [toModelChoice("m")];
    expect(resolveLimits({ max_steps: 100 }, {}, models)).toMatchObject({ ok: true, value: { maxSteps: 100 } });
    expect(resolveLimits({ max_steps: 101 }, {}, models)).toMatchObject({
      ok: false,
      error: { field: "budget.max_steps" },
    });
  });

  test.each([
    ["the request", { max_cost_usd: 1 }, {}],
    ["the agent", {}, { max_cost_usd: 1 }],
  ])(
    "of money that %s sets are refused when the price of a model is unknown, also of a fallback",
    (_who, requested, agents) => {
      for (const names of [["home-made"], ["gpt-4o", "home-made"], ["gpt-4o", "gpt-5", "home-made"]]) {
        const resolved = resolveLimits(
          requested,
          agents,
          names.map((name) => toModelChoice(name)),
        );
        expect(resolved).toMatchObject({ ok: false, error: { code: "invalid_input", field: "budget.max_cost_usd" } });
        expect(resolved).toMatchObject({ error: { message: expect.stringContaining("the model home-made ") } });
      }
      expect(resolveLimits(requested, agents, [toModelChoice("demo"), toModelChoice("gpt-4o")]).ok).toBe(true);
    },
  );
});
