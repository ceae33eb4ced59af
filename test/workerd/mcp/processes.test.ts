/** MCP servers that the sidecar runs as processes: set by the API, called by it and by a model. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";

/** Where `test/setup/workerd-servers.ts` has the cages find the programs. */
const PROGRAM = "/opt/shared/stdio-unruly.mjs";
let caller: Caller;

beforeEach(async () => {
  caller = await makeCaller();
});

const add = (more: Record<string, unknown> = {}) =>
  caller.send("POST", "/v1/mcp-servers", { name: "notes", command: "node", args: [PROGRAM], trusted: true, ...more });

const call = async (tool: string) =>
  (await caller.send("POST", `/v1/tools/notes_${tool}/call`, { arguments: {} })).json;

describe("a server that is a process", () => {
  it("is added, listed, called, reloaded and removed, and no answer shows a value of its environment", async () => {
    const env = { API_KEY: "canary-4a4e", MODE: "dry" };
    const added = await add({ env, network: ["API.example.com"] });
    expect(added.status, added.text).toBe(201);
    expect(added.json).toMatchObject({
      name: "notes",
      url: null,
      process: { command: "node", args: [PROGRAM], env: ["API_KEY", "MODE"], network: ["api.example.com"] },
      status: "connected",
      protocol_version: "2025-11-25",
    });
    expect(added.json.tools).toContainEqual(expect.objectContaining({ name: "notes_count", effect: "none" }));
    expect(await call("count")).toEqual({ ok: true, result: "1" });
    expect(await call("count")).toEqual({ ok: true, result: "2" });
    expect((await caller.send("POST", "/v1/mcp-servers/notes/reload")).json.status).toBe("connected");
    for (const path of ["/v1/mcp-servers", "/v1/mcp-servers/notes", "/v1/audit", "/v1/tools/notes_count"])
      expect((await caller.send("GET", path)).text).not.toContain("canary-4a4e");
    expect((await caller.send("DELETE", "/v1/mcp-servers/notes")).status).toBe(204);
    expect((await call("count")).ok).not.toBe(true);
  });

  it("is one of those that a configuration names", async () => {
    const given = { notes: { command: "node", args: [PROGRAM], trusted: true }, gone: { command: "no-such-program" } };
    const all = await caller.send("PUT", "/v1/mcp-servers", { mcpServers: given });
    expect(all.json.data).toMatchObject([
      { name: "gone", status: "failed", error: expect.stringContaining("no-such-program") },
      { name: "notes", status: "connected" },
    ]);
    expect(await call("count")).toEqual({ ok: true, result: "1" });
  });

  it("gets a secret by its name if that is allowed, and returns none", async () => {
    const secret = { name: "NOTES_KEY", value: "canary-77aa", hosts: ["api.example.com"] };
    await caller.send("POST", "/v1/secrets", secret);
    const env = { TOKEN: "Bearer ${NOTES_KEY}" };
    expect((await add({ env, network: ["api.example.com"] })).json.status).toBe("connected");
    const reply = await call("env");
    expect(JSON.parse(reply.result)).toMatchObject({ TOKEN: "Bearer {{secret.NOTES_KEY}}" });
    const open = await add({ env, network: ["api.example.com", "*.example.org"] });
    expect(open.json).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/NOTES_KEY is not bound to \*\.example\.org/),
    });
    expect((await add({ env: { TOKEN: "${OTHER}" } })).json.error).toMatch(/no secret named OTHER/);
  });

  it("ends when a secret that it may have is replaced or deleted", async () => {
    const secret = { name: "NOTES_KEY", value: "canary-91bd", hosts: ["api.example.com"] };
    await caller.send("POST", "/v1/secrets", secret);
    await add({ env: { TOKEN: "${NOTES_KEY}" } });
    expect(await call("count")).toEqual({ ok: true, result: "1" });
    await caller.send("PUT", "/v1/secrets/NOTES_KEY", { value: secret.value, hosts: ["other.example.com"] });
    expect(await call("count")).toEqual({ ok: true, result: "1" });
    await caller.send("DELETE", "/v1/secrets/NOTES_KEY");
    await caller.send("POST", "/v1/secrets", secret);
    expect(await call("count")).toEqual({ ok: true, result: "1" });
  });

  it("is another server with other arguments: nothing that was agreed to before counts", async () => {
    const before = await add();
    const after = await add({ args: [PROGRAM, "banner"] });
    expect(after.json.status).toBe("connected");
    expect(await call("count")).toEqual({ ok: true, result: "1" });
    expect(after.json.hash).toBe(before.json.hash);
  });

  it.each([
    ["its server is removed", async () => await caller.send("DELETE", "/v1/mcp-servers/notes")],
    ["a configuration leaves it out", async () => await caller.send("PUT", "/v1/mcp-servers", { mcpServers: {} })],
    [
      "its server is at a URL",
      async () => await add({ command: undefined, args: undefined, url: "https://a.example.com/" }),
    ],
    [
      "the tenant is stopped",
      async () => {
        await caller.send("POST", "/v1/kill-switch/stop", {});
        await caller.send("POST", "/v1/kill-switch/release", {});
      },
    ],
  ])("ends when %s", async (_when, happen) => {
    await add();
    expect([await call("count"), await call("count")]).toMatchObject([{ result: "1" }, { result: "2" }]);
    await happen();
    await add();
    expect(await call("count")).toMatchObject({ result: "1" });
  });

  it.each([
    [{ type: "stdio" }, "command"],
    [{ command: "node", url: "https://example.com/" }, "url"],
    [{ command: "node", transport: "http" }, "command"],
    [{ command: "${NODE}" }, "command"],
    [{ command: "node", args: ["${key}"] }, "args.0"],
    [{ command: "node", env: { A: "${B:-c}" } }, "env.A"],
    [{ command: "node", env: { HTTPS_PROXY: "http://example.com" } }, "env.HTTPS_PROXY"],
    [{ command: "node", network: ["https://example.com/"] }, "network.0"],
  ])("is refused as %j, which names %s", async (server, field) => {
    const one = await caller.send("POST", "/v1/mcp-servers", { name: "notes", ...server });
    expectProblem(one, 422, field);
    const all = await caller.send("PUT", "/v1/mcp-servers", { mcpServers: { notes: server } });
    expectProblem(all, 422, `mcpServers.notes.${field}`);
    expect((await caller.send("GET", "/v1/mcp-servers")).json.data).toEqual([]);
  });

  it("is called by a model, in a task", async () => {
    await add();
    const replies = [{ calls: [{ name: "notes_count", arguments: {} }] }, { text: "Counted." }];
    const made = await caller.makeTask(replies);
    await caller.until(made.id, ({ status }) => status === "completed");
    const ledger = await caller.send("GET", `/v1/tasks/${made.id}/ledger`);
    expect(ledger.json.data).toMatchObject([{ tool: "notes_count", state: "confirmed" }]);
  });
});
