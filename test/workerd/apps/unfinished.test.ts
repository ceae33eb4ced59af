/** Sign-ins at the provider that nobody finishes: the account that each made there is ended, in each way that it can end. */
import { env } from "cloudflare:workers";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { appCatalogueFromEnv } from "../../../adapters/env/app-catalogue.ts";
import { connectionTableFromEnv } from "../../../adapters/env/connections.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { ok } from "../../../core/base/errors.ts";
import { openConnectState } from "../../../workers/connections/consent.ts";
import { revokeDue } from "../../../workers/connections/revocations.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { makeSnapshot } from "../../fakes/catalogue-snapshot.ts";
import { type ConsentBrowser, newBrowser } from "../mcp/consent-client.ts";
import {
  addApp,
  askLink,
  begin,
  type Member,
  type Office,
  openOffice,
  readOnly,
} from "../connections/connect-client.ts";
import { asOwner } from "../tenants/reindex-client.ts";
import { setVariables } from "../variables.ts";
import {
  beginConsent,
  connectAtProvider,
  control,
  expectNoneActive,
  listAccounts,
  listStatuses,
  openProvider,
} from "./provider.ts";

let used: Env;
let office: Office;
let ana: Member;
let browser: ConsentBrowser;

beforeEach(async () => {
  used = openProvider();
  office = await openOffice();
  ana = await office.add("Ana");
  browser = newBrowser();
});
afterAll(() => setVariables(env, null));

const sweep = async () => await revokeDue(used, Date.now() + 1_000, Date.now() + 20_000);
const statusesAtProvider = async () => (await listAccounts(office.tenant)).map(({ status }) => status);

/** Lets the sign-ins of the tenant have begun earlier. */
async function passMinutes(minutes: number): Promise<void> {
  await asOwner(
    `update entity_connections set pending_until = pending_until - $2::float8 * interval '1 minute',
      flow_account_until = flow_account_until - $2::float8 * interval '1 minute' where tenant = $1`,
    office.tenant,
    minutes,
  );
}

/** Begins a sign-in whose browser does not return: the person consented, and closed the page. */
const agreeOnly = async (more: object = {}) => await beginConsent(browser, ana, more);

test("a sign-in from which nobody returns ends when it expires, and a late return connects nothing", async () => {
  const back = await agreeOnly();
  await sweep();
  expect(await statusesAtProvider()).toEqual(["ACTIVE"]);
  await passMinutes(16);
  await sweep();
  expect(await statusesAtProvider()).toEqual(["REVOKED"]);
  expect((await browser.visit(back)).status).toBe(410);
  expect(await listStatuses(ana)).toEqual([]);
});

test("one whose page nobody used ends too", async () => {
  await begin(browser, await askLink(ana, { app: "gmail" }));
  await passMinutes(16);
  await sweep();
  expect(await statusesAtProvider()).toEqual([]);
});

test("one that the person begins again ends at once, and the second one works", async () => {
  await agreeOnly();
  const back = await beginConsent(browser, ana, {}, "tom@demo.example");
  await vi.waitFor(async () => expect(await statusesAtProvider()).toEqual(["ACTIVE", "REVOKED"]), {
    timeout: 20_000,
    interval: 50,
  });
  expect((await browser.visit(back)).status).toBe(200);
  expect(await readOnly(ana)).toMatchObject({ status: "active", label: "tom@demo.example", revocation: null });
});

test("one that began with a used link ends, and the other browser's works", async () => {
  const path = await askLink(ana, { app: "gmail" });
  const both = await Promise.all([browser, newBrowser()].map((one) => one.submit(`${path}/go`)));
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 410]);
  await vi.waitFor(async () => expect(await statusesAtProvider()).toEqual(["INITIATED"]), {
    timeout: 20_000,
    interval: 50,
  });
});

test("one that fails at the provider ends", async () => {
  const back = await agreeOnly();
  const id = new URL(back, "http://otto.test").searchParams.get("connected_account_id") ?? "";
  await control({ accounts: { fault: "error", times: 3, of: id } });
  expect((await browser.visit(back)).status).toBe(400);
  await sweep();
  await expectNoneActive(office.tenant);
});

