import { describe, expect, test } from "vitest";
import { buildToolset } from "../../../core/steps/toolset.ts";
import { buildRequest } from "../../../core/steps/context.ts";
import { DATA_NOTE } from "../../../core/prompt/mark-data.ts";
import { toSkillInForce, joinSkillPatterns, getCurrentFacts } from "../../../core/task/skills-in-force.ts";
import type { TaskFacts, TaskState } from "../../../core/task/state.ts";
import { decide } from "../../../core/task/task.ts";
import type { Control } from "../../../core/tool/tool.ts";
import { toTaskView } from "../../../core/task/view.ts";
import { toolOf, outside } from "../steps/play-gateway.ts";
import { answer, ASK, call, DISPATCH, factsOf, type ScriptedCall, TaskWorld } from "./world.ts";
import { makeSkill } from "../../fakes/skill-texts.ts";

const skill = (name: string, allowedTools: readonly string[] | null = null) =>
  toSkillInForce(makeSkill(name, { allowedTools }), "load");
const load = (name: string, allowedTools: readonly string[] | null = null): ScriptedCall => ({
  tool: "load_skill",
  effect: "none",
  control: { kind: "load", skill: skill(name, allowedTools), result: { name }, content: `# Skill: ${name}` },
});
const finish = (summary = "All is done."): ScriptedCall => ({
  tool: "finished",
  effect: "none",
  control: { kind: "finish", summary },
});
const named = ({ skills }: Pick<TaskFacts, "skills">) => skills.map(({ name }) => name);
const ended = ({ state }: { state: TaskState }) => (state.phase.name === "ended" ? state.phase : null);

describe("the tool patterns of skills", () => {
  test("are the union of their lists and ask_human; null without a list", () => {
    const lists = (...all: (readonly string[] | null)[]) =>
      joinSkillPatterns(all.map((list, n) => skill(`s${n}`, list)));
    expect(lists()).toBeNull();
    expect(lists(null, null)).toBeNull();
    expect(lists([])).toEqual(["ask_human"]);
    expect(lists(["a", "b"], null, ["b", "gamma_*"])).toEqual(["ask_human", "a", "b", "gamma_*"]);
  });
});

describe("a skill that the model loads", () => {
  test("is in force for the next step, and its text is the call's result", () => {
    const world = new TaskWorld([[load("notes", ["read_file"])], [call()]]);
    world.run();
    expect(world.state.loaded).toEqual([skill("notes", ["read_file"])]);
    const [row] = world.ledger.values();
    expect(row).toMatchObject({ state: "confirmed", content: "# Skill: notes", result: { result: { name: "notes" } } });
    expect(world.events.find(({ type }) => type === "skill.loaded")?.data).toEqual({
      step: 1,
      call_id: row?.callId,
      skill: {
        name: "notes",
        hash: "hash-of-notes",
        how: "load",
        similarity: null,
        allowed_tools: ["read_file"],
        note: null,
      },
    });
    const facts = getCurrentFacts(world.state);
    expect(facts.tools).toEqual([["ask_human", "read_file"]]);
    expect(named(facts)).toEqual(["notes"]);
    expect(world.state.facts.tools).toEqual([]);
  });

  test("only narrows the task's tools: the union of the loaded skills applies within that of the others", () => {
    const facts = factsOf({
      tools: [["ask_human", "a", "b"]],
      skills: [toSkillInForce(makeSkill("first"), "request")],
    });
    const world = new TaskWorld([[load("wide", ["*"])], [load("own", ["a"])], [load("more", ["c"])]], undefined, facts);
    world.run();
    expect(getCurrentFacts(world.state).tools).toEqual([
      ["ask_human", "a", "b"],
      ["ask_human", "*", "a", "c"],
    ]);
  });

  test("without a list restricts nothing", () => {
    const world = new TaskWorld([[load("free")], [load("own", ["a"])]]);
    world.run(0);
    expect(getCurrentFacts({ ...world.state, loaded: [skill("free")] }).tools).toEqual([]);
    expect(getCurrentFacts({ ...world.state, loaded: [skill("free"), skill("own", ["a"])] }).tools).toEqual([
      ["ask_human", "a"],
    ]);
  });

  test("that is already in force changes nothing, so reading its files narrows nothing", () => {
    const matched = [
      toSkillInForce(makeSkill("a", { allowedTools: ["x"] }), "request"),
      toSkillInForce(makeSkill("b"), "request"),
    ];
    const facts = factsOf({ tools: [["ask_human", "x"]], skills: matched });
    const world = new TaskWorld([[load("a", ["x"])], [load("c", ["y"])], [load("c", ["y"])]], undefined, facts);
    world.run();
    expect(world.state.loaded).toEqual([skill("c", ["y"])]);
    expect(world.events.filter(({ type }) => type === "skill.loaded")).toHaveLength(1);
  });

  test("is one of at most 20", () => {
    const steps = Array.from({ length: 4 }, (_, n) => Array.from({ length: 6 }, (_x, m) => load(`s${n}_${m}`)));
    const world = new TaskWorld(steps);
    world.run();
    expect(world.state.loaded).toHaveLength(20);
    const refused = [...world.ledger.values()].filter(({ state }) => state === "refused");
    expect(refused).toHaveLength(4);
    expect(refused[0]?.content).toContain("quota_exceeded");
  });

  test("is in force for the subtasks of the same step, and of later ones, in their tools and for their scripts", () => {
    const dispatched = { ...call("none", DISPATCH), tool: "dispatch_subagent" };
    const world = new TaskWorld([[dispatched, load("notes", ["read_*"])]]);
    world.run();
    const [made] = world.subtasks.values();
    expect(made?.made.facts.tools).toEqual([["ask_human", "read_*"]]);
    expect(named(made?.made.facts ?? { skills: [] })).toEqual(["notes"]);
  });

  test("survives a crash and a later release, because it is stored", () => {
    const world = new TaskWorld([[load("notes", ["read_file"])], [call("none", ASK)]]);
    world.run();
    const stored = JSON.parse(JSON.stringify(world.state)) as TaskState;
    expect(getCurrentFacts(stored).tools).toEqual([["ask_human", "read_file"]]);
  });
});

