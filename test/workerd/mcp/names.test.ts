/** The names of the tools of several MCP servers that are set at once: each means one tool. */
import { expect, inject, it } from "vitest";
import { makeCaller } from "../http/entry.ts";

/** A server that lists one tool. */
async function serving(name: string): Promise<{ readonly url: string }> {
  const { mcpUrl } = inject("servers");
  const id = crypto.randomUUID();
  const tools = [{ name, description: `Does ${name}.`, inputSchema: { type: "object" } }];
  await fetch(`${mcpUrl}/set/${id}`, { method: "PUT", body: JSON.stringify({ tools }) });
  return { url: `${mcpUrl}/mcp/${id}` };
}

it("servers that are set at once get other names for tools whose names would be the same", async () => {
  const caller = await makeCaller();
  const mcpServers = {
    a: await serving("b_c_d"),
    a_b: await serving("c_d"),
    a_b_c: await serving("d"),
    "a.b": await serving("c.d"),
  };
  const set = await caller.send("PUT", "/v1/mcp-servers", { mcpServers });
  expect(set.status, set.text).toBe(200);
  expect(set.json.data.map(({ tool_count }: { tool_count: number }) => tool_count)).toEqual([1, 1, 1, 1]);
  const found: { name: string }[] = (await caller.send("GET", "/v1/tools")).json.data.filter(
    ({ toolbox }: { toolbox: string }) => toolbox.startsWith("mcp:"),
  );
  const names = new Set(found.map(({ name }) => name));
  expect(names.size).toBe(4);
  expect(names).toContain("a_b_c_d");
  for (const name of names) expect(name).toMatch(/^a_b_c_d(?:_[0-9a-f]{10})?$/);
});
