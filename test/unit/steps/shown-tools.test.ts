import { beforeAll, describe, expect, test } from "vitest";
import { BY_PRINCIPAL } from "../../../core/model/label-messages.ts";
import { checkEnvelope } from "../../../core/gateway/envelope.ts";
import { prepareCalls } from "../../../core/steps/prepare.ts";
import { CORE_TOOLS, MAX_NAMED_CHARACTERS } from "../../../core/steps/shown-tools.ts";
import { buildToolset, type Toolset } from "../../../core/steps/toolset.ts";
import { getCurrentFacts } from "../../../core/task/skills-in-force.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { SkillInForce } from "../../../core/skills/skill.ts";
import { shippedTools } from "../../../core/tool/shipped-skills.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { madeTools } from "../../../bench/tool-search/made-tools.ts";
import { RESEARCH_TOOLS } from "../../../tools/agents/subagent-tools.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { BUILT_IN, builtInFacts, manyTools, requestOf, serverTools, uploadedSkills } from "../prompt/first-request.ts";

const SEARCH_TOOLS = ["find_tools", "call_tool"];
const FIRST = [...CORE_TOOLS, ...SEARCH_TOOLS];

let many: readonly Tool[];
beforeAll(() => {
  many = [...BUILT_IN, ...manyTools(12_000)];
});

/** A task of the built-in agent with this list of tools. */
function factsWith(tools: readonly string[], change: Partial<TaskFacts> = {}): TaskFacts {
  const facts = builtInFacts();
  const config = { ...facts.agent.config, tools: [...tools] };
  return { ...facts, agent: { ...facts.agent, config }, ...change };
}

async function namesShown(facts: TaskFacts, tools: readonly Tool[] = BUILT_IN): Promise<string[]> {
  return (await buildToolset(tools, facts)).specs.map(({ name }) => name);
}

function describeSearch({ specs }: Toolset): string {
  return specs.find(({ name }) => name === "find_tools")?.description ?? "";
}

