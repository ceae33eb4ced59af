/** An MCP server that wants OAuth: a person is sent to its authorization server, comes back, and calls carry the token. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { databaseFromEnv } from "../../adapters/from-env.ts";
import { type Answer, type Caller, expectProblem, knock, makeCaller } from "./front-door.ts";

let caller: Caller;
let id: string;

const desk = (path: string, init?: RequestInit) => fetch(`${inject("servers").mcpUrl}${path}`, init);

/** Goes where a person goes, and gives the path and query that they come back with. */
async function agree(page: string): Promise<string> {
  const answer = await fetch(page, { redirect: "manual" });
  const back = new URL(answer.headers.get("location") ?? "");
  return back.pathname + back.search;
}

const add = async (): Promise<Answer> =>
  await caller.send("POST", "/v1/mcp-servers", {
    name: "notes",
    url: `${inject("servers").mcpUrl}/mcp/${id}`,
    trusted: true,
    oauth: {},
  });

beforeEach(async () => {
  caller = await makeCaller();
  id = crypto.randomUUID();
  const echo = {
    name: "echo",
    description: "Echoes.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  };
  const heard = { resultType: "complete", content: [{ type: "text", text: "heard" }] };
  await desk(`/set/${id}`, {
    method: "PUT",
    body: JSON.stringify({ tools: [echo], answers: { echo: [heard] }, guarded: true }),
  });
});

describe("a server that wants OAuth", () => {
  it("is authorized by a person, once, and its tokens are seen by nobody", async () => {
    const added = await add();
    expect(added.json).toMatchObject({
      status: "authorization_needed",
      tool_count: 0,
      authorization_url: expect.stringMatching(/\/authorize\?/),
    });
    const back = await agree(added.json.authorization_url);
    const told = await knock("GET", back);
    expect(told.status, told.text).toBe(200);
    expect(told.text).toMatch(/has 1 tools of notes/);
    expect((await knock("GET", back)).status).toBe(400);
    const shown = await caller.send("GET", "/v1/mcp-servers/notes");
    expect(shown.json).toMatchObject({ status: "connected", tool_count: 1, authorization_url: null });
    expect((await caller.send("POST", "/v1/tools/notes_echo/call", {})).json).toEqual({ ok: true, result: "heard" });
    const audit = await caller.send("GET", "/v1/audit");
    expect(audit.json.data.map((act: { action: string }) => act.action)).toContain("mcp_server.authorize");
    const row = await databaseFromEnv(env).mcpServers.access(caller.tenant, "notes");
    for (const text of [shown.text, audit.text, told.text, JSON.stringify(row)]) expect(text).not.toContain("canary");
  });

  it("gets a new token by itself when the one before is over", async () => {
    await knock("GET", await agree((await add()).json.authorization_url));
    await desk(`/expire/${id}`, { method: "POST" });
    expect((await caller.send("POST", "/v1/tools/notes_echo/call", {})).json).toEqual({ ok: true, result: "heard" });
    expect((await caller.send("POST", "/v1/mcp-servers/notes/reload")).json.status).toBe("connected");
  });

  it("is not authorized by a state that Otto did not make, an old one, or a refusal", async () => {
    const first = await agree((await add()).json.authorization_url);
    const second = await caller.send("POST", "/v1/mcp-servers/notes/reload");
    expect((await knock("GET", first)).status).toBe(400);
    expectProblem(await knock("GET", "/oauth/mcp/callback?state=abc&code=x"), 422, "state");
    const refused = new URL(await agree(second.json.authorization_url), "http://otto.test");
    refused.searchParams.delete("code");
    refused.searchParams.set("error", "<b>access_denied</b>");
    const told = await knock("GET", refused.pathname + refused.search);
    expect(told.status).toBe(400);
    expect(told.text).not.toContain("<b>");
    expect((await caller.send("GET", "/v1/mcp-servers/notes")).json.status).toBe("authorization_needed");
  });

  it("is told who Otto is, also by a URL", async () => {
    const { json } = await knock("GET", "/oauth/mcp/client.json");
    expect(json).toMatchObject({
      client_id: "http://otto.test/oauth/mcp/client.json",
      redirect_uris: ["http://otto.test/oauth/mcp/callback"],
      token_endpoint_auth_method: "none",
    });
  });
});
