/** Accounts of apps in the catalogue: connecting, disconnecting and checking them, in two tenants and through faults. */
import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, inject, test, vi } from "vitest";
import {
  connectionTableFromEnv,
  connectionsFromEnv,
  forgetConnectionsFromEnv,
} from "../../../adapters/env/connections.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { providerAccountsFromEnv } from "../../../adapters/env/provider-accounts.ts";
import type { Account } from "../../../core/connections/account.ts";
import { OPERATOR_KEY } from "../../../core/connections/provider-key.ts";
import { toAccount } from "../../../core/connections/connection.ts";
import { revokeDue } from "../../../workers/connections/revocations.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { newBrowser } from "../mcp/consent-client.ts";
import { asOwner } from "../tenants/reindex-client.ts";
import {
  addApp,
  askLink,
  begin,
  type Member,
  type Office,
  openOffice,
  readOnly,
} from "../connections/connect-client.ts";
import { setVariables } from "../variables.ts";
import {
  beginConsent,
  connectAtProvider,
  consentAt,
  control,
  expectNoneActive,
  listAccounts,
  listStatuses,
  openProvider,
  readLatest,
} from "./provider.ts";

const SCOPES = ["tasks:read", "tasks:write", "admin"] as const;

let used: Env;
let office: Office;
let ana: Member;
let ben: Member;

beforeEach(async () => {
  used = openProvider();
  office = await openOffice();
  [ana, ben] = [await office.add("Ana", SCOPES), await office.add("Ben")];
});
afterAll(() => setVariables(env, null));

async function accountOf(member: Member): Promise<Account> {
  const { id } = await readOnly(member);
  return toAccount(valueOf(await connectionTableFromEnv(env, member.tenant).find(id)));
}

/** The actions for which the provider was asked, by consent settings. */
async function listAsked(): Promise<readonly (readonly string[])[]> {
  const { url, apiKey } = inject("servers").demoApps;
  const reply = await fetch(`${url}/api/v3.1/auth_configs?toolkit_slug=gmail`, { headers: { "x-api-key": apiKey } });
  const { items } = await reply.json<{
    items: { tool_access_config: { tools_for_connected_account_creation: string[] } }[];
  }>();
  return items.map((one) => one.tool_access_config.tools_for_connected_account_creation);
}

