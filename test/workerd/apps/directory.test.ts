/** Apps of the directory over the API: listed without a provider, added, connected, read, removed; and servers that are dead. */
import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { appCatalogueFromEnv } from "../../../adapters/env/app-catalogue.ts";
import { directoryFromEnv } from "../../../adapters/env/directory.ts";
import { DIRECTORY } from "../../../core/apps/directory-list.ts";
import { ok } from "../../../core/base/errors.ts";
import { makeSnapshot } from "../../fakes/catalogue-snapshot.ts";
import { begin, type Member, type Office, openOffice } from "../connections/connect-client.ts";
import { type Answer, type Caller, expectProblem } from "../http/entry.ts";
import { newBrowser } from "../mcp/consent-client.ts";
import { setVariables } from "../variables.ts";

const NOTION = { app_name: "notion-mcp" };
const ECHO = { name: "echo", description: "Repeats what it gets.", inputSchema: { type: "object" } };

let id: string;
let office: Office;

/** The settings of the mock server of this test. */
async function serve(settings: object): Promise<void> {
  const body = JSON.stringify({ tools: [ECHO], guarded: true, ...settings });
  await fetch(`${inject("servers").mcpUrl}/set/${id}`, { method: "PUT", body });
}

/** The directory with Notion alone, at this address. */
function place(url = `${inject("servers").mcpUrl}/mcp/${id}`) {
  return setVariables(env, { OTTO_APP_DIRECTORY: `notion-mcp=${url}` });
}

beforeEach(async () => {
  id = crypto.randomUUID();
  vi.spyOn(appCatalogueFromEnv(place()), "snapshot").mockResolvedValue(ok(null));
  await serve({});
  office = await openOffice();
});

afterAll(() => setVariables(env, null));

const add = async (caller: Caller = office.admin): Promise<Answer> =>
  await caller.send("POST", "/api/tools/add-to-workspace", NOTION);
const find = async (caller: Caller) => (await caller.send("GET", "/api/tools/marketplace?app=Notion-MCP")).json.apps[0];
const listServers = async () => (await office.admin.send("GET", "/v1/mcp-servers")).json.data;
const readActions = async (caller: Caller) => (await caller.send("GET", "/api/tools/notion-mcp/actions")).json;

/** Connects an account in a browser: the mock server's sign-in consents at once. */
async function connect(member: Member): Promise<Answer> {
  const asked = await member.send("POST", "/api/tools/connect", NOTION);
  expect(asked.status, asked.text).toBe(200);
  const browser = newBrowser();
  const page = await begin(browser, new URL(asked.json.redirect_url).pathname);
  const back = new URL((await fetch(page, { redirect: "manual" })).headers.get("location") ?? "");
  return await browser.visit(back.pathname + back.search);
}

describe("the marketplace without a provider", () => {
  test("has all apps of the directory, whose search and categories are those of the catalogue", async () => {
    const used = setVariables(env, { OTTO_APP_DIRECTORY: "" });
    vi.spyOn(appCatalogueFromEnv(used), "snapshot").mockResolvedValue(ok(null));
    const all = (await office.admin.send("GET", "/api/tools/marketplace")).json;
    expect(all).toMatchObject({ total_apps: DIRECTORY.length, total_actions: 0, last_synced: null });
    expect(all.apps[0]).toMatchObject({ provider: "mcp", is_added: false, auth_schemes: ["OAUTH2"], action_count: 0 });
    const search = (await office.admin.send("GET", "/api/tools/marketplace?search=notion&category=documents")).json;
    expect(search.apps).toMatchObject([
      { app_name: "notion-mcp", display_name: "Notion", directory: { url: "https://mcp.notion.com/mcp" } },
    ]);
    expect((await office.admin.send("GET", "/api/tools/integrations/status")).json.status).toBe(
      "integrations_unavailable",
    );
    expect((await office.admin.send("GET", "/api/tools/stats")).json.total_apps).toBe(DIRECTORY.length);
  });

  test("shows the app of the catalogue and that of the directory as two, told apart by their provider", async () => {
    const used = place();
    const snapshot = makeSnapshot([
      { app: "notion", title: "Notion", categories: ["documents"], actions: [{ action: "NOTION_SEARCH" }] },
    ]);
    vi.spyOn(appCatalogueFromEnv(used), "snapshot").mockResolvedValue(ok(snapshot));
    const { apps, categories, total_apps: total } = (await office.admin.send("GET", "/api/tools/marketplace")).json;
    expect(apps.map((one: { app_name: string; provider: string }) => [one.app_name, one.provider])).toEqual([
      ["notion", "composio"],
      ["notion-mcp", "mcp"],
    ]);
    expect([total, categories]).toEqual([2, ["documents", "Project management"]]);
    const own = (await office.admin.send("GET", "/api/tools/marketplace?provider=mcp")).json;
    expect(own.apps.map((one: { app_name: string }) => one.app_name)).toEqual(["notion-mcp"]);
  });
});