describe("a call of a skill's tool", () => {
  const used = { ...toSkillInForce(makeSkill("notes", { allowedTools: ["read_file"] }), "tool") };
  const dispatch: Control = { ...DISPATCH, tools: ["ask_human", "read_file"], skill: used };

  test("is a subtask under that skill alone, with the tools that it allows", () => {
    const facts = factsOf({ tools: [["a*"]], skills: [toSkillInForce(makeSkill("other"), "request")] });
    const world = new TaskWorld([[{ tool: "notes", effect: "none", control: dispatch }]], undefined, facts);
    world.run();
    const [made] = world.subtasks.values();
    expect(made?.made.facts).toMatchObject({ tools: [["a*"], ["ask_human", "read_file"]], skills: [used] });
  });

  test("returns its text under the API's field names, and a failure like any subtask", () => {
    const world = new TaskWorld([[{ tool: "notes", effect: "none", control: dispatch }]]);
    world.run();
    const [id = ""] = world.subtasks.keys();
    const result = { subtask_id: id, status: "completed", reason: null, text: "The notes.", files: [], steps: 2 };
    const outcome = { state: "confirmed", result: { ok: true, result }, content: "The notes.", control: null } as const;
    const ending = {
      subtask: id,
      status: "completed",
      inputTokens: 0,
      outputTokens: 0,
      costMicros: 0,
      estimated: false,
    } as const;
    world.apply({ type: "subtask_ended", ending: { ...ending, outcome: { ...outcome, durationMs: 1 } } });
    const [row] = world.ledger.values();
    const { text: _, ...rest } = result;
    expect(row?.result).toEqual({ ok: true, result: { result: "The notes.", skill_used: "notes", ...rest } });
  });
});

