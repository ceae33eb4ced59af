/** An MCP server that wants OAuth: a person is sent to its authorization server, comes back, and calls carry the token. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { newBrowser } from "./consent-client.ts";
import { type Answer, type Caller, expectProblem, knock, makeCaller } from "../http/entry.ts";

let caller: Caller;
let id: string;

const fetchMcp = (path: string, init?: RequestInit) => fetch(`${inject("servers").mcpUrl}${path}`, init);

/** Goes where a person goes, and gives the path and query that they come back with. */
async function agree(link: string, browser = newBrowser()): Promise<string> {
  const answer = await fetch(await browser.begin(link), { redirect: "manual" });
  const back = new URL(answer.headers.get("location") ?? "");
  return back.pathname + back.search;
}

/** Goes there, and comes back in the same browser. */
async function consent(link: string): Promise<Answer> {
  const browser = newBrowser();
  return await browser.visit(await agree(link, browser));
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
  const reply = { resultType: "complete", content: [{ type: "text", text: "heard" }] };
  await fetchMcp(`/set/${id}`, {
    method: "PUT",
    body: JSON.stringify({ tools: [echo], answers: { echo: [reply] }, guarded: true }),
  });
});

describe("a server that wants OAuth", () => {
  it("is authorized by a person, once, and reveals its tokens to no user", async () => {
    const added = await add();
    expect(added.json).toMatchObject({
      status: "authorization_needed",
      tool_count: 0,
      authorization_url: expect.stringMatching(/^http:\/\/otto\.test\/oauth\/mcp\/begin\?state=/),
    });
    const browser = newBrowser();
    const back = await agree(added.json.authorization_url, browser);
    const sent = await knock("GET", back);
    expect([sent.status, sent.text]).toEqual([400, expect.stringContaining("This browser did not start this")]);
    const page = await browser.visit(back);
    expect(page.status, page.text).toBe(200);
    expect(page.text).toMatch(/has 1 tools of notes/);
    expect((await browser.visit(back)).status).toBe(400);
    const { pathname, search } = new URL(added.json.authorization_url);
    expect((await browser.visit(pathname + search)).text).toContain("has expired");
    const server = await caller.send("GET", "/v1/mcp-servers/notes");
    expect(server.json).toMatchObject({ status: "connected", tool_count: 1, authorization_url: null });
    expect((await caller.send("POST", "/v1/tools/notes_echo/call", {})).json).toEqual({ ok: true, result: "heard" });
    const audit = await caller.send("GET", "/v1/audit");
    expect(audit.json.data.map((act: { action: string }) => act.action)).toContain("mcp_server.authorize");
    const row = await databaseFromEnv(env).mcpServers.access(caller.tenant, "notes");
    for (const text of [server.text, audit.text, page.text, JSON.stringify(row)]) expect(text).not.toContain("canary");
  });

  it("gets a new token when the one before has expired", async () => {
    await consent((await add()).json.authorization_url);
    await fetchMcp(`/expire/${id}`, { method: "POST" });
    expect((await caller.send("POST", "/v1/tools/notes_echo/call", {})).json).toEqual({ ok: true, result: "heard" });
    expect((await caller.send("POST", "/v1/mcp-servers/notes/reload")).json.status).toBe("connected");
  });

  it("is authorized again when it names another authorization server", async () => {
    await consent((await add()).json.authorization_url);
    await fetchMcp(`/migrate/${id}`, { method: "POST" });
    const call = await caller.send("POST", "/v1/tools/notes_echo/call", {});
    expect(call.json.error).toMatchObject({
      code: "permission_denied",
      message: expect.stringMatching(
        /now names the authorization server .*\/2, but Otto's credentials belong to .*\/1\./,
      ),
    });
    const server = await caller.send("POST", "/v1/mcp-servers/notes/reload");
    expect(server.json.status).toBe("authorization_needed");
    await consent(server.json.authorization_url);
    expect((await caller.send("POST", "/v1/tools/notes_echo/call", {})).json).toEqual({ ok: true, result: "heard" });
  });

  it("is not authorized by a state that Otto did not make, an old one, or a refusal", async () => {
    const browser = newBrowser();
    const first = await agree((await add()).json.authorization_url, browser);
    const second = await caller.send("POST", "/v1/mcp-servers/notes/reload");
    expect((await browser.visit(first)).text).toContain("a newer one has started");
    expectProblem(await browser.visit("/oauth/mcp/begin?state=abc"), 422, "state");
    expectProblem(await knock("GET", "/oauth/mcp/callback?state=abc&code=x"), 422, "state");
    const refused = new URL(await agree(second.json.authorization_url, browser), "http://otto.test");
    refused.searchParams.delete("code");
    refused.searchParams.set("error", "<b>access_denied</b>");
    const page = await browser.visit(refused.pathname + refused.search);
    expect(page.status).toBe(400);
    expect(page.text).not.toContain("<b>");
    expect((await caller.send("GET", "/v1/mcp-servers/notes")).json.status).toBe("authorization_needed");
  });

  it("gets Otto's client identity, also by a URL", async () => {
    const { json } = await knock("GET", "/oauth/mcp/client.json");
    expect(json).toMatchObject({
      client_id: "http://otto.test/oauth/mcp/client.json",
      redirect_uris: ["http://otto.test/oauth/mcp/callback"],
      token_endpoint_auth_method: "none",
    });
  });
});