describe("an app of the directory", () => {
  test("is added, read through the first account, used by each person's own, and removed", async () => {
    const [ana, ben] = [await office.add("Ana"), await office.add("Ben")];
    expectProblem(await add(ana), 403);
    expectProblem(await ana.send("POST", "/api/tools/connect", NOTION), 404);
    expect((await add()).json).toMatchObject({ status: "success", app_name: "notion-mcp" });
    expect((await add()).json).toMatchObject({ status: "already_added", message: "Notion is already added." });
    expect(await find(ana)).toMatchObject({ is_added: true, is_connected: false, action_count: 0 });
    expect(await readActions(ana)).toEqual([]);
    expect((await ana.send("GET", "/v1/apps")).json.data).toContainEqual({
      app: "notion-mcp",
      title: "Notion",
      provider: "mcp",
      owners: ["me"],
    });

    const page = await connect(ana);
    expect([page.status, page.text.includes("Notion")], page.text).toEqual([200, true]);
    expect(await find(ana)).toMatchObject({ is_connected: true, action_count: 1 });
    expect(await find(ben)).toMatchObject({ is_added: true, is_connected: false, action_count: 1 });
    expect(await readActions(ben)).toMatchObject([
      { name: "notion-mcp_echo", display_name: "echo", enabled: true, effect: "once", security: "dangerous" },
    ]);
    expect((await ben.send("GET", "/api/tools/connected")).json.apps).toMatchObject([
      { app_name: "notion-mcp", status: "added", is_listed: true },
    ]);
    await connect(ben);
    expect((await ben.send("GET", "/v1/connections")).json.data).toMatchObject([
      { app: "notion-mcp", status: "active", owner: { id: ben.person } },
    ]);

    const removed = await office.admin.send("DELETE", "/api/tools/remove-from-workspace/Notion-MCP");
    expect(removed.json, removed.text).toMatchObject({ status: "success", app_name: "notion-mcp" });
    expect(await listServers()).toEqual([]);
    for (const member of [ana, ben])
      expect((await member.send("GET", "/v1/connections")).json.data).toMatchObject([{ status: "revoked" }]);
    expect(await find(ana)).toMatchObject({ is_added: false, is_connected: false, action_count: 0 });
    expectProblem(await office.admin.send("DELETE", "/api/tools/remove-from-workspace/notion-mcp"), 404);
  });

  test("has no actions to choose, override or assign, and says where they are", async () => {
    await add();
    const { admin } = office;
    const made = await admin.send("POST", "/v1/agents", {
      name: "clerk",
      instructions: "Work.",
      tools: ["*"],
      permissions: [],
    });
    expect(made.status, made.text).toBe(201);
    const assignments = [{ app_name: "notion-mcp", level: "read_only", is_active: true }];
    for (const refused of [
      await admin.send("POST", "/api/tools/notion-mcp/actions", { actions: [] }),
      await admin.send("PUT", "/api/tools/notion-mcp/overrides", { overrides: {} }),
      await admin.send("GET", "/api/tools/notion-mcp/changes"),
      await admin.send("PUT", `/v1/agents/${made.json.id}/apps`, { assignments, permissions: [] }),
    ]) {
      expectProblem(refused, 422);
      expect(refused.json.detail).toContain("such as notion-mcp_*");
    }
    expect((await admin.send("GET", "/api/tools/notion-mcp/triggers")).json).toEqual([]);
  });

  test("is not added over another server of its name", async () => {
    const { mcpUrl } = inject("servers");
    const server = { name: "notion-mcp", url: `${mcpUrl}/mcp/${id}?other`, oauth: { per: "person" } };
    expect((await office.admin.send("POST", "/v1/mcp-servers", server)).status).toBe(201);
    expectProblem(await add(), 409, "app_name");
    expect(await find(office.admin)).toMatchObject({ is_added: false });
    expectProblem(await office.admin.send("DELETE", "/api/tools/remove-from-workspace/notion-mcp"), 404);
    expect(await listServers()).toHaveLength(1);
  });
});

