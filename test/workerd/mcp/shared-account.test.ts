/** Calls through the one grant of an MCP server act through an account that is named, expires, and is disconnected. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { connectionTableFromEnv } from "../../../adapters/env/connections.ts";
import { toolSourcesFromEnv } from "../../../adapters/env/tool-sources.ts";
import type { OutsideTool } from "../../../core/tool/source.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { makeConnectUrl } from "../../../workers/connections/connect-token.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { type Caller, callerOf, expectProblem, makeCaller } from "../http/entry.ts";
import { taskOf } from "../tasks/client.ts";
import { newBrowser } from "./consent-client.ts";
import { type GuardedServer, openGuardedServer } from "./guarded-server.ts";

const ECHO = [{ calls: [{ name: "notes_echo", arguments: {} }] }, { text: "Done." }];
const MACHINE = { grant: "client_credentials", client_id: "otto", client_secret: "s" };

let server: GuardedServer;
let caller: Caller;

beforeEach(async () => {
  server = await openGuardedServer();
  ({ caller } = server);
});

const isCompleted = ({ status }: TaskView) => status === "completed";
const isWaiting = ({ pending }: TaskView) => pending.length > 0;

async function readAccounts() {
  return (await caller.send("GET", "/v1/connections?owner=shared")).json.data;
}

async function readAccount() {
  const accounts = await readAccounts();
  expect(accounts).toHaveLength(1);
  return accounts[0];
}

const accountOf = ({ id }: { readonly id: string }) => ({
  connection: id,
  app: "notes",
  provider: "mcp",
  owner: { kind: "shared" },
  label: null,
});

async function addAuthorized(more?: object): Promise<void> {
  await server.add({}, more);
  await server.authorize();
}

async function readLedger(task: string) {
  return (await caller.send("GET", `/v1/tasks/${task}/ledger`)).json.data;
}

async function readEvents(id: string, type: string) {
  const { events } = valueOf(await taskOf({ tenant: caller.tenant, id }).events(0, 500));
  return events.filter((event) => event.type === type);
}

async function readTools(): Promise<{ readonly tools: readonly OutsideTool[] }> {
  const sources = toolSourcesFromEnv(env);
  const [source] = valueOf(await sources.present(caller.tenant));
  return { tools: valueOf(await sources.read(caller.tenant, source?.hash ?? "")) };
}

/** As a release before these accounts published the tools. */
async function publishWithoutApp(): Promise<void> {
  const tools = (await readTools()).tools.map(({ app: _, ...tool }) => tool);
  valueOf(await toolSourcesFromEnv(env).publish(caller.tenant, { name: "mcp:notes", tools }, null));
}