test.each(["new", "active", "revoked"] as const)(
  "one of a connection that is %s ends when somebody disconnects it",
  async (state) => {
    if (state !== "new") await connectAtProvider(ana);
    if (state === "revoked") {
      const { id } = await readOnly(ana);
      expect((await ana.send("DELETE", `/v1/connections/${id}`)).json.status).toBe("revoked");
      await expectNoneActive(office.tenant);
    }
    const back = await agreeOnly();
    const { id, status } = await readOnly(ana);
    expect(status).toBe("pending");
    const gone = await ana.send("DELETE", `/v1/connections/${id}`);
    expect([gone.status, gone.json.status], gone.text).toEqual([200, "revoked"]);
    await expectNoneActive(office.tenant);
    expect((await browser.visit(back)).status).toBe(410);
    await vi.waitFor(async () => expect((await readOnly(ana)).revocation).toBeNull(), { timeout: 20_000 });
    expect((await ana.send("DELETE", `/v1/connections/${id}`)).status).toBe(200);
    expect(await listStatuses(ana)).toEqual([]);
  },
);

test("one of a person who is deleted ends, although nobody returns", async () => {
  await agreeOnly();
  expect((await office.admin.send("DELETE", `/v1/people/${ana.person}`)).status).toBe(200);
  await sweep();
  expect(await statusesAtProvider()).toEqual(["REVOKED"]);
});

test("one whose app is gone when the person returns ends", async () => {
  const back = await agreeOnly();
  vi.spyOn(appCatalogueFromEnv(used), "snapshot").mockResolvedValue(ok(makeSnapshot([])));
  const answer = await browser.visit(back);
  expect([answer.status, answer.text.includes("was removed during the sign-in")], answer.text).toEqual([410, true]);
  await expectNoneActive(office.tenant);
});

test("one whose name an import took ends, although no settings of the import fit", async () => {
  const back = await agreeOnly();
  await addApp(office.tenant, "gmail", { title: "Our own mail" });
  expect((await browser.visit(back)).status).toBe(400);
  await expectNoneActive(office.tenant);
});

test("one whose request was killed after the return ends some minutes later, and not before", async () => {
  const back = await agreeOnly();
  const state = await openConnectState(env, new URL(back, "http://otto.test").searchParams.get("state") ?? "");
  if (state === null) throw new Error("no state");
  valueOf(await connectionTableFromEnv(env, office.tenant).takeFlow(state.connection, state.nonce));
  await passMinutes(4);
  await sweep();
  expect(await statusesAtProvider()).toEqual(["ACTIVE"]);
  await passMinutes(2);
  await sweep();
  expect(await statusesAtProvider()).toEqual(["REVOKED"]);
});

test("one that is completed is never ended, also if the sweep runs at the same moment", async () => {
  const back = await agreeOnly();
  const [done] = await Promise.all([browser.visit(back), sweep(), sweep()]);
  expect(done.status, done.text).toBe(200);
  await passMinutes(60);
  await sweep();
  expect(await statusesAtProvider()).toEqual(["ACTIVE"]);
  expect(await readOnly(ana)).toMatchObject({ status: "active", revocation: null });
});

test("one that returns when the sweep may already end it is either connected or ended", async () => {
  const back = await agreeOnly();
  const table = connectionTableFromEnv(env, office.tenant);
  const { connection = "" } =
    (await openConnectState(env, new URL(back, "http://otto.test").searchParams.get("state") ?? "")) ?? {};
  await passMinutes(14.999);
  const [answer] = await Promise.all([browser.visit(back), sweep()]);
  const isConnected = answer.status === 200;
  await passMinutes(60);
  await sweep();
  expect(await statusesAtProvider()).toEqual([isConnected ? "ACTIVE" : "REVOKED"]);
  expect(valueOf(await table.find(connection)).status).toBe(isConnected ? "active" : "new");
});
