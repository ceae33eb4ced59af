/** The order of a step's calls of a tenant's own tools: an MCP server's media become files, an HTTP tool's reply does not. */
import { expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { findUnblocked } from "../../../core/task/call-order.ts";
import { httpCaller } from "../../../core/steps/http-caller.ts";
import { createOutsideTools } from "../../../core/gateway/outside-tool.ts";
import { createMcpCaller } from "../../../core/mcp/call.ts";
import type { EffectClass } from "../../../core/tool/tool.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { outsideToolOf } from "../../contracts/tool/tool-sources-suite.ts";
import { agent, prepare } from "../steps/play-gateway.ts";
import { factsOf } from "./world.ts";

const input = { type: "object" };
const ofServer = (server: string, name: string, effect: EffectClass) => {
  const tool = outsideToolOf(name, { input, effect, origin: { kind: "mcp", server, tool: name } });
  return { source: `mcp:${server}`, tool };
};
const OWN = createOutsideTools(
  [
    ofServer("browser", "screenshot", "none"),
    ofServer("browser", "click", "once"),
    ofServer("linear", "get_issue", "none"),
    { source: "custom", tool: outsideToolOf("crm_find", { input }) },
  ],
  catalogue,
  { callers: { http: httpCaller, mcp: createMcpCaller(globalThis) }, patterns: linearPatterns },
);
const FACTS = factsOf(agent({ permissions: ["network", "read", "write", "exec"] }));
const GIVEN: Readonly<Record<string, object>> = {
  run_command: { command: "ls" },
  list_directory: {},
  attach_file: { filename: "a.md" },
  write_file: { filename: "a.md", content: "a" },
  memory_search: { query: "a" },
};

/** The tools of the calls that no earlier call blocks. */
async function findFree(...names: string[]): Promise<string[]> {
  const calls = names.map((name) => ({ name, arguments: JSON.stringify(GIVEN[name] ?? {}) }));
  const prepared = await prepare([...catalogue, ...OWN], calls, FACTS);
  expect(prepared.map(({ outcome }) => outcome)).toEqual(names.map(() => null));
  return findUnblocked(prepared).map(({ tool }) => tool);
}

test.each(["run_command", "list_directory", "attach_file", "write_file"])(
  "%s follows the open calls of an MCP server, which may write files, and they follow it",
  async (name) => {
    expect(await findFree("screenshot", name)).toEqual(["screenshot"]);
    expect(await findFree(name, "screenshot")).toEqual([name]);
  },
);

test("calls of MCP servers run together, unless one changes what is on the server of another", async () => {
  expect(await findFree("screenshot", "get_issue", "screenshot", "memory_search")).toEqual([
    "screenshot",
    "get_issue",
    "screenshot",
    "memory_search",
  ]);
  expect(await findFree("screenshot", "click", "get_issue")).toEqual(["screenshot", "get_issue"]);
});

test("an HTTP tool's call and calls that touch files run together", async () => {
  for (const name of ["run_command", "list_directory", "attach_file"])
    expect(await findFree("crm_find", name, "crm_find")).toEqual(["crm_find", name, "crm_find"]);
});
