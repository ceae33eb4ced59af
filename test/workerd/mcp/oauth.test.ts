/** An MCP server that wants OAuth: a person is sent to its authorization server, comes back, and calls carry the token. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { newBrowser } from "./consent-client.ts";
import { type GuardedServer, openGuardedServer } from "./guarded-server.ts";
import { type Caller, expectProblem, knock } from "../http/entry.ts";

let server: GuardedServer;
let caller: Caller;

beforeEach(async () => {
  server = await openGuardedServer();
  ({ caller } = server);
});

const ECHOED = { ok: true, result: "heard" };

describe("a server that wants OAuth", () => {
  it("is authorized by a person, once, and reveals its tokens to no user", async () => {
    const added = await server.add();
    expect(added.json).toMatchObject({
      status: "authorization_needed",
      tool_count: 0,
      authorization_url: expect.stringMatching(/^http:\/\/otto\.test\/oauth\/mcp\/begin\?state=/),
    });
    const browser = newBrowser();
    const back = await server.agree(added.json.authorization_url, browser);
    const sent = await knock("GET", back);
    expect([sent.status, sent.text]).toEqual([400, expect.stringContaining("This browser did not start this")]);
    const page = await browser.visit(back);
    expect(page.status, page.text).toBe(200);
    expect(page.text).toMatch(/has 1 tools of notes/);
    expect((await browser.visit(back)).status).toBe(400);
    const { pathname, search } = new URL(added.json.authorization_url);
    expect((await browser.visit(pathname + search)).text).toContain("has expired");
    const shown = await caller.send("GET", "/v1/mcp-servers/notes");
    expect(shown.json).toMatchObject({ status: "connected", tool_count: 1, authorization_url: null });
    expect((await server.call()).json).toEqual(ECHOED);
    const audit = await caller.send("GET", "/v1/audit");
    expect(audit.json.data.map((act: { action: string }) => act.action)).toContain("mcp_server.authorize");
    const row = await databaseFromEnv(env).mcpServers.access(caller.tenant, "notes");
    for (const text of [shown.text, audit.text, page.text, JSON.stringify(row)]) expect(text).not.toContain("canary");
  });

  it("gets a new token when the one before has expired", async () => {
    await server.consent((await server.add()).json.authorization_url);
    await server.control("expire");
    expect((await server.call()).json).toEqual(ECHOED);
    expect((await server.reload()).json.status).toBe("connected");
  });

  it("is authorized again when it names another authorization server", async () => {
    await server.consent((await server.add()).json.authorization_url);
    await server.control("migrate");
    const call = await server.call();
    // The call waits for another authorization; the account says why.
    const [wait] = call.json.error.details.pending;
    expect(wait).toMatchObject({ kind: "connection", app: "notes", reason: "expired", person_id: null });
    const [account] = (await caller.send("GET", "/v1/connections?owner=shared")).json.data;
    expect(account).toMatchObject({
      status: "expired",
      why: expect.stringMatching(/now names the authorization server .*\/2, but Otto's credentials belong to .*\/1\./),
    });
    const reloaded = await server.reload();
    expect(reloaded.json.status).toBe("authorization_needed");
    await server.consent(reloaded.json.authorization_url);
    expect((await server.call()).json).toEqual(ECHOED);
  });

  it("is not authorized by a state that Otto did not make, an old one, or a refusal", async () => {
    const browser = newBrowser();
    const first = await server.agree((await server.add()).json.authorization_url, browser);
    const second = await server.reload();
    expect((await browser.visit(first)).text).toContain("a newer one has started");
    expectProblem(await browser.visit("/oauth/mcp/begin?state=abc"), 422, "state");
    expectProblem(await knock("GET", "/oauth/mcp/callback?state=abc&code=x"), 422, "state");
    const refused = new URL(await server.agree(second.json.authorization_url, browser), "http://otto.test");
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