describe("a dead entry", () => {
  const expectDead = (answer: Answer, status: number) => {
    expectProblem(answer, status);
    expect(answer.json.detail).toContain("The MCP server of Notion cannot be used.");
    expect(answer.json.detail).toContain(DIRECTORY.find(({ app }) => app === "notion-mcp")?.document);
    expect(answer.json.detail).toContain("adds the new address under MCP servers");
  };

  test.each([
    ["that answers with errors", async () => await serve({ guarded: false, status: 500 }), 503],
    ["whose page is gone", async () => await serve({ guarded: false, status: 404 }), 503],
    ["on a private address that nobody opened", () => place("http://10.0.0.1/mcp"), 403],
  ])("%s is not added", async (_what, arrange, status) => {
    await arrange();
    expectDead(await add(), status);
    expect(await listServers()).toEqual([]);
    expect((await office.admin.send("GET", "/v1/apps")).json.data.map(({ app }: { app: string }) => app)).toEqual([
      "crm",
    ]);
  });

  test("says so on connect, and the link stays unused", async () => {
    const ana = await office.add("Ana");
    await add();
    await serve({ guarded: false, status: 500 });
    const asked = await ana.send("POST", "/api/tools/connect", NOTION);
    const path = new URL(asked.json.redirect_url).pathname;
    const dead = await newBrowser().submit(`${path}/go`);
    expect([dead.status, dead.text.includes("The MCP server of Notion cannot be used.")], dead.text).toEqual([
      200,
      true,
    ]);
    expect((await ana.send("GET", "/v1/connections")).json.data).toEqual([]);
    await serve({});
    const browser = newBrowser();
    const back = new URL(
      (await fetch(await begin(browser, path), { redirect: "manual" })).headers.get("location") ?? "",
    );
    expect((await browser.visit(back.pathname + back.search)).text).toContain("is connected");
  });
});

test("the directory is the operator's: no entry, or other addresses outside production", () => {
  const read = (variables: Record<string, string>) => directoryFromEnv({ ...env, ...variables });
  expect(read({ OTTO_APP_DIRECTORY: "no" })).toEqual([]);
  expect(read({ OTTO_APP_DIRECTORY: "" })).toHaveLength(DIRECTORY.length);
  expect(read({ OTTO_APP_DIRECTORY: "no", OTTO_MODE: "production", OTTO_EGRESS_ALLOW: "" })).toEqual([]);
  const replaced = { OTTO_APP_DIRECTORY: "linear-mcp=http://127.0.0.1:1/mcp" };
  expect(read(replaced)).toMatchObject([{ entry: { title: "Linear", url: "http://127.0.0.1:1/mcp" } }]);
  const production = { ...replaced, OTTO_MODE: "production", OTTO_EGRESS_ALLOW: "" };
  expect(() => read(production)).toThrow("OTTO_APP_DIRECTORY");
  for (const wrong of ["maybe", "nothing-mcp=http://127.0.0.1:1", "linear-mcp=ftp://127.0.0.1"])
    expect(() => read({ OTTO_APP_DIRECTORY: wrong }), wrong).toThrow("OTTO_APP_DIRECTORY");
});
