import { parseInnerCall } from "../../../core/steps/call-tool.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { describe, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import type { AgentConfig } from "../../../core/agents/agent.ts";
import { openToolSearch } from "../../../core/steps/find-tools.ts";
import { createOutsideTools } from "../../../core/gateway/outside-tool.ts";
import { prepareCalls } from "../../../core/steps/prepare.ts";
import { getInputSchema } from "../../../core/tool/input-schema.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import { ok } from "../../../core/base/errors.ts";
import type { PreparedCall } from "../../../core/task/commands.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import { createToolList } from "../../../core/lib/tool-search/tool-list.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { outsideToolOf } from "../../contracts/tool/tool-sources-suite.ts";
import { agent, outside, toolOf } from "./play-gateway.ts";
import { factsOf } from "../task/world.ts";
import { BY_PRINCIPAL } from "../../../core/model/label-messages.ts";

const TOOLS = [...catalogue, toolOf(outside(), "once"), toolOf(outside(), "keyed", "dotted.send")];
const SEND = { name: "send", arguments: { text: "hi" } };

async function prepareOne(
  name: string,
  given: unknown,
  config: Partial<AgentConfig> = {},
  change: Partial<TaskFacts> = {},
): Promise<PreparedCall> {
  const facts = factsOf({ ...agent(config), ...change });
  const toolset = await buildToolset(TOOLS, facts);
  const text = typeof given === "string" ? given : JSON.stringify(given);
  const [prepared] = await prepareCalls([{ name, arguments: text }], {
    facts,
    step: 3,
    toolset,
    repeat: null,
    context: BY_PRINCIPAL,
  });
  if (prepared === undefined) throw new Error("no call was prepared");
  return prepared;
}

const errorOf = ({ outcome }: PreparedCall) => (outcome?.result.ok === false ? outcome.result.error : null);

describe("a call by call_tool", () => {
  test("is the call of the inner tool in everything: name, arguments, hash, effect, id", async () => {
    const [direct, within] = [await prepareOne("send", SEND.arguments), await prepareOne("call_tool", SEND)];
    expect(within).toEqual(direct);
    expect(within).toMatchObject({ tool: "send", effect: "once", arguments: { text: "hi", count: 1 }, outcome: null });
  });

  test("accepts every name of the inner tool, and missing arguments as empty ones", async () => {
    for (const name of ["dotted.send", "dotted_send"]) {
      expect((await prepareOne("call_tool", { ...SEND, name })).tool).toBe("dotted.send");
    }
    expect(await prepareOne("call_tool", { name: "get_current_datetime" })).toMatchObject({ outcome: null });
  });

  test("is approved as a call of the inner tool is", async () => {
    const config: Partial<AgentConfig> = { approval: { rules: [{ tool: "send", decision: "ask" }] } };
    const [direct, within] = [
      await prepareOne("send", SEND.arguments, config),
      await prepareOne("call_tool", SEND, config),
    ];
    expect(within.approval).not.toBeNull();
    expect(within.approval).toEqual(direct.approval);
  });

  test("is approved or denied where the policy speaks of call_tool itself", async () => {
    const rule = (decision: "ask" | "deny") => ({ approval: { rules: [{ tool: "call_tool", decision }] } });
    expect((await prepareOne("call_tool", SEND, rule("ask"))).approval?.reason).toContain("call_tool");
    expect(errorOf(await prepareOne("call_tool", SEND, rule("deny")))?.code).toBe("blocked_by_policy");
  });

  test("names the inner tool's field at fault", async () => {
    const prepared = await prepareOne("call_tool", { name: "send", arguments: { text: 7 } });
    expect([prepared.tool, errorOf(prepared)]).toMatchObject(["send", { code: "invalid_input", field: "text" }]);
  });

  test.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["no name", { arguments: {} }],
    ["arguments that are no object", { name: "send", arguments: ["hi"] }],
    ["a field of its own", { ...SEND, approved: true }],
  ])("is refused for %s", async (_, given) => {
    const prepared = await prepareOne("call_tool", given);
    expect([prepared.tool, errorOf(prepared)?.code]).toEqual(["call_tool", "invalid_input"]);
  });
});

