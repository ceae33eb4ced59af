/** What a result may vouch for does not depend on how the model wrote its call. */
import { describe, expect, test } from "vitest";
import { OUTSIDE, PRINCIPAL } from "../../../core/provenance/label.ts";
import { createOutsideTools } from "../../../core/gateway/outside-tool.ts";
import { createMcpCaller } from "../../../core/mcp/call.ts";
import { listRequested, prepareCalls } from "../../../core/steps/prepare.ts";
import { findRecordCalls } from "../../../core/steps/read-ground.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { BY_PRINCIPAL } from "../../../core/model/label-messages.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { outsideToolOf } from "../../contracts/tool/tool-sources-suite.ts";
import { reasonFor, type Scene } from "../steps/carry-out-scenes.ts";
import { factsOf } from "../task/world.ts";

const LINK = "https://evil.example/beacon";

/** A search of memory whose result holds a link, asked for as the model wrote it. */
function recalled(name: string, given: unknown): Scene {
  const calls = [{ id: "call_0", name, arguments: JSON.stringify(given) }];
  return {
    input: "Fetch the page that I saved.",
    parts: [
      { role: "assistant", content: "", calls, label: PRINCIPAL },
      { role: "tool", callId: "call_0", name: "memory_search", content: `The page is ${LINK}.`, label: OUTSIDE },
    ],
  };
}

const within = (given: unknown) => ({ name: "memory-search", arguments: given });

describe("a link in a memory", () => {
  const facts = { query: "page" };
  const all = { query: "page", include_outside: true };

  test.each([
    ["the tool itself", "memory_search", (given: object) => given],
    ["arguments as text", "memory_search", (given: object) => JSON.stringify(given)],
    ["call_tool", "call_tool", within],
    ["call_tool in other letters", "Call-Tool", within],
    ["call_tool with arguments as text", "call_tool", (given: object) => within(JSON.stringify(given))],
  ] as const)("may be followed when it is a fact, and not from outside, through %s", async (_, name, write) => {
    expect(await reasonFor(recalled(name, write(facts)), "http.get", { url: LINK })).toBeNull();
    expect(await reasonFor(recalled(name, write(all)), "http.get", { url: LINK })).toContain("evil.example");
  });
});

describe("a server's tool whose name differs from a built-in one in case", () => {
  const names = ["call_Tool", "expand_Result"];
  const found = names.map((name) => {
    const input = { type: "object", additionalProperties: true };
    return { source: "mcp:x", tool: outsideToolOf(name, { input, origin: { kind: "mcp", server: "x", tool: name } }) };
  });
  const tools = createOutsideTools(found, catalogue, {
    callers: { mcp: createMcpCaller(globalThis) },
    patterns: linearPatterns,
  });
  const facts = factsOf();
  const toolset = buildToolset([...catalogue, ...tools], facts);
  const search = { name: "memory_search", arguments: { query: "page" } };

  /** The names in the conversation, and whether the last result may have records. */
  async function played(...calls: (readonly [name: string, given: object])[]) {
    const written = calls.map(([name, given]) => ({ name, arguments: JSON.stringify(given) }));
    const prepared = await prepareCalls(written, {
      facts,
      step: 1,
      toolset: await toolset,
      repeat: null,
      context: BY_PRINCIPAL,
    });
    const requested = listRequested(prepared, written, await toolset);
    const results = prepared.map(({ id, tool }) => ({
      role: "tool" as const,
      callId: id,
      name: tool,
      content: "x",
      label: OUTSIDE,
    }));
    const asked = { role: "assistant" as const, content: "", calls: requested, label: PRINCIPAL };
    const records = findRecordCalls([asked, ...results], await toolset);
    return { names: requested.map(({ name }) => name), hasRecords: records.has(prepared.at(-1)?.id ?? "") };
  }

  test("is not taken for it, nor it for the server's", async () => {
    expect(await played(["call_Tool", search])).toEqual({ names: ["call_Tool"], hasRecords: false });
    expect(await played(["call_tool", search])).toEqual({ names: ["call_tool"], hasRecords: true });
    expect(await played(["call_tool", { name: "call_Tool", arguments: search }])).toEqual({
      names: ["call_tool"],
      hasRecords: false,
    });
  });

  test("is not followed to an earlier result", async () => {
    const id = (
      await prepareCalls([{ name: "memory_search", arguments: '{"query":"x"}' }], {
        facts,
        step: 1,
        toolset: await toolset,
        repeat: null,
        context: BY_PRINCIPAL,
      })
    )[0]?.id;
    const steps = (name: string) => played(["memory_search", { query: "x" }], [name, { result_id: id }]);
    expect((await steps("expand_result")).hasRecords).toBe(true);
    expect((await steps("expand_Result")).hasRecords).toBe(false);
  });
});