describe("connecting", () => {
  test("stores the account that the person's consent made at the provider", async () => {
    const browser = newBrowser();
    const path = await askLink(ana, { app: "gmail" });
    const page = await browser.visit(path);
    expect(page.status, page.text).toBe(200);
    expect(page.text).toContain("Continue to <bdi>Gmail</bdi>");
    const back = await consentAt(await begin(browser, path, { unattended: "on" }));
    expect(await readOnly(ana)).toMatchObject({ status: "pending", provider: "composio" });
    const done = await browser.visit(back);
    expect(done.status, done.text).toBe(200);
    expect(done.text).toContain("<bdi>Gmail</bdi> is connected as <bdi>ana@demo.example</bdi>.");
    const connection = await readOnly(ana);
    expect(connection).toMatchObject({
      app: "gmail",
      provider: "composio",
      owner: { kind: "person", id: ana.person },
      status: "active",
      label: "ana@demo.example",
      scopes: null,
      unattended: true,
      revocation: null,
    });
    const { id, entity, status } = await readLatest(office.tenant);
    expect([entity, status]).toEqual([`${office.tenant}.${ana.person}`, "ACTIVE"]);
    const account = await accountOf(ana);
    expect(valueOf(await providerAccountsFromEnv(env, office.tenant, OPERATOR_KEY).find(account))).toEqual({
      connection: connection.id,
      entity,
      providerId: id,
    });
    const bearer = await connectionsFromEnv(used, office.tenant).bearer(account);
    expect(bearer).toMatchObject({ error: { code: "blocked_by_policy" } });
    const app = { app: "gmail", title: "Gmail", provider: "composio", owners: ["me", "shared"] };
    expect((await ana.send("GET", "/v1/apps")).json.data).toContainEqual(app);
    expect((await ben.send("GET", "/v1/apps")).json.data).not.toContainEqual(app);
  });

  test("keeps the people of two tenants apart, and the shared account too", async () => {
    const other = await openOffice();
    const stranger = await other.add("Stranger");
    for (const [member, more] of [
      [ana, {}],
      [ben, {}],
      [ana, { owner: "shared" }],
      [stranger, {}],
    ] as const)
      expect((await connectAtProvider(member, more)).status).toBe(200);
    const entities = (await listAccounts(office.tenant)).map(({ entity }) => entity);
    const expected = [`${office.tenant}.shared`, `${office.tenant}.${ben.person}`, `${office.tenant}.${ana.person}`];
    expect(entities).toEqual(expected);
    expect((await listAccounts(other.tenant)).map(({ entity }) => entity)).toEqual([
      `${other.tenant}.${stranger.person}`,
    ]);
    const account = await accountOf(stranger);
    expect(await providerAccountsFromEnv(env, office.tenant, OPERATOR_KEY).find(account)).toMatchObject({
      error: { cause: { kind: "connection_ended" } },
    });
  });

  test("asks the provider for the rights that the reading actions need, and once it is added, for those of its enabled ones", async () => {
    const before = (await control()).requests.length;
    await begin(newBrowser(), await askLink(ana, { app: "gmail" }));
    const { requests } = await control();
    expect(requests.slice(before).some((one) => one.startsWith("POST /connected_accounts/link"))).toBe(true);
    expect(await listAsked()).toContainEqual(["GMAIL_FETCH_EMAILS"]);
    await ana.send("POST", "/api/tools/add-to-workspace", { app_name: "gmail" });
    await begin(newBrowser(), await askLink(ana, { app: "gmail" }));
    expect(await listAsked()).toContainEqual(["GMAIL_FETCH_EMAILS", "GMAIL_SEND_EMAIL"]);
  });

  test("again makes another consent, and the first id is given no more", async () => {
    await connectAtProvider(ana);
    const first = await accountOf(ana);
    expect((await connectAtProvider(ana, {}, "tom@demo.example")).status).toBe(200);
    const second = await accountOf(ana);
    expect([second.connection, second.consent, second.label]).toEqual([first.connection, 2, "tom@demo.example"]);
    const accounts = providerAccountsFromEnv(env, office.tenant, OPERATOR_KEY);
    expect(await accounts.find(first)).toMatchObject({ error: { code: "conflict" } });
    const [latest] = await listAccounts(office.tenant);
    expect(valueOf(await accounts.find(second)).providerId).toBe(latest?.id);
  });

  test("is refused for an app without accounts, for one to set up first, and for an unknown one", async () => {
    for (const [app, text] of [
      ["tavily", "needs no account"],
      ["shopify", "https://docs.example.com/auth/shopify"],
    ] as const) {
      for (const [path, body] of [
        ["/v1/connections", { app }],
        ["/api/tools/connect", { app_name: app }],
      ] as const) {
        const answer = await ana.send("POST", path, body);
        expect([answer.status, answer.json.code], answer.text).toEqual([422, "not_available"]);
        expect(answer.json.detail).toContain(text);
      }
    }
    expect((await ana.send("POST", "/api/tools/connect", { app_name: "nothing" })).status).toBe(404);
  });

  test("takes the tenant's own app of that name first", async () => {
    await addApp(office.tenant, "gmail", { title: "Our own mail" });
    const browser = newBrowser();
    const page = await begin(browser, await askLink(ana, { app: "gmail" }));
    expect(new URL(page).origin).toBe(new URL(inject("servers").oauthApp).origin);
    expect(await readOnly(ana)).toMatchObject({ provider: "oauth" });
  });

  test("after a kill between the consent and the return continues with the same return", async () => {
    const browser = newBrowser();
    const back = await beginConsent(browser, ana);
    // Another isolate has read nothing.
    used = openProvider();
    forgetConnectionsFromEnv(env, office.tenant);
    expect((await browser.visit(back)).status).toBe(200);
    expect(await listStatuses(ana)).toEqual(["active"]);
  });

  test("leaves nothing connected when the person declines", async () => {
    const browser = newBrowser();
    const answer = await browser.visit(await beginConsent(browser, ana, {}, ""));
    expect([answer.status, answer.text.includes("declined at Gmail")]).toEqual([400, true]);
    expect(await readOnly(ana)).toMatchObject({ status: "failed", why: expect.stringContaining("declined") });
    await vi.waitFor(async () => expect(await listAccounts(office.tenant)).toEqual([]), { timeout: 20_000 });
  });
});

