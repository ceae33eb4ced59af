/**
 * Consents at the provider that somebody forges, both ways: to use a victim's account, or to have a victim's tasks use
 * theirs. No account of the tenant may stay active at the provider.
 */
import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openConnectState } from "../../../workers/connections/consent.ts";
import { revokeDue } from "../../../workers/connections/revocations.ts";
import { sealState } from "../../../workers/http/consent-state.ts";
import { newBrowser } from "../mcp/consent-client.ts";
import {
  askLink,
  begin,
  type Member,
  type Office,
  openOffice,
  readOnly,
  readTokens,
} from "../connections/connect-client.ts";
import { setVariables } from "../variables.ts";
import {
  beginConsent,
  connectAtProvider,
  consentAt,
  expectNoneActive,
  listAccounts,
  listStatuses,
  openProvider,
} from "./provider.ts";

let office: Office;
let mallory: Member;
let ana: Member;

beforeEach(async () => {
  openProvider();
  office = await openOffice();
  [mallory, ana] = [await office.add("Mallory"), await office.add("Ana", ["tasks:read", "tasks:write", "admin"])];
});
afterAll(() => setVariables(env, null));

async function expectNothing(member: Member): Promise<void> {
  expect(await listStatuses(member)).not.toContain("active");
  await expectNoneActive(office.tenant);
}

const queryOf = (back: string) => new URL(back, "http://otto.test").searchParams;

describe("a browser without the cookie of the consent", () => {
  test("does not complete it, the account is ended, and the thief cannot complete it either", async () => {
    const thief = newBrowser();
    const back = await beginConsent(thief, mallory);
    const victim = await newBrowser().visit(back);
    expect([victim.status, victim.text.includes("Nothing was connected")]).toEqual([403, true]);
    await expectNothing(mallory);
    expect((await thief.visit(back)).status).toBe(410);
    await expectNothing(mallory);
  });

  test("does not bind a thief's account to the victim's tasks, and the victim is notified once", async () => {
    const back = await beginConsent(newBrowser(), ana, {}, "tom@demo.example");
    const thief = newBrowser();
    for (let round = 0; round < 2; round += 1) expect((await thief.visit(back)).status).toBe(403);
    await expectNothing(ana);
    const readNotices = async () => {
      const { data } = (await ana.send("GET", "/v1/deliveries")).json;
      const sent = data.map(async ({ id }: { id: string }) => (await ana.send("GET", `/v1/deliveries/${id}`)).text);
      const texts: readonly string[] = await Promise.all(sent);
      const about = texts.filter((text) => text.includes("Somebody else finished a link of yours"));
      expect(about).toHaveLength(1);
    };
    await vi.waitFor(readNotices, { timeout: 20_000, interval: 50 });
  });

  test("ends no account that worked before", async () => {
    await connectAtProvider(ana);
    const { id } = await readOnly(ana);
    const before = await readTokens(ana.tenant, id);
    const back = await beginConsent(newBrowser(), ana, {}, "tom@demo.example");
    expect((await newBrowser().visit(back)).status).toBe(403);
    const ended = queryOf(back).get("connected_account_id");
    await vi.waitFor(
      async () => {
        const [made] = await listAccounts(office.tenant);
        expect(made).toMatchObject({ id: ended, status: "REVOKED" });
      },
      { timeout: 20_000, interval: 50 },
    );
    expect(await readOnly(ana)).toMatchObject({ status: "active", label: "ana@demo.example", revocation: null });
    expect(await readTokens(ana.tenant, id)).toEqual(before);
    expect((await listAccounts(office.tenant)).filter(({ status }) => status === "ACTIVE")).toHaveLength(1);
  });

  test("with the cookie of another consent is still another browser", async () => {
    const thief = newBrowser();
    await begin(thief, await askLink(mallory, { app: "gmail" }));
    const back = await beginConsent(newBrowser(), ana);
    expect((await thief.visit(back)).status).toBe(403);
    await expectNothing(ana);
  });
});