describe("the account of a server's one grant", () => {
  it("is named by its tools, the ledger, the events and the trace of a call", async () => {
    await addAuthorized();
    const app = { app: "notes", provider: "mcp", owner: "shared", scopes: [] };
    expect(await readTools()).toMatchObject({ tools: [{ name: "notes_echo", app }] });
    const account = accountOf(await readAccount());
    const { id } = await caller.makeTask(ECHO);
    await caller.until(id, isCompleted);
    expect(await readLedger(id)).toMatchObject([{ tool: "notes_echo", state: "confirmed", account }]);
    for (const type of ["call.started", "call.completed"])
      expect(await readEvents(id, type)).toMatchObject([{ data: { account } }]);
    expect((await caller.send("GET", `/v1/tasks/${id}/trace`)).json.steps[0].calls).toMatchObject([{ account }]);
    const table = connectionTableFromEnv(env, caller.tenant);
    await vi.waitFor(async () => {
      expect(valueOf(await table.find(account.connection)).lastUsedAt).not.toBeNull();
    });
    expect((await caller.send("GET", "/v1/apps")).json.data).toMatchObject([{ app: "notes", owners: [] }]);
    expect(await server.readAuth()).not.toHaveProperty("isNew");
  });

  it("counts a consent, and no reload", async () => {
    await addAuthorized();
    const table = connectionTableFromEnv(env, caller.tenant);
    const { id } = await readAccount();
    await server.reload();
    await server.control("expire");
    await server.reload();
    expect(valueOf(await table.find(id))).toMatchObject({ consent: 1, status: "active" });
    await server.control("revoke");
    await server.authorize();
    expect(valueOf(await table.find(id))).toMatchObject({ consent: 2, status: "active" });
  });

  it("is shown by an approval, which another authorization voids", async () => {
    await addAuthorized({});
    const account = accountOf(await readAccount());
    const { id } = await caller.makeTask(ECHO);
    const [first] = (await caller.until(id, isWaiting)).pending;
    if (first?.kind !== "approval") throw new Error("no approval is requested");
    expect(first).toMatchObject({ account });
    await server.control("revoke");
    await server.authorize();
    const decide = async (approval: string) =>
      await caller.send("POST", `/v1/tasks/${id}/approvals/${approval}`, { decision: "approve" });
    expect((await decide(first.id)).status).toBe(200);
    const isAskedAgain = ({ pending }: TaskView) =>
      pending.some((one) => one.kind === "approval" && one.id !== first.id);
    const [second] = (await caller.until(id, isAskedAgain)).pending;
    expect(await server.countCalls()).toBe(0);
    expect((await decide(second?.kind === "approval" ? second.id : "")).status).toBe(200);
    await caller.until(id, isCompleted);
    expect(await readLedger(id)).toMatchObject([{ attempts: 1, state: "confirmed", account }]);
    expect(await server.countCalls()).toBe(1);
  });

  it("is not made for a server that asks for no authorization, or has no OAuth", async () => {
    await server.serve({ guarded: false });
    for (const oauth of [{}, null]) {
      expect((await server.add(oauth)).json.status).toBe("connected");
      expect((await readTools()).tools[0]).not.toHaveProperty("app");
      expect((await server.call()).json).toMatchObject({ ok: true });
    }
    expect(await readAccounts()).toEqual([]);
    expect((await caller.send("GET", "/v1/apps")).json.data).toEqual([]);
  });

  it("is not needed by tools that were published before there was one", async () => {
    await addAuthorized();
    await publishWithoutApp();
    const { id } = await caller.makeTask(ECHO);
    await caller.until(id, isCompleted);
    expect(await readLedger(id)).toMatchObject([{ state: "confirmed", account: null }]);
    // The next reload names it.
    await server.reload();
    expect(await readTools()).toMatchObject({ tools: [{ app: { app: "notes" } }] });
  });

  it("is made where Otto authorizes itself", async () => {
    expect((await server.add(MACHINE)).json.status).toBe("connected");
    const account = accountOf(await readAccount());
    const { id } = await caller.makeTask(ECHO);
    await caller.until(id, isCompleted);
    expect(await readLedger(id)).toMatchObject([{ state: "confirmed", account }]);
  });

  it("is of its tenant alone", async () => {
    await addAuthorized();
    const { id } = await readAccount();
    const other = await makeCaller();
    for (const method of ["GET", "DELETE"]) expectProblem(await other.send(method, `/v1/connections/${id}`), 404);
    expect((await other.send("GET", "/v1/connections?owner=shared")).json.data).toEqual([]);
    expect((await readAccount()).status).toBe("active");
  });
});

describe("a refused authorization", () => {
  it("expires the account with a reason: the task waits once, and resumes after the consent", async () => {
    await addAuthorized();
    await server.control("revoke");
    const { id } = await caller.makeTask(ECHO);
    const [wait] = (await caller.until(id, isWaiting)).pending;
    const page = "http://otto.test/mcp-servers/notes";
    expect(wait).toMatchObject({ kind: "connection", app: "notes", reason: "expired", person_id: null });
    expect(wait).toMatchObject({ connect_url: page });
    const made = await caller.send("POST", "/v1/keys", { name: "reader", scopes: ["tasks:read"] });
    const reader = callerOf(caller.tenant, made.json.key);
    expect((await reader.send("GET", `/v1/tasks/${id}`)).json.pending).toMatchObject([{ connect_url: null }]);
    const why = expect.stringContaining("does not accept Otto's credentials");
    expect(await readAccount()).toMatchObject({ status: "expired", why });
    await server.authorize();
    await caller.until(id, isCompleted);
    expect(await readEvents(id, "connection.requested")).toHaveLength(1);
    expect(await readEvents(id, "connection.ready")).toHaveLength(1);
    expect(await readLedger(id)).toMatchObject([{ attempts: 1, state: "confirmed" }]);
    expect(await readAccount()).toMatchObject({ status: "active", why: null });
  });

  it("expires the account by a reload too", async () => {
    await addAuthorized();
    await server.control("revoke");
    expect((await server.reload()).json.status).toBe("authorization_needed");
    expect(await readAccount()).toMatchObject({ status: "expired", why: expect.any(String) });
  });

  it("of Otto itself is restored by a reload, under the same consent", async () => {
    await server.add(MACHINE);
    const { id: connection } = await readAccount();
    await server.control("revoke");
    const { id } = await caller.makeTask(ECHO);
    await caller.until(id, isWaiting);
    await server.control("admit");
    expect((await server.reload()).json.status).toBe("connected");
    await caller.until(id, isCompleted);
    const found = valueOf(await connectionTableFromEnv(env, caller.tenant).find(connection));
    expect(found).toMatchObject({ status: "active", consent: 1 });
  });

  it("is no fault: what does not answer changes nothing", async () => {
    await addAuthorized();
    await server.control("expire");
    await server.serve({ tokenStatus: 500 });
    const { id } = await caller.makeTask(ECHO);
    await caller.until(id, isCompleted);
    expect(await readLedger(id)).toMatchObject([{ state: "failed", result: { error: { code: "upstream_failed" } } }]);
    expect((await server.reload()).json.status).toBe("authorization_needed");
    await server.serve({ status: 500 });
    expect((await server.reload()).json.status).toBe("failed");
    expect(await readAccount()).toMatchObject({ status: "active" });
  });
});

