/** Keys of the provider that tenants put for themselves: whom they serve, what they end, and where they are never found. */
import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { appCallsFromEnv } from "../../../adapters/env/app-calls.ts";
import { catalogueSyncsFromEnv } from "../../../adapters/env/app-catalogue.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { connectionCaches } from "../../../adapters/env/connection-caches.ts";
import { connectionTableFromEnv } from "../../../adapters/env/connections.ts";
import { catalogueSourceFromEnv } from "../../../adapters/env/tenant-provider.ts";
import { type Connection, toAccount } from "../../../core/connections/connection.ts";
import { OTHER_KEY } from "../../../core/connections/provider-key.ts";
import { ok } from "../../../core/base/errors.ts";
import { valueOf } from "../../contracts/value-of.ts";
import {
  type Canaries,
  expectNowhere,
  readObject,
  readReplies,
  readRows,
  type Texts,
} from "../connections/canary-search.ts";
import { type Member, type Office, openOffice } from "../connections/connect-client.ts";
import { type Caller, expectProblem } from "../http/entry.ts";
import { newBrowser } from "../mcp/consent-client.ts";
import { asOwner } from "../tenants/reindex-client.ts";
import { tenantStub } from "../tenant/client.ts";
import { setVariables } from "../variables.ts";
import { beginConsent, connectAtProvider, control, expectNoneActive, listAccounts, openProvider } from "./provider.ts";

const PATH = "/v1/integrations/composio";
const DISABLED = "Integrations are disabled — no Composio API key is configured.";

let used: Env;
let office: Office;
let ana: Member;

beforeEach(async () => {
  used = openProvider(undefined, { COMPOSIO_API_KEY: "" });
  office = await openOffice();
  ana = await office.add("Ana");
});
afterAll(() => setVariables(env, null));

const newKey = () => `demo-own-${crypto.randomUUID()}`;
const put = async (by: Caller, key: string) => (await by.send("PUT", PATH, { api_key: key })).json;
const findOnly = async (of: Office): Promise<Connection> => {
  const listed = valueOf(await connectionTableFromEnv(env, of.tenant).list({ person: null, all: true, limit: 9 }));
  expect(listed).toHaveLength(1);
  return listed[0] as Connection;
};
const call = async (tenant: string, connection: Connection | null, log: (line: object) => void = () => undefined) =>
  await appCallsFromEnv(used, tenant, log).execute({
    app: connection?.app ?? "tavily",
    action: connection === null ? "TAVILY_SEARCH" : "GMAIL_FETCH_EMAILS",
    version: "20261105_00",
    arguments: connection === null ? { query: "otto" } : {},
    account: connection === null ? null : toAccount(connection),
    key: "k",
    requestId: crypto.randomUUID(),
    timeoutMs: 10_000,
    signal: new AbortController().signal,
  });

