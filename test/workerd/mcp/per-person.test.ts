/** MCP servers to which each person connects an account, over the API. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, it } from "vitest";
import {
  appClientsFromEnv,
  connectionTableFromEnv,
  forgetConnectionsFromEnv,
} from "../../../adapters/env/connections.ts";
import { toolSourcesFromEnv } from "../../../adapters/env/tool-sources.ts";
import { makeId } from "../../../core/base/ids.ts";
import { type Answer, type Caller, expectProblem, makeCaller } from "../http/entry.ts";

let caller: Caller;
let id: string;
let person: string;

const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));

beforeEach(async () => {
  caller = await makeCaller();
  id = crypto.randomUUID();
  const tools = [{ name: "echo", description: "Echoes.", inputSchema: { type: "object" } }];
  await fetch(`${inject("servers").mcpUrl}/set/${id}`, {
    method: "PUT",
    body: JSON.stringify({ tools, guarded: true }),
  });
  const made = await caller.send("POST", "/v1/people", { name: "Ana Lima" });
  if (made.status !== 201) throw new Error(made.text);
  person = made.json.id;
});

/** Binds the caller's key to the person, or to nobody. */
async function bind(to: string | null): Promise<void> {
  const keys = await caller.send("GET", "/v1/keys");
  const bound = await caller.send("PATCH", `/v1/keys/${keys.json.data[0].id}`, { person: to });
  expect(bound.status, bound.text).toBe(200);
}

const add = async (oauth: Record<string, unknown> = { per: "person" }): Promise<Answer> =>
  await caller.send("POST", "/v1/mcp-servers", { name: "notes", url: `${inject("servers").mcpUrl}/mcp/${id}`, oauth });

const findApp = async () => await appClientsFromEnv(env, caller.tenant).find("notes");

/** A token of the server's authorization server. */
async function getToken(issuer: string): Promise<string> {
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  const granted = await (await fetch(`${issuer}/token`, { method: "POST", body: form })).json<{
    access_token: string;
  }>();
  return granted.access_token;
}

/** Connects the person's account, as the callback of a consent does. */
async function connect(): Promise<string> {
  const app = await findApp();
  const table = connectionTableFromEnv(env, caller.tenant);
  const made = await table.ensure({ app: "notes", person, alias: null }, "mcp");
  if (!app.ok || !made.ok) throw new Error("no app");
  const { issuer } = app.value.settings["at"] as { issuer: string };
  const tokens = { kind: "oauth", access: await getToken(issuer), refresh: null, expiresAt: null, issuer } as const;
  const given = { label: null, scopes: null, unattended: false, settingsHash: app.value.settingsHash };
  const by = { person, name: "Ana Lima" };
  const [at, target] = [Date.now(), made.value.id];
  const act = { id: makeId("audit", at, random(10)), at, actor: "test", target, requestId: "req_test" };
  const completed = await table.complete(target, { tokens, ...given, by }, { ...act, action: "connection.connect" });
  if (!completed.ok) throw new Error(completed.error.message);
  forgetConnectionsFromEnv(env, caller.tenant);
  return target;
}

describe("a server per person", () => {
  it("is stored with its app, and its tools are read through the account of who reloads it", async () => {
    await bind(person);
    const added = await add();
    expect(added.status, added.text).toBe(201);
    expect(added.json).toMatchObject({
      status: "authorization_needed",
      error: expect.stringContaining("Connect your account of notes"),
      oauth: { per: "person" },
      authorization_url: null,
      tools: [],
    });
    const { mcpUrl } = inject("servers");
    expect(await findApp()).toMatchObject({
      value: {
        provider: "mcp",
        settings: {
          per: "person",
          kind: "mcp",
          hosts: [new URL(mcpUrl).host],
          at: { kind: "issuer", issuer: `${mcpUrl}/as/${id}/1` },
          resource: `${mcpUrl}/mcp/${id}`,
        },
      },
    });
    await connect();
    const reloaded = await caller.send("POST", "/v1/mcp-servers/notes/reload");
    expect(reloaded.json, reloaded.text).toMatchObject({ status: "connected", tools: [{ name: "notes_echo" }] });
    const sources = toolSourcesFromEnv(env);
    const present = await sources.present(caller.tenant);
    const [source] = present.ok ? present.value : [];
    const read = await sources.read(caller.tenant, source?.hash ?? "");
    expect(read).toMatchObject({
      value: [{ name: "notes_echo", app: { app: "notes", provider: "mcp", owner: "person", scopes: [] } }],
    });
    // The approved list stays the tenant's.
    await bind(null);
    expect((await caller.send("GET", "/v1/mcp-servers/notes")).json).toMatchObject({
      status: "connected",
      tool_count: 1,
    });
  });

  it("is not read for a key without a person", async () => {
    expect((await add()).json).toMatchObject({
      status: "authorization_needed",
      error: "This key belongs to no person. Bind it under Settings, Keys.",
    });
    const reloaded = await caller.send("POST", "/v1/mcp-servers/notes/reload");
    expectProblem(reloaded, 422);
    expect(reloaded.json.detail).toBe("This key belongs to no person. Bind it under Settings, Keys.");
  });

  it("sends nothing without an account of the call", async () => {
    await bind(person);
    await add();
    await connect();
    await caller.send("POST", "/v1/mcp-servers/notes/reload");
    await bind(null);
    const called = await caller.send("POST", "/v1/tools/notes_echo/call", {});
    expect(called.json.ok ?? false, called.text).toBe(false);
  });

  it.each([
    ["removed", async () => await caller.send("DELETE", "/v1/mcp-servers/notes")],
    ["used through one account for all", async () => await add({})],
  ])("ends its connections when it is %s", async (_what, change) => {
    await bind(person);
    await add();
    const connection = await connect();
    const changed = await change();
    expect(changed.status, changed.text).toBeLessThan(300);
    const table = connectionTableFromEnv(env, caller.tenant);
    expect(await table.find(connection)).toMatchObject({ value: { status: "revoked" } });
  });

  it("does not take the name of an import to which people connect", async () => {
    const openapi = {
      openapi: "3.1.0",
      info: { title: "Notes" },
      servers: [{ url: "https://notes.example" }],
      paths: { "/": { get: { operationId: "look" } } },
    };
    const body = { name: "notes", openapi, connect: { kind: "bearer" } };
    const made = await caller.send("POST", "/v1/tools/import", body);
    expect(made.status, made.text).toBe(201);
    for (const oauth of [{ per: "person" }, {}]) expectProblem(await add(oauth), 409, "name");
  });

  it("is refused with the grant of a machine", async () => {
    const oauth = { grant: "client_credentials", client_id: "otto", client_secret: "s", per: "person" };
    expectProblem(await add(oauth), 422, "oauth.per");
  });
});