describe("disconnecting the account", () => {
  it("erases the authorization: calls wait, until an administrator authorizes Otto again", async () => {
    await addAuthorized();
    const { id: connection } = await readAccount();
    expect((await caller.send("DELETE", `/v1/connections/${connection}`)).json).toMatchObject({ status: "revoked" });
    expect(await server.readAuth()).toEqual({ isEnded: true });
    const shown = (await caller.send("GET", "/v1/mcp-servers/notes")).json;
    expect(shown).toMatchObject({ status: "authorization_needed", error: expect.stringContaining("disconnected") });
    const before = await server.countCalls();
    const { id } = await caller.makeTask(ECHO);
    const [wait] = (await caller.until(id, isWaiting)).pending;
    expect(wait).toMatchObject({ kind: "connection", reason: "revoked" });
    expect(await server.countCalls()).toBe(before);
    await server.authorize();
    await caller.until(id, isCompleted);
    const found = valueOf(await connectionTableFromEnv(env, caller.tenant).find(connection));
    expect(found).toMatchObject({ status: "active", consent: 2 });
  });

  it("ends earlier tools too, also where Otto could authorize itself, until the server is reloaded", async () => {
    await server.add(MACHINE);
    const { id } = await readAccount();
    await publishWithoutApp();
    expect((await server.call()).json).toMatchObject({ ok: true });
    await caller.send("DELETE", `/v1/connections/${id}`);
    expect((await server.call()).json).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    expect(await server.readAuth()).toEqual({ isEnded: true });
    expect((await server.reload()).json.status).toBe("connected");
    expect((await server.call()).json).toMatchObject({ ok: true });
    expect(await readAccount()).toMatchObject({ id, status: "active" });
  });

  it("is for administrators", async () => {
    await addAuthorized();
    const { id } = await readAccount();
    const made = await caller.send("POST", "/v1/keys", { name: "worker", scopes: ["tasks:read", "tasks:write"] });
    const worker = callerOf(caller.tenant, made.json.key);
    expectProblem(await worker.send("DELETE", `/v1/connections/${id}`), 403);
    expect((await server.call()).json).toMatchObject({ ok: true });
  });

  it.each([
    ["the server is removed", async () => await caller.send("DELETE", "/v1/mcp-servers/notes")],
    ["its scope changes", async () => await server.add({ scope: "read" })],
    ["each person connects", async () => await server.add({ per: "person" })],
    ["it has no OAuth any more", async () => await server.add(null)],
  ])("happens when %s", async (_what, change) => {
    await addAuthorized();
    const { id } = await readAccount();
    const changed = await change();
    expect(changed.status, changed.text).toBeLessThan(300);
    const table = connectionTableFromEnv(env, caller.tenant);
    expect(valueOf(await table.find(id))).toMatchObject({ status: "revoked" });
    expect((await server.readAuth()) ?? {}).not.toHaveProperty("tokens");
  });
});

describe("nobody connects it by a link", () => {
  it("neither by the API nor by a link from before", async () => {
    await addAuthorized();
    for (const owner of ["shared", "me"]) {
      const { id } = (await caller.send("POST", "/v1/people", { name: owner })).json;
      const key = { name: owner, scopes: ["tasks:write", "admin"], person: id };
      const made = await caller.send("POST", "/v1/keys", key);
      const refused = await callerOf(caller.tenant, made.json.key).send("POST", "/v1/connections", {
        app: "notes",
        owner,
      });
      expectProblem(refused, 422, "app");
      expect(refused.json.detail).toContain("under MCP servers");
    }
    const by = { person: null, name: "test" };
    const link = { tenant: caller.tenant, app: "notes", person: null, alias: null, wait: null, by };
    const { pathname } = new URL(await makeConnectUrl(env, link, "http://otto.test"));
    const page = await newBrowser().visit(pathname);
    expect([page.status, page.text]).toEqual([410, expect.stringContaining("under MCP servers")]);
  });

  it("and it has not the name of an import with accounts", async () => {
    const openapi = {
      openapi: "3.1.0",
      info: { title: "Notes" },
      servers: [{ url: "https://notes.example" }],
      paths: { "/": { get: { operationId: "look" } } },
    };
    const body = { name: "notes", openapi, connect: { kind: "bearer" } };
    await addAuthorized();
    expectProblem(await caller.send("POST", "/v1/tools/import", body), 409, "name");
  });
});