describe("a tenant's own key", () => {
  test("serves that tenant alone: its links, accounts and calls", async () => {
    const [key, other] = [newKey(), await openOffice()];
    const stranger = await other.add("Stranger");
    expect((await office.admin.send("GET", PATH)).json).toEqual({
      served_by: "none",
      own_key: null,
      has_operator_key: false,
    });
    expect(await put(office.admin, key)).toEqual({
      served_by: "own",
      own_key: { created_at: expect.any(String), refused_at: null },
      has_operator_key: false,
      expired_connections: 0,
    });
    expect((await ana.send("GET", "/api/tools/integrations/status")).json).toEqual({
      status: "on",
      message: null,
      served_by: "own",
    });
    expect((await connectAtProvider(ana)).status).toBe(200);
    expect(await listAccounts(office.tenant)).toMatchObject([{ project: key, status: "ACTIVE" }]);
    expect(await call(office.tenant, await findOnly(office))).toMatchObject({ ok: true });
    // The catalogue is filled, and the other tenant has no key.
    expect((await stranger.send("GET", "/api/tools/marketplace?app=gmail")).json.total_apps).toBe(1);
    expect((await stranger.send("GET", "/api/tools/integrations/status")).json).toEqual({
      status: "integrations_unavailable",
      message: DISABLED,
      served_by: "none",
    });
    const refused = await stranger.send("POST", "/api/tools/connect", { app_name: "gmail" });
    expect([refused.status, refused.json.detail]).toEqual([422, DISABLED]);
    for (const account of [null, await findOnly(office)])
      expect(await call(other.tenant, account)).toMatchObject({ error: { code: "not_available", happened: "no" } });
    expectProblem(await ana.send("PUT", PATH, { api_key: key }), 403);
    expectProblem(await ana.send("DELETE", PATH), 403);
  });

  test("is checked before it is stored", async () => {
    const refused = newKey();
    await control({ refuseKey: refused });
    const answer = await office.admin.send("PUT", PATH, { api_key: refused });
    expectProblem(answer, 422, "api_key");
    expect(answer.text).toContain("Composio refused this key (HTTP 401)");
    expect(answer.text).not.toContain(refused);
    await control({ refuseKey: null, accounts: { fault: "error", times: 1, of: "/auth_configs?limit=1" } });
    expectProblem(await office.admin.send("PUT", PATH, { api_key: refused }), 503);
    for (const wrong of ["short", "with a space", `ak_${"ü".repeat(9)}`, "x".repeat(201)])
      expectProblem(await office.admin.send("PUT", PATH, { api_key: wrong }), 422, "api_key");
    expect(await asOwner("select id from provider_keys where tenant = $1", office.tenant)).toEqual([]);
  });

  test("ends what the operator's key connected, and its removal what it connected itself", async () => {
    used = openProvider();
    const key = newKey();
    await connectAtProvider(ana);
    const first = await findOnly(office);
    expect(await put(office.admin, key)).toMatchObject({ served_by: "own", expired_connections: 1 });
    expect(await findOnly(office)).toMatchObject({ status: "expired", why: OTHER_KEY });
    const effects = (await control()).effects.length;
    expect(await call(office.tenant, first)).toMatchObject({
      error: { happened: "no", cause: { kind: "connection_ended", connection: first.id } },
    });
    expect((await control()).effects).toHaveLength(effects);
    // The same key again ends nothing.
    await connectAtProvider(ana);
    const second = await findOnly(office);
    expect(await put(office.admin, key)).toMatchObject({ expired_connections: 0 });
    expect(await call(office.tenant, second)).toMatchObject({ ok: true });
    expect((await listAccounts(office.tenant)).map(({ project }) => project)).toEqual([key, undefined]);
    const removed = (await office.admin.send("DELETE", PATH)).json;
    expect(removed).toMatchObject({ served_by: "operator", own_key: null, expired_connections: 1 });
    expect(await call(office.tenant, second)).toMatchObject({ error: { cause: { kind: "connection_ended" } } });
    expect((await office.admin.send("DELETE", PATH)).json).toMatchObject({ expired_connections: 0 });
    await connectAtProvider(ana);
    expect(await call(office.tenant, await findOnly(office))).toMatchObject({ ok: true });
    const acts = (await office.admin.send("GET", "/v1/audit?target=composio")).json.data;
    expect(acts.map(({ action }: { action: string }) => action)).toEqual(["provider_key.remove", "provider_key.set"]);
  });

  test("that this isolate does not know yet ends no account that it made", async () => {
    used = openProvider();
    await put(office.admin, newKey());
    await connectAtProvider(ana);
    await asOwner("update entity_connections set last_checked_at = null where tenant = $1", office.tenant);
    connectionCaches.providerKeys.store(`${office.tenant} `, { own: null }, Date.now());
    expect((await office.admin.send("POST", "/api/tools/refresh-connections", {})).json).toMatchObject({ checked: 1 });
    expect(await findOnly(office)).toMatchObject({ status: "active" });
  });

  test("leaves an account to be revoked with the key that made it", async () => {
    used = openProvider();
    await connectAtProvider(ana);
    await put(office.admin, newKey());
    await ana.send("POST", "/api/tools/disconnect", { app_name: "gmail" });
    await expectNoneActive(office.tenant);
  });

  test("that changes during a sign-in stores no account of the earlier one", async () => {
    used = openProvider();
    const browser = newBrowser();
    const back = await beginConsent(browser, ana);
    await put(office.admin, newKey());
    const page = await browser.visit(back);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining("changed during the sign-in")]);
    await expectNoneActive(office.tenant);
    expect((await ana.send("GET", "/v1/connections")).text).not.toContain('"active"');
  });

  test("fills the catalogue where the operator has none, and only its tenant starts that", async () => {
    await asOwner("delete from provider_keys");
    expect(valueOf(await catalogueSourceFromEnv(used))).toBeNull();
    const [key, other] = [newKey(), await openOffice()];
    await put(office.admin, key);
    const source = valueOf(await catalogueSourceFromEnv(used));
    expect(source?.isOfTenant).toBe(true);
    const page = valueOf((await source?.actions(null)) ?? { ok: false, error: { code: "internal", message: "none" } });
    expect(page.items.some(({ app }) => app === "northwind_ledger")).toBe(true);
    // Another test may have begun one just now.
    const begin = vi.spyOn(catalogueSyncsFromEnv(used), "history").mockResolvedValue(ok([]));
    expectProblem(await other.admin.send("POST", "/api/tools/sync"), 422);
    expect(begin).toHaveBeenCalled();
    await put(other.admin, newKey());
    await control({ refuseKey: key });
    expect(await source?.apps(null)).toMatchObject({ error: { retry: "never", cause: { kind: "key_refused" } } });
    await control({ refuseKey: null });
    expect((await office.admin.send("GET", PATH)).json.own_key.refused_at).toEqual(expect.any(String));
    const [row] = await asOwner("select tenant from otto_first_provider_key('composio')");
    expect(row).toEqual({ tenant: other.tenant });
  });

  test("is found nowhere", async () => {
    const logged: string[] = [];
    for (const method of ["log", "info", "warn", "error", "debug"] as const)
      vi.spyOn(console, method).mockImplementation((...given) => void logged.push(given.map(String).join(" ")));
    const [key, refused] = [newKey(), newKey()];
    const canaries: Canaries = new Map([
      ["the key", key],
      ["a refused key", refused],
    ]);
    const texts: Texts = new Map();
    texts.set("saving", (await office.admin.send("PUT", PATH, { api_key: key })).text);
    await control({ refuseKey: refused });
    texts.set("refusing", (await office.admin.send("PUT", PATH, { api_key: refused })).text);
    await control({ refuseKey: key });
    texts.set("connecting", (await connectRefused()).padEnd(60));
    await control({ refuseKey: null });
    await connectAtProvider(ana);
    const lines: object[] = [];
    texts.set("a call", JSON.stringify(await call(office.tenant, await findOnly(office), (line) => lines.push(line))));
    texts.set("its line", JSON.stringify(lines).padEnd(60));
    texts.set("the state", (await office.admin.send("GET", PATH)).text);
    for (const by of [ana, office.admin]) texts.set(`replies ${by === ana}`, await readReplies(by, [], []));
    texts.set("Postgres", await readRows(office.tenant));
    texts.set("the tenant's object", await readObject(tenantStub(office.tenant)));
    texts.set("the log", logged.join("\n").padEnd(60));
    await expectNowhere(canaries, texts);
  });
});

/** What a person reads while the provider refuses the key. */
async function connectRefused(): Promise<string> {
  const made = await ana.send("POST", "/v1/connections", { app: "gmail" });
  const page = await newBrowser().submit(`${new URL(made.json.connect_url).pathname}/go`, {});
  expect(page.text).toContain("rejected the key of this workspace");
  return page.text;
}
