/** What an operation sends as ids, and what it makes of a result without a type. */
import { afterEach, describe, expect, it } from "vitest";
import { openMcp } from "../../../adapters/mcp/mcp.ts";
import type { McpServer } from "../../../adapters/mcp/server.ts";
import { ok } from "../../../core/base/errors.ts";
import type { McpPort } from "../../../core/ports/mcp.ts";
import { noProcesses } from "../../fakes/mcp.ts";
import { makeDirectWeb } from "../../mock-servers/direct-web.ts";
import { type McpMockServer, type McpMockServerOptions, startMcpServer } from "../../mock-servers/mcp-server.ts";
import { callOf, tool } from "./suite.ts";

let mockServer: McpMockServer | null = null;

afterEach(async () => {
  await mockServer?.close();
  mockServer = null;
});

async function portTo(options: McpMockServerOptions): Promise<McpPort> {
  const { url } = (mockServer = await startMcpServer({ tools: () => [tool("echo")], ...options }));
  const server: McpServer = { name: "notes", url, headers: [], version: 1, prior: null, process: null, oauth: null };
  return openMcp({
    web: makeDirectWeb(),
    processes: noProcesses,
    tenant: crypto.randomUUID(),
    find: () => Promise.resolve(ok(server)),
    consent: null,
    noteListChanged: () => Promise.resolve(),
    noteGrantEnded: () => Promise.resolve(),
  });
}

const idsOf = () => (mockServer?.received ?? []).flatMap(({ id }) => (id === undefined ? [] : [id]));

describe("an operation", () => {
  it("uses no id again in a session", async () => {
    const mcp = await portTo({ revision: "2025-11-25" });
    for (let call = 0; call < 3; call += 1) expect(await mcp.call(callOf())).toMatchObject({ ok: true });
    const ids = idsOf().filter((id) => typeof id === "number");
    expect(ids.length).toBe(4);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => Number.isInteger(id) && id > 0 && id < 2 ** 31)).toBe(true);
  });

  it("uses another id when it repeats a call with answers", async () => {
    const mcp = await portTo({ answer: () => ({ resultType: "complete", content: [] }) });
    await mcp.call(callOf());
    await mcp.call(callOf({ answers: { key: { action: "decline" } } }));
    const [first, second] = (mockServer?.received ?? []).filter(({ method }) => method === "tools/call");
    expect(first?.id).toEqual(expect.any(Number));
    expect(second?.id).toEqual(expect.any(Number));
    expect(first?.id).not.toBe(second?.id);
  });

  it("cancels a call by the id that it sent", async () => {
    const mcp = await portTo({
      revision: "2025-11-25",
      takeOver: ({ method }) => method === "tools/call",
    });
    expect(await mcp.call(callOf({ timeoutMs: 1_000 }))).toMatchObject({ ok: false, error: { code: "timeout" } });
    const received = mockServer?.received ?? [];
    const called = received.find(({ method }) => method === "tools/call");
    const cancelled = received.find(({ method }) => method === "notifications/cancelled");
    expect(cancelled?.params).toMatchObject({ requestId: called?.id });
  });

  it("reads a result without a type as complete", async () => {
    const mcp = await portTo({ answer: () => ({ content: [{ type: "text", text: "done" }] }) });
    expect(await mcp.call(callOf())).toMatchObject({
      ok: true,
      value: { kind: "result", content: [{ type: "text", text: "done" }] },
    });
  });
});