describe("the instructions of skills", () => {
  const job = (facts: TaskFacts, messages: { role: "user"; content: string }[] = []) => ({
    facts,
    step: 1,
    attempt: 1,
    final: false,
    model: "m",
    messages,
    maxOutputTokens: 10,
    timeoutMs: 1000,
    repeat: null,
  });
  const system = async (facts: TaskFacts, texts: string[]) => {
    const toolset = await buildToolset([toolOf(outside(), "none")], facts, texts);
    return buildRequest(job(facts), toolset, new AbortController().signal).messages[0]?.content;
  };

  test("follow the agent's instructions, the same at every step", async () => {
    const facts = factsOf({
      skills: [toSkillInForce(makeSkill("a"), "agent"), toSkillInForce(makeSkill("b"), "similarity", 0.7)],
    });
    const texts = ["# Skill: a", "# Skill: b"];
    expect(await system(facts, texts)).toBe(
      `${facts.agent.config.instructions}\n\n# Skill: a\n\n# Skill: b\n\n${DATA_NOTE}`,
    );
    const later = getCurrentFacts({ facts, loaded: [skill("c")] });
    expect(await system(later, texts)).toBe(await system(facts, texts));
  });

  test("replace them in a call of a skill's tool", async () => {
    const facts = factsOf({ parentId: "task_1", depth: 1, skills: [toSkillInForce(makeSkill("a"), "tool")] });
    const prompt = await system(facts, ["# Skill: a"]);
    expect(prompt).toMatch(/^# Skill: a\n\nYou work on a part of a larger task/);
    expect(prompt).not.toContain(facts.agent.config.instructions);
  });

  test("and their tool lists are in the view, and in the log's first entry", () => {
    const facts = factsOf({ skills: [toSkillInForce(makeSkill("a", { allowedTools: ["x"] }), "similarity", 0.64)] });
    const world = new TaskWorld([[load("b")], [call("none", ASK)]], undefined, facts);
    world.run();
    const [first] = world.events;
    const expected = { name: "a", hash: "hash-of-a", how: "similarity", similarity: 0.64, allowed_tools: ["x"] };
    const note = expect.stringContaining('"skills": []');
    expect(first).toMatchObject({ type: "task.created", data: { skills: [{ ...expected, note }] } });
    const view = toTaskView(world.state, { getArguments: () => null, below: [] });
    expect(view.skills).toMatchObject([
      { ...expected, note },
      { name: "b", how: "load", allowed_tools: null, note: null },
    ]);
    expect(new TaskWorld([]).events[0]?.data).not.toHaveProperty("skills");
  });
});

describe("finished", () => {
  test("ends the task with its summary, once the other calls of the step are settled", () => {
    const world = new TaskWorld([[finish(), call("once"), call("none", ASK)]]);
    world.run();
    expect(ended(world)).toBeNull();
    const [wait] = world.state.batch.flatMap((one) => (one.wait?.kind === "question" ? [one.wait] : []));
    world.apply(answer(wait?.id ?? ""));
    expect(ended(world)).toMatchObject({ status: "completed", reason: null, text: "All is done." });
    expect(world.modelCalls).toBe(1);
    expect([...world.effects.values()]).toEqual([1]);
    expect([...world.ledger.values()].map(({ state }) => state)).toEqual(["confirmed", "confirmed", "confirmed"]);
  });

  test("waits for the subtasks of its step", () => {
    const world = new TaskWorld([[{ ...call("none", DISPATCH), tool: "dispatch_subagent" }, finish()]]);
    world.run();
    expect([ended(world), world.subtasks.size, world.state.phase.name]).toEqual([null, 1, "parked"]);
  });

  test("does not end a task whose model has not read a failure of the same step", () => {
    const world = new TaskWorld([[finish(), { ...call("once"), outcome: { state: "failed" } }], [finish("Now.")]]);
    world.run();
    expect(ended(world)).toMatchObject({ text: "Now." });
    const [row] = world.ledger.values();
    expect(row?.content).toContain("another call of this step did not succeed");
    expect(world.modelCalls).toBe(2);
  });

  test("does not end a task with an unread message", () => {
    const world = new TaskWorld([[finish("First."), call("none", ASK)], []]);
    world.run();
    world.apply({ type: "message", text: "One thing more.", request: null });
    const [wait] = world.state.batch.flatMap((one) => (one.wait?.kind === "question" ? [one.wait] : []));
    world.apply(answer(wait?.id ?? ""));
    world.run();
    expect(ended(world)).toMatchObject({ text: "done" });
    const [row] = world.ledger.values();
    expect(row?.content).toContain("a message arrived");
  });

  test("ends the task, which accepts no more messages", () => {
    const world = new TaskWorld([[finish()]]);
    world.run();
    const again = decide(world.state, { type: "message", text: "x", request: null }, 9);
    expect(again.refused?.code).toBe("conflict");
  });
});