describe("a fault of the provider", () => {
  const entity = () => `${office.tenant}.${ana.person}`;

  test.each(["rate_limited", "error"] as const)("before the consent (%s) leaves the link unused", async (fault) => {
    await control({ accounts: { fault, times: 9, of: entity() } });
    const [browser, path] = [newBrowser(), await askLink(ana, { app: "gmail" })];
    const failed = await browser.submit(`${path}/go`);
    expect([failed.status, failed.text.includes("Couldn't connect Gmail")], failed.text).toEqual([200, true]);
    expect(await listStatuses(ana)).toEqual([]);
    await control({ accounts: null });
    expect((await browser.visit(await consentAt(await begin(browser, path)))).status).toBe(200);
  });

  test.each(["rate_limited", "error"] as const)("at the return (%s) is waited for when it is short", async (fault) => {
    const browser = newBrowser();
    const back = await beginConsent(browser, ana);
    const id = new URL(back, "http://otto.test").searchParams.get("connected_account_id") ?? "";
    await control({ accounts: { fault, times: 2, of: id } });
    expect((await browser.visit(back)).status).toBe(200);
    expect(await listStatuses(ana)).toEqual(["active"]);
  });

  test.each(["error", "hang"] as const)(
    "at the return (%s) that lasts connects nothing, and the account is ended later",
    async (fault) => {
      const browser = newBrowser();
      const back = await beginConsent(browser, ana);
      const id = new URL(back, "http://otto.test").searchParams.get("connected_account_id") ?? "";
      await control({ accounts: { fault, times: fault === "hang" ? 1 : 3, of: id } });
      const answer = await browser.visit(back);
      expect(answer.status, answer.text).toBe(400);
      expect(await readOnly(ana)).toMatchObject({ status: "failed" });
      await expectNoneActive(office.tenant);
      expect((await browser.visit(back)).status).toBe(410);
      expect((await connectAtProvider(ana)).status).toBe(200);
    },
  );

  test("that lost the account, or ended it before the return, connects nothing", async () => {
    for (const end of ["expire", "delete"] as const) {
      const browser = newBrowser();
      const back = await beginConsent(browser, ana);
      const id = new URL(back, "http://otto.test").searchParams.get("connected_account_id") ?? "";
      if (end === "expire") await control({ expire: id });
      else await callProvider("DELETE", id);
      const answer = await browser.visit(back);
      expect(answer.status, answer.text).toBe(400);
      expect(await readOnly(ana)).toMatchObject({ status: "failed" });
    }
  });
});

async function callProvider(method: string, id: string, path = ""): Promise<void> {
  const { url, apiKey } = inject("servers").demoApps;
  await fetch(`${url}/api/v3.1/connected_accounts/${id}${path}`, { method, headers: { "x-api-key": apiKey } });
}

