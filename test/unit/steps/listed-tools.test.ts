import { describe, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { madeTools } from "../../../bench/tool-search/made-tools.ts";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { createOutsideTools } from "../../../core/gateway/outside-tool.ts";
import { prepareCalls } from "../../../core/steps/prepare.ts";
import { MAX_ALL_CHARACTERS, MAX_LISTED_CHARACTERS } from "../../../core/steps/listed-tools.ts";
import { checkEnvelope } from "../../../core/gateway/envelope.ts";
import { buildToolset, toSpec } from "../../../core/steps/toolset.ts";
import { buildRequest } from "../../../core/steps/context.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { outsideToolOf } from "../../contracts/tool/tool-sources-suite.ts";
import { factsOf } from "../task/world.ts";
import { BY_PRINCIPAL } from "../../../core/model/label-messages.ts";

const MOST_BYTES = 8_192;
const SEARCH_TOOLS = ["find_tools", "call_tool"];

function outside(count: number): Tool[] {
  const found = madeTools(count).map(({ name, summary, toolbox, input }) => ({
    source: "custom",
    tool: { ...outsideToolOf(name, { input }), summary, toolbox },
  }));
  return createOutsideTools(found, catalogue, { callers: {}, patterns: linearPatterns });
}

const MANY = [...catalogue, ...outside(12_000)];

function defaultFacts(tools: readonly string[] = ["*"], change: Partial<TaskFacts> = {}): TaskFacts {
  return factsOf({ agent: { ...DEFAULT_AGENT, config: { ...DEFAULT_AGENT.config, tools: [...tools] } }, ...change });
}

async function listTools(facts: TaskFacts, tools: readonly Tool[] = MANY): Promise<string[]> {
  return (await buildToolset(tools, facts)).specs.map(({ name }) => name);
}

function requestAt(facts: TaskFacts, toolset: Awaited<ReturnType<typeof buildToolset>>, step: number) {
  const job = {
    facts,
    step,
    attempt: 1,
    final: false,
    model: "some-model",
    messages: [{ role: "user" as const, content: "Pay the invoice of last month." }],
    maxOutputTokens: 1000,
    timeoutMs: 1000,
    repeat: null,
    context: BY_PRINCIPAL,
  };
  const { messages, tools } = buildRequest(job, toolset, new AbortController().signal);
  return { messages, tools: tools.map((tool) => ({ type: "function", function: tool })) };
}

/** The built-in tools that the default agent has: all that are not off and need no `exec`. */
const inReach = () => catalogue.filter((tool) => checkEnvelope(tool, defaultFacts()).ok);

describe("the tools in a request", () => {
  test("is every tool while they are few, without those that find others", async () => {
    const listed = await listTools(defaultFacts(), [...catalogue, ...outside(5)]);
    expect(listed.length).toBe(inReach().length - SEARCH_TOOLS.length + 5);
    for (const name of SEARCH_TOOLS) expect(listed).not.toContain(name);
  });

  test("is every built-in tool, whatever the default agent's model reads of them", async () => {
    const characters = catalogue.reduce(
      (sum, tool) => sum + JSON.stringify(toSpec(tool, tool.name, null)).length + 60,
      0,
    );
    expect(characters).toBeLessThan(MAX_ALL_CHARACTERS);
    expect(await listTools(defaultFacts(), catalogue)).toHaveLength(inReach().length - SEARCH_TOOLS.length);
  });

  test("holds examples only while they cost little", async () => {
    const describe = async (tools: readonly Tool[]) =>
      (await buildToolset(tools, defaultFacts())).specs.map(({ description }) => description).join("\n");
    expect(await describe(catalogue.slice(0, 10))).toContain("Example (");
    expect(await describe(catalogue)).not.toContain("Example (");
  });

  test("with 12,000 tools in reach is at most 8 KB of first request, with the tools that find the others", async () => {
    const facts = defaultFacts();
    const request = requestAt(facts, await buildToolset(MANY, facts), 1);
    expect(new TextEncoder().encode(JSON.stringify(request)).length).toBeLessThanOrEqual(MOST_BYTES);
    const names = request.tools.map((tool) => tool.function.name);
    expect(names.slice(0, 2)).toEqual(SEARCH_TOOLS);
    for (const name of [...SEARCH_TOOLS, "ask_human", "read_file", "write_file"]) expect(names).toContain(name);
  });

  test("is the same to the byte from step to step, and in another isolate", async () => {
    const facts = defaultFacts();
    const toolset = await buildToolset(MANY, facts);
    const first = JSON.stringify(requestAt(facts, toolset, 1));
    expect(JSON.stringify(requestAt(facts, toolset, 2))).toBe(first);
    expect(JSON.stringify(requestAt(facts, await buildToolset([...MANY], facts), 7))).toBe(first);
  });

  test("holds the tools that the agent names one by one, as far as there is room", async () => {
    const [one, two] = madeTools(2).map(({ name }) => name);
    const listed = await listTools(defaultFacts(["*", one ?? "", two ?? ""]));
    expect(listed).toEqual(expect.arrayContaining([one, two]));
    const all = await buildToolset(MANY, defaultFacts(["*", ...madeTools(190).map(({ name }) => name)]));
    const characters = all.specs.reduce((sum, spec) => sum + JSON.stringify(spec).length, 0);
    expect(characters).toBeLessThanOrEqual(MAX_LISTED_CHARACTERS);
  });

  test("are the tools of the envelope only, also behind a search", async () => {
    const facts = defaultFacts(["nimbo_*", "read_file"]);
    const toolset = await buildToolset(MANY, facts);
    expect(toolset.specs.map(({ name }) => name)).toEqual(["find_tools", "call_tool", "read_file"]);
    expect(toolset.names.filter((name) => !name.startsWith("nimbo_"))).toEqual(
      expect.arrayContaining([...SEARCH_TOOLS, "read_file"]),
    );
    expect(toolset.specOf("write_file")).toBeNull();
    expect(toolset.specOf("tarvel_banks_get_account")).toBeNull();
    expect(toolset.specOf("nimbo_banks_get_account")?.name).toBe("nimbo_banks_get_account");
  });

  test("omit the tools that find others while all tools are listed", async () => {
    const facts = defaultFacts(["read_file"]);
    const toolset = await buildToolset(MANY, facts);
    expect(toolset.names).toEqual(["read_file"]);
    const [prepared] = await prepareCalls([{ name: "find_tools", arguments: '{"query":"x"}' }], {
      facts,
      step: 1,
      toolset,
      repeat: null,
      context: BY_PRINCIPAL,
    });
    expect(prepared?.outcome?.result).toMatchObject({ ok: false, error: { code: "permission_denied" } });
  });

  test("do not prevent a model from calling an unlisted tool by name", async () => {
    const facts = defaultFacts();
    const toolset = await buildToolset(MANY, facts);
    const name = "ostra_banks_get_account";
    expect(toolset.specs.some((spec) => spec.name === name)).toBe(false);
    const requested = [
      { name, arguments: '{"account_id":"7"}' },
      { name: "wait", arguments: '{"seconds":1}' },
    ];
    const prepared = await prepareCalls(requested, { facts, step: 1, toolset, repeat: null, context: BY_PRINCIPAL });
    expect(prepared.map(({ tool, outcome }) => [tool, outcome])).toEqual([
      [name, null],
      ["wait", null],
    ]);
  });
});