describe("a return", () => {
  test("counts once, and a repeat changes nothing", async () => {
    const browser = newBrowser();
    const back = await beginConsent(browser, ana);
    expect((await browser.visit(back)).status).toBe(200);
    for (const other of [browser, newBrowser()]) await other.visit(back);
    const again = await browser.visit(back);
    expect([again.status, again.text.includes("Gmail is connected as ana@demo.example")], again.text).toEqual([
      410,
      true,
    ]);
    expect(await readOnly(ana)).toMatchObject({ status: "active", revocation: null });
    expect((await listAccounts(office.tenant)).map(({ status }) => status)).toEqual(["ACTIVE"]);
  });

  test("connects the account of its own link, whichever it names", async () => {
    await connectAtProvider(mallory, {}, "tom@demo.example");
    const theirs = (await listAccounts(office.tenant))[0]?.id ?? "";
    const browser = newBrowser();
    const back = await beginConsent(browser, ana);
    const query = queryOf(back);
    const own = query.get("connected_account_id");
    query.set("connected_account_id", theirs);
    query.set("status", "success");
    expect((await browser.visit(`/api/composio/callback?${query.toString()}`)).status).toBe(200);
    const { id } = await readOnly(ana);
    expect(await readTokens(ana.tenant, id)).toEqual({ kind: "account", providerId: own });
  });

  test("that claims success without a consent connects nothing", async () => {
    const browser = newBrowser();
    const page = await begin(browser, await askLink(ana, { app: "gmail" }));
    await connectAtProvider(mallory, {}, "tom@demo.example");
    const stolen = (await listAccounts(office.tenant))[0]?.id ?? "";
    const back = await beginConsent(newBrowser(), mallory, { alias: "two" });
    const query = queryOf(back);
    query.set("connected_account_id", stolen);
    // Mallory's state in Ana's browser, which has a cookie of its own consent alone.
    expect((await browser.visit(`/api/composio/callback?${query.toString()}`)).status).toBe(403);
    expect(await listStatuses(ana)).toEqual(["pending"]);
    expect((await browser.visit(await consentAt(page))).status).toBe(200);
  });

  test("of a consent that a later one replaced connects nothing, and its account is ended", async () => {
    const [first, second] = [newBrowser(), newBrowser()];
    const early = await beginConsent(first, ana);
    const late = await beginConsent(second, ana, {}, "tom@demo.example");
    expect((await first.visit(early)).status).toBe(410);
    expect((await second.visit(late)).status).toBe(200);
    expect(await readOnly(ana)).toMatchObject({ status: "active", label: "tom@demo.example" });
    // The sweep takes what no visitor of the page revoked.
    await revokeDue(openProvider(), Date.now(), Date.now() + 20_000);
    const active = (await listAccounts(office.tenant)).filter(({ status }) => status === "ACTIVE");
    expect(active.map(({ id }) => id)).toEqual([queryOf(late).get("connected_account_id")]);
  });

  test("counts for its tenant, person, app and connection alone", async () => {
    const browser = newBrowser();
    const back = await beginConsent(browser, ana);
    const query = queryOf(back);
    const ours = await openConnectState(env, query.get("state") ?? "");
    if (ours === null) throw new Error("no state");
    await connectAtProvider(mallory);
    const [theirs] = (await mallory.send("GET", "/v1/connections")).json.data;
    const other = await openOffice();
    for (const change of [
      { person: mallory.person },
      { person: null },
      { app: "slack" },
      { connection: theirs.id },
      { tenant: other.tenant },
    ]) {
      query.set("state", await sealState(env, "connect-state", { ...ours, ...change }));
      const answer = await browser.visit(`/api/composio/callback?${query.toString()}`);
      expect([400, 410], JSON.stringify(change)).toContain(answer.status);
    }
    for (const state of ["x", await sealState(env, "connect-link", ours)]) {
      query.set("state", state);
      expect((await browser.visit(`/api/composio/callback?${query.toString()}`)).status).toBe(400);
    }
    expect((await browser.visit("/api/composio/callback?status=success")).status).toBe(422);
    expect(await listStatuses(ana)).toEqual(["pending"]);
    expect((await browser.visit(back)).status).toBe(200);
  });

  test("whose person was deleted meanwhile leaves no account", async () => {
    const browser = newBrowser();
    const back = await beginConsent(browser, mallory);
    expect((await office.admin.send("DELETE", `/v1/people/${mallory.person}`)).status).toBe(200);
    expect((await browser.visit(back)).status).toBe(410);
    await expectNoneActive(office.tenant);
  });

  test("of a deleted person ends no account of another one", async () => {
    await connectAtProvider(ana);
    const theirs = (await listAccounts(office.tenant))[0]?.id ?? "";
    const browser = newBrowser();
    const query = queryOf(await beginConsent(browser, mallory));
    await office.admin.send("DELETE", `/v1/people/${mallory.person}`);
    query.set("connected_account_id", theirs);
    expect((await browser.visit(`/api/composio/callback?${query.toString()}`)).status).toBe(410);
    expect((await listAccounts(office.tenant)).find(({ id }) => id === theirs)?.status).toBe("ACTIVE");
  });
});

test("the accounts of a person who is deleted end at the provider", async () => {
  await connectAtProvider(mallory);
  await office.admin.send("DELETE", `/v1/people/${mallory.person}`);
  await revokeDue(openProvider(), Date.now() + 1_000, Date.now() + 20_000);
  await expectNoneActive(office.tenant);
});
