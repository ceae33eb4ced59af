/** Connected accounts that are read at the provider: by an administrator, and by the sweep. */
import { env } from "cloudflare:workers";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import type { Env } from "../../../adapters/env/bindings.ts";
import { checkConnections } from "../../../workers/connections/checks.ts";
import { newBrowser } from "../mcp/consent-client.ts";
import { askLink, begin, type Member, type Office, openOffice, readOnly } from "../connections/connect-client.ts";
import { asOwner } from "../tenants/reindex-client.ts";
import { setVariables } from "../variables.ts";
import { connectAtProvider, consentAt, control, listAccounts, listStatuses, openProvider } from "./provider.ts";

let used: Env;
let office: Office;
let ana: Member;
let ben: Member;

beforeEach(async () => {
  used = openProvider();
  office = await openOffice();
  [ana, ben] = [await office.add("Ana"), await office.add("Ben")];
});
afterAll(() => setVariables(env, null));

/** Makes the connections of the tenant due for a check. */
async function makeDue(): Promise<void> {
  await asOwner(
    "update entity_connections set last_checked_at = now() - interval '25 hours' where tenant = $1",
    office.tenant,
  );
}

async function idOf(member: Member): Promise<string> {
  return (await listAccounts(office.tenant)).find(({ entity }) => entity.endsWith(member.person))?.id ?? "";
}

const refresh = async (by = office.admin) => await by.send("POST", "/api/tools/refresh-connections", {});

async function readNotices(): Promise<readonly string[]> {
  const { data } = (await office.admin.send("GET", "/v1/deliveries")).json;
  return await Promise.all(
    data.map(async ({ id }: { id: string }) => (await office.admin.send("GET", `/v1/deliveries/${id}`)).text),
  );
}

test("an administrator finds what has ended at the provider, and nothing becomes active by it", async () => {
  await connectAtProvider(ana);
  await connectAtProvider(ben);
  const browser = newBrowser();
  const waiting = await begin(browser, await askLink(ben, { app: "slack" }));
  expect((await refresh()).json).toEqual({ checked: 0, expired: 0, revoked: 0, unread: 0, left: 2 });
  await makeDue();
  expect((await refresh()).json).toEqual({ checked: 2, expired: 0, revoked: 0, unread: 0, left: 0 });
  await control({ expire: await idOf(ana) });
  const back = await consentAt(waiting);
  await makeDue();
  expect((await refresh()).json).toEqual({ checked: 2, expired: 1, revoked: 0, unread: 0, left: 0 });
  expect(await readOnly(ana)).toMatchObject({ status: "expired", why: "Gmail ended the access. Connect it again." });
  // It was agreed to at the provider, and is pending until its browser returns.
  expect([...(await listStatuses(ben))].toSorted()).toEqual(["active", "pending"]);
  await vi.waitFor(
    async () => expect((await readNotices()).join()).toContain("Otto can no longer use your account of Gmail"),
    {
      timeout: 20_000,
    },
  );
  await makeDue();
  await refresh();
  expect(await listStatuses(ana)).toEqual(["expired"]);
  expect((await browser.visit(back)).status).toBe(200);
  expect(await listStatuses(ben)).toEqual(["active", "active"]);
  expect((await refresh(ana)).status).toBe(403);
});

test("an account that was revoked at the provider is revoked here, unless the provider does not say", async () => {
  await connectAtProvider(ana);
  await makeDue();
  const id = await idOf(ana);
  await control({ accounts: { fault: "error", times: 1, of: id } });
  expect((await refresh()).json).toMatchObject({ checked: 0, unread: 1 });
  expect(await listStatuses(ana)).toEqual(["active"]);
  await endAtProvider(id);
  expect((await refresh()).json).toMatchObject({ checked: 1, revoked: 1 });
  expect(await listStatuses(ana)).toEqual(["revoked"]);
});

async function endAtProvider(id: string): Promise<void> {
  const { COMPOSIO_BASE_URL: url = "", COMPOSIO_API_KEY: apiKey = "" } = used;
  const address = `${url}/api/v3.1/connected_accounts/${id}/revoke`;
  await fetch(address, { method: "POST", headers: { "x-api-key": apiKey } });
}

test("another tenant's administrator reaches none of them", async () => {
  await connectAtProvider(ana);
  await makeDue();
  await control({ expire: await idOf(ana) });
  const other = await openOffice();
  expect((await refresh(other.admin)).json).toEqual({ checked: 0, expired: 0, revoked: 0, unread: 0, left: 0 });
  expect(await listStatuses(ana)).toEqual(["active"]);
});

test("the daily check covers accounts that tasks use while their owner is away", async () => {
  await connectAtProvider(ben);
  const browser = newBrowser();
  const page = await begin(browser, await askLink(ana, { app: "gmail" }), { unattended: "on" });
  await browser.visit(await consentAt(page));
  await makeDue();
  for (const member of [ana, ben]) await control({ expire: await idOf(member) });
  await checkConnections(used, Date.now(), Date.now() + 20_000);
  expect(await listStatuses(ana)).toEqual(["expired"]);
  expect(await listStatuses(ben)).toEqual(["active"]);
});
