/** The marketplace: one snapshot, filtered in memory, with the caller's own connections. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { appCatalogueFromEnv } from "../../../adapters/env/app-catalogue.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import type { CatalogueSnapshot } from "../../../core/ports/app-catalogue.ts";
import { type GivenApp, makeSnapshot } from "../../fakes/catalogue-snapshot.ts";
import { connect, openOffice, readOnly } from "../connections/connect-client.ts";
import { callerOf, type Caller, expectProblem, knock, makeCaller } from "../http/entry.ts";
import { storeAccount } from "./stored-account.ts";

const APPS: readonly GivenApp[] = [
  {
    app: "gmail",
    title: "Gmail",
    description: "Mail by Google.",
    categories: ["communication"],
    actions: [
      {
        action: "GMAIL_SEND_EMAIL",
        title: "Send email",
        description: "Sends a mail to a recipient.",
        input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
        tags: ["important"],
        effect: "probe",
        security: "dangerous",
        because: "It has no hint that says what a repeat does.",
        capabilities: ["email.send"],
      },
      { action: "GMAIL_LIST_THREADS", title: "List threads", description: "Lists mail threads." },
      { action: "GMAIL_DELETE_THREAD", title: "Delete thread", isDestructive: true, security: "critical" },
    ],
    triggers: ["GMAIL_NEW_MESSAGE"],
  },
  {
    app: "linear",
    title: "Linear",
    description: "Tracks issues of a team.",
    categories: ["Developer tools", "communication"],
    actions: [{ action: "LINEAR_CREATE_ISSUE" }, { action: "LINEAR_LIST_ISSUES" }],
  },
  { app: "tavily", title: "Tavily", categories: ["search"], authSchemes: [], actions: [{ action: "TAVILY_SEARCH" }] },
  { app: "gone", title: "Gone", status: "removed", actions: [{ action: "GONE_RUN" }] },
];

function serve(snapshot: CatalogueSnapshot | null): void {
  vi.spyOn(appCatalogueFromEnv(env), "snapshot").mockResolvedValue(ok(snapshot));
}

interface Listed {
  readonly app_name: string;
}

const names = (apps: readonly Listed[]) => apps.map(({ app_name: name }) => name);
const list = async (caller: Caller, query = "") => {
  const answer = await caller.send("GET", `/api/tools/marketplace${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
};

beforeEach(() => serve(makeSnapshot(APPS)));

describe("the marketplace", () => {
  test("lists apps by their actions, with the figures of all that match", async () => {
    const caller = await makeCaller();
    const all = await list(caller);
    expect(names(all.apps)).toEqual(["gmail", "linear", "tavily"]);
    expect(all).toMatchObject({
      total_apps: 3,
      total_actions: 6,
      categories: ["communication", "Developer tools", "search"],
      last_synced: "2026-11-27T00:00:00.000Z",
    });
    expect(all.apps[0]).toEqual({
      id: "gmail",
      app_name: "gmail",
      display_name: "Gmail",
      description: "Mail by Google.",
      logo_url: null,
      categories: ["communication"],
      auth_schemes: ["OAUTH2"],
      action_count: 3,
      trigger_count: 1,
      provider: "composio",
      directory: null,
      status: "active",
      is_added: false,
      is_connected: false,
      connect_states: { me: null, shared: null },
      triggers: [],
    });
    const page = await list(caller, "?limit=1&offset=1");
    expect([names(page.apps), page.total_apps]).toEqual([["linear"], 3]);
    expect(await list(caller, "?offset=3")).toMatchObject({ apps: [], total_apps: 3 });
  });

  test.each([
    ["?search=GOOGLE%20mail", ["gmail"]],
    ["?search=lin", ["linear"]],
    ["?search=team%20gmail", []],
    ["?category=Communication", ["gmail", "linear"]],
    ["?category=developer%20tools&search=issues", ["linear"]],
    ["?category=comm", []],
    ["?app=GMail", ["gmail"]],
    ["?app=gmai", []],
    ["?app=gone", []],
    ["?search=&category=", ["gmail", "linear", "tavily"]],
  ])("%s finds %j", async (query, found) => {
    expect(names((await list(await makeCaller(), query)).apps)).toEqual(found);
  });

  test("fills triggers on request, for a page that is not too large", async () => {
    const caller = await makeCaller();
    const { apps } = await list(caller, "?include=triggers");
    expect(apps[0].triggers).toEqual([
      { name: "GMAIL_NEW_MESSAGE", display_name: "GMAIL_NEW_MESSAGE", description: "" },
    ]);
    expectProblem(await caller.send("GET", "/api/tools/marketplace?include=triggers&limit=11"), 422, "limit");
  });

  test("refuses what it does not know", async () => {
    const caller = await makeCaller();
    for (const [query, field] of [
      ["limit=0", "limit"],
      ["limit=1001", "limit"],
      ["limit=x", "limit"],
      ["offset=-1", "offset"],
      ["include=actions", "include"],
      ["search=a&search=b", "search"],
      [`search=${"x".repeat(501)}`, "search"],
    ] as const)
      expectProblem(await caller.send("GET", `/api/tools/marketplace?${query}`), 422, field);
    expectProblem(await caller.send("GET", "/api/tools/marketplace?sort=name"), 422);
  });

  test("is empty before the first sync, and says so while the catalogue cannot be read", async () => {
    serve(null);
    const caller = await makeCaller();
    expect(await list(caller)).toEqual({
      apps: [],
      total_apps: 0,
      total_actions: 0,
      categories: [],
      last_synced: null,
    });
    expect((await caller.send("GET", "/api/tools/stats")).json).toMatchObject({ total_apps: 0, last_synced: null });
    expectProblem(await caller.send("GET", "/api/tools/gmail/actions"), 404);
    vi.spyOn(appCatalogueFromEnv(env), "snapshot").mockResolvedValue(failed("upstream_failed", "Try again."));
    expectProblem(await caller.send("GET", "/api/tools/marketplace"), 503);
  });
});

describe("the state of an app", () => {
  test("is that of the caller's own and the shared connections, and nobody else's", async () => {
    const office = await openOffice();
    const [ana, ben, stranger] = [await office.add("Ana"), await office.add("Ben"), await makeCaller()];
    await storeAccount(office.tenant, "gmail", ana);
    const stateOf = async (caller: Caller) => {
      const { is_connected: isConnected, connect_states: states } = (await list(caller)).apps[0];
      return { isConnected, ...states };
    };
    expect(await stateOf(ana)).toEqual({ isConnected: true, me: "active", shared: null });
    expect(await stateOf(ben)).toEqual({ isConnected: false, me: null, shared: null });
    await storeAccount(office.tenant, "gmail", { person: null });
    expect(await stateOf(ana)).toEqual({ isConnected: true, me: "active", shared: "active" });
    // A key without a person has the shared ones.
    for (const caller of [ben, office.admin])
      expect(await stateOf(caller)).toEqual({ isConnected: true, me: null, shared: "active" });
    expect(await stateOf(stranger)).toEqual({ isConnected: false, me: null, shared: null });
    expect((await ana.send("GET", "/api/tools/stats")).json).toMatchObject({ connected_apps: 1, total_apps: 4 });
    expect((await stranger.send("GET", "/api/tools/stats")).json).toMatchObject({ connected_apps: 0 });
  });

  test("of a disconnected app is in the workspace's list alone; an own app is named by its title", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana");
    await connect(ana, "ana", { app: "crm" });
    const crm = await readOnly(ana);
    const read = async (path: string) => (await ana.send("GET", path)).json;
    expect(await read("/api/tools/connected")).toEqual({
      apps: [
        expect.objectContaining({
          app_name: "crm",
          display_name: "Crm",
          provider: "oauth",
          status: "active",
          is_connected: true,
          is_listed: false,
          connection_id: crm.id,
          connected_at: crm.created_at,
        }),
      ],
      total: 1,
    });
    await storeAccount(office.tenant, "gmail", ana);
    const [gmail] = (await ana.send("GET", "/v1/connections?app=gmail")).json.data;
    expect(names((await read("/api/tools/connected")).apps)).toEqual(["crm", "gmail"]);
    expect((await ana.send("DELETE", `/v1/connections/${gmail.id}`)).status).toBe(200);
    expect(names((await read("/api/tools/connected")).apps)).toEqual(["crm"]);
    const { apps } = await read("/api/tools/workspace?include=triggers");
    expect(names(apps)).toEqual(["crm", "gmail"]);
    expect(apps[1]).toMatchObject({ is_listed: true, status: "revoked", is_connected: false, triggers: [{}] });
    expect((await list(ana)).apps[0].connect_states).toEqual({ me: "revoked", shared: null });
  });
});

describe("an app", () => {
  test("has its actions with effect, level and reason, in any case of its name", async () => {
    const caller = await makeCaller();
    const read = async (path: string) => await caller.send("GET", `/api/tools/${path}`);
    const all = (await read("GMAIL/actions")).json;
    expect(all.map(({ name }: { name: string }) => name)).toEqual([
      "GMAIL_SEND_EMAIL",
      "GMAIL_LIST_THREADS",
      "GMAIL_DELETE_THREAD",
    ]);
    expect(all[0]).toEqual({
      name: "GMAIL_SEND_EMAIL",
      display_name: "Send email",
      description: "Sends a mail to a recipient.",
      app_name: "gmail",
      parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
      enabled: false,
      tags: ["important"],
      effect: "probe",
      security: "dangerous",
      because: "It has no hint that says what a repeat does.",
      is_overridden: false,
      capabilities: ["email.send"],
      is_destructive: false,
    });
    const found = async (query: string) =>
      (await read(`gmail/actions?${query}`)).json.map(({ name }: { name: string }) => name);
    expect(await found("search=MAIL%20lists")).toEqual(["GMAIL_LIST_THREADS"]);
    expect(await found("search=thread&limit=1&offset=1")).toEqual(["GMAIL_DELETE_THREAD"]);
    expect((await read("gone/actions")).status).toBe(200);
    expectProblem(await read("nothing/actions"), 404);
    expectProblem(await read("gmail/actions?limit=20001"), 422, "limit");
  });

  test("has its triggers", async () => {
    const caller = await makeCaller();
    expect((await caller.send("GET", "/api/tools/Gmail/triggers")).json).toMatchObject([
      { name: "GMAIL_NEW_MESSAGE", app_name: "gmail", config: { type: "object" }, payload: null },
    ]);
    expectProblem(await caller.send("GET", "/api/tools/nothing/triggers"), 404);
  });
});

test("every route needs a key of a tenant, and none is stored by a browser", async () => {
  const paths = ["marketplace", "stats", "connected", "workspace", "gmail/actions", "gmail/triggers"];
  const admin = await makeCaller();
  const bound = await admin.send("POST", "/v1/keys", { name: "bound", scopes: ["tasks:read"], projects: ["sales"] });
  const caller = callerOf(admin.tenant, bound.json.key);
  for (const path of [...paths, "integrations/status"]) {
    expectProblem(await knock("GET", `/api/tools/${path}`), 401);
    expectProblem(await caller.send("GET", `/api/tools/${path}`), 403);
    expect((await admin.send("GET", `/api/tools/${path}`)).headers.get("cache-control")).toBe("no-store");
  }
});
