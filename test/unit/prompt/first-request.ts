/** First requests of the built-in agent and of its subagents, and their size by a public tokenizer. */
import { Tiktoken } from "js-tiktoken/lite";
import cl100k from "js-tiktoken/ranks/cl100k_base";
import o200k from "js-tiktoken/ranks/o200k_base";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { madeTools } from "../../../bench/tool-search/made-tools.ts";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { createOutsideTools } from "../../../core/gateway/outside-tool.ts";
import { chooseActions } from "../../../core/apps/choice/choose-actions.ts";
import { indexPinnedActions } from "../../../core/apps/choice/pinned-actions.ts";
import { buildRequest } from "../../../core/steps/context.ts";
import { buildToolset, toModelSpec, type Toolset } from "../../../core/steps/toolset.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { OutsideTool } from "../../../core/tool/source.ts";
import { shippedTools } from "../../../core/tool/shipped-skills.ts";
import type { ModelRequest } from "../../../core/ports/model.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { RESEARCH_TOOLS } from "../../../tools/agents/subagent-tools.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { outsideToolOf } from "../../contracts/tool/tool-sources-suite.ts";
import { factsOf } from "../task/world.ts";
import { makeAppTools } from "./app-tools.ts";

export const INPUT = "Pay the invoice of last month.";

const tokenizers = { o200k: new Tiktoken(o200k), cl100k: new Tiktoken(cl100k) };

export type Encoding = keyof typeof tokenizers;

export function countTokens(text: string, encoding: Encoding): number {
  return tokenizers[encoding].encode(text, "all").length;
}

/** Tools of a source as the gateway has them. */
function outside(tools: readonly OutsideTool[], source: string): Tool[] {
  const found = tools.map((tool) => ({ source, tool }));
  return createOutsideTools(found, catalogue, { callers: {}, patterns: linearPatterns });
}

function made(count: number): OutsideTool[] {
  return madeTools(count).map(({ name, summary, toolbox, input }) => ({
    ...outsideToolOf(name, { input }),
    summary,
    toolbox,
  }));
}

/** The tools of this many MCP servers, twenty each. */
export function serverTools(servers: number): Tool[] {
  const tools = made(servers * 20).map((tool, at) => ({ ...tool, toolbox: `mcp:server${at % servers}` }));
  return outside(tools, "mcp");
}

export function manyTools(count: number): Tool[] {
  return outside(made(count), "custom");
}

/** This many uploaded skills, after the model of a shipped one. */
export function uploadedSkills(count: number): Tool[] {
  const [pattern] = shippedTools;
  if (pattern === undefined) throw new Error("no skill is shipped");
  const skills = Array.from({ length: count }, (_, at) => {
    const name = `skill_number_${at}`;
    return { ...pattern, name, summary: `Prepare the weekly report number ${at} from the files of the team.` };
  });
  return outside(skills, "skills");
}

/** The tools that every tenant has. */
export const BUILT_IN: readonly Tool[] = [...catalogue, ...outside(shippedTools, "skills:otto")];

/** The facts of a task of the built-in agent, or of its subtask with these tools. */
export function builtInFacts(tools?: readonly string[] | null): TaskFacts {
  const root = factsOf({ agent: DEFAULT_AGENT, createdAt: Date.UTC(2026, 10, 27, 8) });
  if (tools === undefined) return root;
  return {
    ...root,
    id: "task_00000000000000000000000002",
    parentId: root.id,
    depth: 1,
    tools: tools === null ? [] : [tools],
  };
}

export function requestOf(facts: TaskFacts, toolset: Toolset, step = 1): ModelRequest {
  const job = {
    facts,
    step,
    attempt: 1,
    final: false,
    model: "some-model",
    messages: [{ role: "user" as const, content: INPUT }],
    maxOutputTokens: 1000,
    timeoutMs: 1000,
    repeat: null,
  };
  return buildRequest(job, toolset, new AbortController().signal);
}

/** The text of a request as the wire has it: its messages, and its tools as functions. */
function toWireText({ messages, tools }: Pick<ModelRequest, "messages" | "tools">): string {
  const texts = messages.map(({ role, content }) => `${role}\n${content}\n`);
  return `${texts.join("\n")}${JSON.stringify(tools.map((tool) => ({ type: "function", function: tool })))}`;
}

/** A first request that the table in `docs/prompt.md` has a row for. */
export interface Scenario {
  readonly name: string;
  readonly tools: () => readonly Tool[];
  readonly facts: TaskFacts;
  readonly most: number;
}

/** The tools of the first apps in the catalogue of tests. Some tools have hundreds of tokens. */
const APP_TOOLS = await makeAppTools(14);

/** The facts of a task with twelve connected apps and two others, for a request that fits many of their actions. */
async function chooseAppFacts(): Promise<TaskFacts> {
  const facts = builtInFacts();
  const actions = indexPinnedActions(APP_TOOLS);
  await actions.index.build();
  const apps = [...actions.byApp.keys()];
  const chosen = await chooseActions(
    {
      texts: ["Find last week's emails, issues and files, send Ana a message, and create an event and an issue."],
      writtenAt: { now: facts.createdAt },
      isRecipe: false,
      usable: new Set(apps.slice(0, 12)),
      unconnected: new Set(apps.slice(12)),
      mayCall: () => true,
    },
    {
      actions,
      patterns: linearPatterns,
      clock: { now: () => 0 },
      specOf: (tool) => toModelSpec(tool, tool.name, null),
    },
  );
  if (!chosen.ok) throw new Error(chosen.error.message);
  return { ...facts, apps: chosen.value.apps };
}

const SPECIALIST = ["read_document", "create_xlsx", "expand_result", "ask_human"];

export const SCENARIOS: readonly Scenario[] = [
  { name: "built-in agent", tools: () => BUILT_IN, facts: builtInFacts(), most: 2_500 },
  { name: "with 5 MCP servers", tools: () => [...BUILT_IN, ...serverTools(5)], facts: builtInFacts(), most: 2_500 },
  { name: "with 12,000 tools", tools: () => [...BUILT_IN, ...manyTools(12_000)], facts: builtInFacts(), most: 2_500 },
  { name: "with 50 skills", tools: () => [...BUILT_IN, ...uploadedSkills(50)], facts: builtInFacts(), most: 2_500 },
  {
    name: "with 12 assigned apps",
    tools: () => [...BUILT_IN, ...APP_TOOLS],
    facts: await chooseAppFacts(),
    most: 3_300,
  },
  { name: "subagent: general", tools: () => BUILT_IN, facts: builtInFacts(null), most: 2_500 },
  { name: "subagent: research", tools: () => BUILT_IN, facts: builtInFacts(RESEARCH_TOOLS), most: 1_600 },
  { name: "subagent: tool-specialist", tools: () => BUILT_IN, facts: builtInFacts(SPECIALIST), most: 1_500 },
];

/** The size of a scenario's first request, in tokens of each encoding. */
export async function measure({ tools, facts }: Scenario) {
  const toolset = await buildToolset(tools(), facts);
  const request = requestOf(facts, toolset);
  const text = toWireText(request);
  return { request, o200k: countTokens(text, "o200k"), cl100k: countTokens(text, "cl100k") };
}