describe("by the names of document 002", () => {
  test("an app is connected in any case, with a way back to Otto alone", async () => {
    const body = { app_name: "GMAIL", callback_url: "http://otto.test/apps/gmail?tab=accounts" };
    const made = await ana.send("POST", "/api/tools/connect", body);
    expect([made.status, made.json.app_name], made.text).toEqual([200, "gmail"]);
    const browser = newBrowser();
    const path = new URL(made.json.redirect_url).pathname;
    const done = await browser.visit(await consentAt(await begin(browser, path)));
    expect([done.status, done.headers.get("location")]).toEqual([303, body.callback_url]);
    expect(await listStatuses(ana)).toEqual(["active"]);
    for (const callback_url of [
      "https://evil.example/",
      "//evil.example/",
      "http://otto.test.evil.example/",
      "http://otto.test:81/",
      "javascript:alert(1)",
      "https://otto.test/",
    ]) {
      const refused = await ana.send("POST", "/api/tools/connect", { app_name: "gmail", callback_url });
      expect([refused.status, refused.json.errors?.[0]?.field], callback_url).toEqual([422, "callback_url"]);
    }
    const twoSlashes = { app_name: "gmail", callback_url: "http://otto.test//evil.example/" };
    const again = await ana.send("POST", "/api/tools/connect", twoSlashes);
    const other = newBrowser();
    const end = await other.visit(await consentAt(await begin(other, new URL(again.json.redirect_url).pathname)));
    expect(new URL(end.headers.get("location") ?? "", "http://otto.test").host).toBe("otto.test");
  });

  test("the shared account is an administrator's, and a key without a person has none of its own", async () => {
    const forbidden = await ben.send("POST", "/api/tools/connect", { app_name: "gmail", owner: "shared" });
    expect(forbidden.status).toBe(403);
    expect((await office.admin.send("POST", "/api/tools/connect", { app_name: "gmail" })).status).toBe(422);
    expect((await ana.send("POST", "/api/tools/connect", { app_name: "gmail", owner: "shared" })).status).toBe(200);
    await connectAtProvider(ana, { owner: "shared" });
    expect((await ben.send("POST", "/api/tools/disconnect", { app_name: "gmail", owner: "shared" })).status).toBe(403);
    expect((await ben.send("POST", "/api/tools/disconnect", { app_name: "gmail" })).status).toBe(404);
    expect(await listStatuses(ana)).toEqual(["active"]);
  });

  test("an app is disconnected in Otto at once, and at the provider, for its owner alone", async () => {
    await connectAtProvider(ana);
    await connectAtProvider(ben);
    const account = await accountOf(ana);
    const accounts = providerAccountsFromEnv(env, office.tenant, OPERATOR_KEY);
    expect((await accounts.find(account)).ok).toBe(true);
    const gone = await ana.send("POST", "/api/tools/disconnect", { app_name: "Gmail" });
    expect(gone.json, gone.text).toEqual({
      status: "success",
      message: "The account was disconnected.",
      app_name: "gmail",
    });
    expect(await accounts.find(account)).toMatchObject({ error: { cause: { kind: "connection_ended" } } });
    const statusesOf = async (member: Member) =>
      (await listAccounts(office.tenant))
        .filter(({ entity }) => entity.endsWith(member.person))
        .map(({ status }) => status);
    await vi.waitFor(async () => expect(await statusesOf(ana)).toEqual(["REVOKED"]), { timeout: 20_000, interval: 50 });
    expect(await statusesOf(ben)).toEqual(["ACTIVE"]);
    expect((await ana.send("POST", "/api/tools/disconnect", { app_name: "gmail" })).status).toBe(404);
    const audit = (await office.admin.send("GET", "/v1/audit")).text;
    expect(audit).toContain("connection.revoke");
  });

  test("a revocation that the provider did not answer is repeated by the outbox", async () => {
    await connectAtProvider(ana);
    const { id } = await readLatest(office.tenant);
    await control({ accounts: { fault: "error", times: 1, of: id } });
    await ana.send("POST", "/api/tools/disconnect", { app_name: "gmail" });
    const hasTried = async () => expect((await readOnly(ana)).revocation).toMatchObject({ state: "open" });
    await vi.waitFor(hasTried, { timeout: 20_000, interval: 50 });
    expect(await listAccounts(office.tenant)).toMatchObject([{ status: "ACTIVE" }]);
    // The next attempt is due after a minute.
    await asOwner("update entity_connections set revoke_at = now() where tenant = $1", office.tenant);
    await revokeDue(used, Date.now() + 60_000, Date.now() + 20_000);
    await expectNoneActive(office.tenant);
    expect((await readOnly(ana)).revocation).toBeNull();
  });
});