describe("the tools in a request", () => {
  test("are the core and the two that find others, with few tools and with any number", async () => {
    for (const tools of [BUILT_IN, [...BUILT_IN, ...serverTools(5)], [...BUILT_IN, ...uploadedSkills(50)], many])
      expect(await namesShown(builtInFacts(), tools)).toEqual(FIRST);
  });

  test("are the core within the envelope", async () => {
    const shown = await namesShown(factsWith(["read_*", "grep", "unit_convert"], {}));
    expect(shown).toEqual(["read_file", "grep", "unit_convert", ...SEARCH_TOOLS]);
  });

  test("include what the agent lists by name, as far as there is room", async () => {
    const [one = "", two = ""] = madeTools(2).map(({ name }) => name);
    expect(await namesShown(factsWith(["*", one, two, "create_pdf"]), many)).toEqual([
      ...CORE_TOOLS,
      "create_pdf",
      one,
      two,
      ...SEARCH_TOOLS,
    ]);
    const all = await buildToolset(many, factsWith(["*", ...madeTools(199).map(({ name }) => name)]));
    const named = all.specs.filter(({ name }) => !FIRST.includes(name));
    const characters = named.reduce((sum, spec) => sum + JSON.stringify(spec).length, 0);
    expect(characters).toBeLessThanOrEqual(MAX_NAMED_CHARACTERS);
    expect(named.length).toBeGreaterThan(20);
  });

  test("show an alias that the agent lists by name instead of its twin", async () => {
    const shown = await namesShown(factsWith(["*", "fs.read", "search_in_files"]));
    expect(shown).toEqual(FIRST.map((name) => ({ read_file: "fs_read", grep: "search_in_files" })[name] ?? name));
  });

  test("show one tool of each ability, also when both names are listed", async () => {
    const shown = await namesShown(factsWith(["read_file", "fs.read", "http.get", "http.post", "http_request"]));
    expect(shown).toEqual(["read_file", "http_request"]);
  });

  test("show an alias whose twin is outside the envelope in the place of the twin", async () => {
    expect(await namesShown(builtInFacts(["http.*", "fs.read", "list_directory"]))).toEqual([
      "fs_read",
      "list_directory",
      "http_get",
      "http_post",
    ]);
  });

  test("include what a narrowing names, while the request stays small", async () => {
    const specialist = ["read_document", "create_xlsx", "ask_human"];
    expect(await namesShown(builtInFacts(specialist))).toEqual(["ask_human", "create_xlsx", "read_document"]);
    const research = await namesShown(builtInFacts(RESEARCH_TOOLS));
    expect(research).toEqual(expect.arrayContaining(["read_file", "http_get", "find_tools"]));
    expect(research).not.toContain("read_document");
  });

  test("leave out the two that find others when everything is shown", async () => {
    const facts = factsWith(["read_file", "unit_convert"]);
    const toolset = await buildToolset(many, facts);
    expect(toolset.names).toEqual(["read_file", "unit_convert"]);
    const [prepared] = await prepareCalls([{ name: "find_tools", arguments: '{"query":"x"}' }], {
      facts,
      step: 1,
      toolset,
      repeat: null,
      context: BY_PRINCIPAL,
    });
    expect(prepared?.outcome?.result).toMatchObject({ ok: false, error: { code: "permission_denied" } });
  });

  test("are those of the envelope only, also in the index and behind a search", async () => {
    const toolset = await buildToolset(many, factsWith(["nimbo_*", "read_file"]));
    expect(toolset.specs.map(({ name }) => name)).toEqual(["read_file", ...SEARCH_TOOLS]);
    expect(describeSearch(toolset)).not.toContain("tarvel");
    expect(toolset.findable.filter((name) => !name.startsWith("nimbo_"))).toEqual(["read_file"]);
    expect(toolset.specOf("write_file")).toBeNull();
    expect(toolset.specOf("nimbo_banks_get_account")?.name).toBe("nimbo_banks_get_account");
  });

  test("are the same to the byte from step to step, and in another isolate", async () => {
    const facts = builtInFacts();
    const toolset = await buildToolset(many, facts);
    const text = (step: number, of: Toolset) => JSON.stringify(requestOf(facts, of, step));
    expect(text(2, toolset)).toBe(text(1, toolset));
    expect(text(7, await buildToolset([...many], facts))).toBe(text(1, toolset));
  });

  test("change once when a loaded skill lists tools, and not when it lists none", async () => {
    const facts = builtInFacts();
    const specsWith = async (...loaded: SkillInForce[]) =>
      JSON.stringify((await buildToolset(BUILT_IN, getCurrentFacts({ facts, loaded }))).specs);
    const skill = { name: "s", slug: "s", hash: "h", how: "load", similarity: null } as const;
    const open = { ...skill, allowedTools: null };
    const narrow = { ...skill, allowedTools: ["read_file", "create_pdf"] };
    expect(await specsWith(open)).toBe(await specsWith());
    const narrowed = JSON.parse(await specsWith(narrow)) as readonly { name: string }[];
    expect(narrowed.map(({ name }) => name)).toEqual(["ask_human", "read_file", "create_pdf"]);
    expect(await specsWith(narrow, open)).toBe(JSON.stringify(narrowed));
  });

  test("do not prevent a model from calling a tool or an alias that is not shown", async () => {
    const facts = builtInFacts();
    const toolset = await buildToolset(many, facts);
    const requested = [
      { name: "ostra_banks_get_account", arguments: '{"account_id":"7"}' },
      { name: "wait", arguments: '{"seconds":1}' },
      { name: "fs_read", arguments: '{"file_path":"a.md"}' },
      { name: "convert_markdown_to_docx", arguments: '{"markdown_content":"a","output_filename":"a.docx"}' },
    ];
    const prepared = await prepareCalls(requested, { facts, step: 1, toolset, repeat: null, context: BY_PRINCIPAL });
    expect(prepared.map(({ tool, outcome }) => [tool, outcome])).toEqual(
      ["ostra_banks_get_account", "wait", "fs.read", "convert_markdown_to_docx"].map((name) => [name, null]),
    );
  });

  test("are all in the index or in the request: no tool of the built-in agent is hidden from its model", async () => {
    const toolset = await buildToolset(catalogue, builtInFacts());
    const text = JSON.stringify(toolset.specs);
    const inside = catalogue.filter((tool) => checkEnvelope(tool, builtInFacts()).ok && tool.aliasOf === undefined);
    for (const { name } of inside) expect(text).toContain(name.replaceAll(".", "_"));
    expect(inside.length).toBeGreaterThan(30);
  });

  test.each(shippedTools)("has for a task under $name every tool that the skill lists by name", async ({ origin }) => {
    const allowed = origin.kind === "skill" ? (origin.skill.allowedTools ?? []) : [];
    const facts = builtInFacts(["ask_human", ...allowed]);
    const config = { ...facts.agent.config, permissions: [...facts.agent.config.permissions, "exec" as const] };
    const toolset = await buildToolset(BUILT_IN, { ...facts, agent: { ...facts.agent, config } });
    const shown = toolset.specs.map(({ name }) => name);
    const text = JSON.stringify(toolset.specs);
    const twins = new Map(catalogue.map(({ name, aliasOf }) => [name, aliasOf]));
    const named = allowed.filter((name) => twins.has(name) && !allowed.includes(twins.get(name) ?? ""));
    expect(named.length).toBeGreaterThan(2);
    for (const name of named) expect(text).toContain(name.replaceAll(".", "_"));
    expect(shown).toEqual(expect.arrayContaining(["ask_human", "read_file", "list_directory", "write_file"]));
    for (const name of toolset.findable) expect(text).toContain(name.replaceAll(".", "_"));
  });

  test("have no bounds in their schemas, which the gateway checks", async () => {
    const { specs } = await buildToolset(catalogue, factsWith(["*", ...catalogue.map(({ name }) => name)]));
    const text = JSON.stringify(specs.map(({ parameters }) => parameters));
    for (const bound of [
      "maxLength",
      "minLength",
      'pattern":"',
      "minimum",
      "maximum",
      "maxItems",
      "additionalProperties",
      'default":',
    ])
      expect(text).not.toContain(bound);
  });
});