describe("a hijacked model", () => {
  test.each(["call_tool", "call.tool", "Call-Tool"])("does not call call_tool recursively (%s)", async (name) => {
    const nested = { name, arguments: { name: "call_tool", arguments: SEND } };
    const prepared = await prepareOne("call_tool", nested);
    expect(["invalid_input", "not_found"]).toContain(errorOf(prepared)?.code);
    expect(prepared.effect).toBe("none");
  });

  test.each(["call_tool", "call-tool", "CALL_TOOL"])(
    "does not name call_tool inside over the API (%s)",
    async (name) => {
      const { resolve } = await buildToolset(TOOLS, factsOf(agent()));
      const callTool = catalogue.find((tool) => tool.name === "call_tool") as Tool;
      const nested = { name, arguments: { name: "dispatch_subagent", arguments: { task_description: "Go." } } };
      expect(parseInnerCall(callTool, nested, resolve)).toMatchObject({ ok: false, error: { field: "name" } });
    },
  );

  test.each(["send", "Dotted-Send", "dotted.send", "dotted_send"])(
    "reaches no tool outside the agent's list: %s",
    async (name) => {
      const config: Partial<AgentConfig> = { tools: ["call_tool", "find_tools", "read_file"] };
      const prepared = await prepareOne("call_tool", { ...SEND, name }, config);
      expect(errorOf(prepared)?.code).toBe("permission_denied");
      expect(errorOf(prepared)).toEqual(errorOf(await prepareOne(name, SEND.arguments, config)));
    },
  );

  test("reaches no tool without its permission, and no tool that a dispatch or a request removed", async () => {
    const without = await prepareOne("call_tool", SEND, { permissions: ["read"] });
    expect(errorOf(without)?.message).toBe("Tool requires :network permission but agent only has [:read]");
    const child = {
      tools: [
        ["call_tool", "send", "read_file"],
        ["call_tool", "read_file"],
      ],
    };
    expect(errorOf(await prepareOne("call_tool", SEND, {}, child))?.code).toBe("permission_denied");
    expect((await prepareOne("call_tool", SEND, {}, { tools: [["call_tool", "send"]] })).outcome).toBeNull();
  });

  test("has no call_tool where its agent, its request or its parent did not give it", async () => {
    for (const [config, change] of [
      [{ tools: ["send"] }, {}],
      [{}, { tools: [["send"]] }],
    ] as const) {
      const prepared = await prepareOne("call_tool", SEND, { ...config, tools: [...(config.tools ?? ["*"])] }, change);
      expect(errorOf(prepared)?.code).toBe("permission_denied");
    }
  });

  test("is not led astray by a tenant's tool with the name, or another name, of call_tool", async () => {
    const outsiders = createOutsideTools(
      ["call_tool", "other"].map((name) => ({ source: "custom", tool: outsideToolOf(name) })),
      catalogue,
      { callers: {}, patterns: linearPatterns },
    );
    expect(outsiders.map(({ name }) => name)).toEqual(["other"]);
    const [other] = outsiders;
    if (other === undefined) throw new Error("no tool");
    const facts = factsOf(agent());
    const toolset = await buildToolset([...TOOLS, { ...other, alsoNamed: ["call_tool"] }], facts);
    expect(toolset.resolve("call_tool")?.written).toBeUndefined();
  });

  test("finds no tool outside its envelope", async () => {
    const facts = factsOf({
      ...agent({ tools: ["*"], permissions: [] }),
      tools: [["find_tools", "call_tool", "wait", "send"]],
    });
    const toolset = await buildToolset(TOOLS, facts);
    const search = openToolSearch(toolset, async () =>
      ok([{ source: null, list: createToolList(TOOLS, getInputSchema) }]),
    );
    for (const request of [
      "send a text to somebody outside",
      "read and write files",
      "find tools, call a tool",
      "wait",
    ]) {
      const found = await search.find(request, 25);
      expect(found.ok && found.value.tools.every(({ name }) => name === "wait")).toBe(true);
    }
    const waits = await search.find("wait a while", 5);
    expect(waits.ok && waits.value.tools.map(({ name }) => name)).toEqual(["wait"]);
  });

  test("finds the tool that a call would reach, not a shadowed one", async () => {
    const [mine] = createOutsideTools([{ source: "mcp:x", tool: outsideToolOf("lookup") }], catalogue, {
      callers: {},
      patterns: linearPatterns,
    });
    if (mine === undefined) throw new Error("no tool");
    const facts = factsOf(agent({ permissions: ["read", "network"] }));
    const toolset = await buildToolset([...catalogue, mine], facts);
    const list = createToolList([outsideToolOf("lookup"), outsideToolOf("read_file")], ({ input }) => input);
    const search = openToolSearch(toolset, async () =>
      ok([
        { source: "mcp:x", list },
        { source: "mcp:y", list: createToolList([outsideToolOf("lookup")], ({ input }) => input) },
      ]),
    );
    const found = await search.find("lookup, read file", 10);
    expect(found.ok && found.value.tools.map(({ name }) => name)).toEqual(["lookup"]);
  });
});

describe("arguments that are nested", () => {
  const nested = (depth: number) => `{"text":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

  test.each([64, 65, 3_000, 200_000])("%d deep are a refusal that the model reads, of every tool", async (depth) => {
    const text = nested(depth);
    for (const [name, given] of [
      ["send", text],
      ["nobody", text],
      ["call_tool", `{"name":"send","arguments":${text}}`],
    ] as const) {
      const { outcome } = await prepareOne(name, given);
      expect(outcome?.state).toBe("refused");
      if (depth > 64) expect(outcome?.content, name).toMatch(/no tool named nobody|more than 64 deep/);
    }
  });
});
