/**
 * Consents that somebody forges, both ways: to use a victim's account, or to have a victim's tasks use theirs. The mock app
 * counts its active grants: none may be left.
 */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, test, vi } from "vitest";
import { openConnectState } from "../../../workers/connections/consent.ts";
import { makeConnectUrl } from "../../../workers/connections/connect-token.ts";
import { sealState } from "../../../workers/http/consent-state.ts";
import { type ConsentBrowser, newBrowser } from "../mcp/consent-client.ts";
import { agree, askLink, begin, connect, type Member, type Office, openOffice, readOnly } from "./connect-client.ts";

const url = () => inject("servers").countedOAuthApp;

/** Sends orders to the mock app (`test/mock-servers/oauth-app-control.ts`). */
async function control(orders: object): Promise<{ readonly active: number; readonly visits: readonly string[] }> {
  return await (await fetch(`${url()}/control`, { method: "POST", body: JSON.stringify(orders) })).json();
}

const countActive = async () => (await control({})).active;

async function openCounted(): Promise<Office> {
  return await openOffice({ at: { kind: "issuer", issuer: url() }, hosts: [new URL(url()).host] });
}

async function expectNothing(member: Member): Promise<void> {
  const { data } = (await member.send("GET", "/v1/connections")).json;
  expect(data.filter(({ status }: { status: string }) => status === "active")).toEqual([]);
  expect(await countActive()).toBe(0);
}

let office: Office;
let mallory: Member;
let ana: Member;

beforeEach(async () => {
  await control({ end: "*" });
  office = await openCounted();
  [mallory, ana] = [await office.add("Mallory"), await office.add("Ana", ["tasks:read", "tasks:write", "admin"])];
});

describe("a browser without the cookie of the consent", () => {
  test("does not complete it when a victim was sent the provider's address", async () => {
    const page = await begin(newBrowser(), await askLink(mallory));
    const back = await agree(page, "ana");
    const victim = await newBrowser().visit(back);
    expect([victim.status, victim.text.includes("Start again in the browser in which you began.")]).toEqual([
      403,
      true,
    ]);
    await expectNothing(mallory);
  });

  test("ends it, so that the thief cannot complete it with the victim's code either", async () => {
    const thief = newBrowser();
    const back = await agree(await begin(thief, await askLink(mallory)), "ana");
    expect((await newBrowser().visit(back)).status).toBe(403);
    expect((await thief.visit(back)).status).toBe(410);
    await expectNothing(mallory);
  });

  test("does not bind a thief's account to the victim's tasks by a stolen address, and the victim is notified once", async () => {
    const back = await agree(await begin(newBrowser(), await askLink(ana)), "ben");
    const thief = newBrowser();
    for (let round = 0; round < 2; round += 1) expect((await thief.visit(back)).status).toBe(403);
    await expectNothing(ana);
    const notices = await vi.waitFor(
      async () => {
        const { data } = (await ana.send("GET", "/v1/deliveries")).json;
        const texts = await Promise.all(
          data.map(async ({ id }: { id: string }) => (await ana.send("GET", `/v1/deliveries/${id}`)).text),
        );
        const about = texts.filter((text) => text.includes("Somebody else finished a link of yours"));
        expect(about).not.toEqual([]);
        return about;
      },
      { timeout: 20_000, interval: 50 },
    );
    expect(notices).toHaveLength(1);
  });

  test("with the cookie of another consent is still another browser", async () => {
    const thief = newBrowser();
    await begin(thief, await askLink(mallory));
    const back = await agree(await begin(newBrowser(), await askLink(ana)), "ana");
    expect((await thief.visit(back)).status).toBe(403);
    const renamed = newBrowser();
    const other = await agree(await begin(renamed, await askLink(ana, { alias: "two" })), "ana");
    const [name = ""] = renamed.cookies.keys();
    const forged = newBrowser();
    forged.cookies.set(name, [...thief.cookies.values()][0] ?? "");
    expect((await forged.visit(other)).status).toBe(403);
    await expectNothing(ana);
  });
});

describe("a state", () => {
  test("that is not ours, was changed, or is of another purpose completes nothing", async () => {
    const browser = newBrowser();
    const back = await agree(await begin(browser, await askLink(ana)), "ana");
    const link = await makeConnectUrl(env, {
      tenant: office.tenant,
      app: "crm",
      person: ana.person,
      alias: null,
      wait: null,
      by: { person: null, name: "x" },
    });
    for (const state of [
      "x",
      link.split("/").at(-1) ?? "",
      `${new URL(back, "http://x").searchParams.get("state")}A`,
    ]) {
      const answer = await browser.visit(`/connect/callback?code=c&state=${encodeURIComponent(state)}`);
      expect(answer.status, answer.text).toBe(400);
    }
    // The consents of MCP servers and these do not open each other's states.
    const state = new URL(back, "http://x").searchParams.get("state") ?? "";
    expect((await browser.visit(`/oauth/mcp/callback?code=c&state=${state}`)).status).toBe(422);
    const server = { name: "notes", url: `${inject("servers").mcpUrl}/mcp/${crypto.randomUUID()}`, oauth: {} };
    await fetch(`${inject("servers").mcpUrl}/set/${server.url.split("/").at(-1)}`, {
      method: "PUT",
      body: JSON.stringify({ tools: [], guarded: true }),
    });
    const added = await office.admin.send("POST", "/v1/mcp-servers", server);
    const ofMcp = new URL(added.json.authorization_url).searchParams.get("state") ?? "";
    expect((await browser.visit(`/connect/callback?code=c&state=${ofMcp}`)).status).toBe(400);
    await expectNothing(ana);
    expect((await browser.visit(back)).status).toBe(200);
  });

  test("counts for its tenant, person, app and connection alone", async () => {
    const browser = newBrowser();
    const back = await agree(await begin(browser, await askLink(ana)), "ana");
    const { searchParams } = new URL(back, "http://otto.test");
    const ours = await openConnectState(env, searchParams.get("state") ?? "");
    if (ours === null) throw new Error("no state");
    await connect(mallory, "ben");
    const [theirs] = (await mallory.send("GET", "/v1/connections")).json.data;
    await control({ end: "*" });
    const other = await openCounted();
    for (const change of [
      { person: mallory.person },
      { person: null },
      { app: "other" },
      { connection: theirs.id },
      { tenant: other.tenant },
    ]) {
      searchParams.set("state", await sealState(env, "connect-state", { ...ours, ...change }));
      const answer = await browser.visit(`/connect/callback?${searchParams.toString()}`);
      expect([400, 410], JSON.stringify(change)).toContain(answer.status);
    }
    await expectNothing(ana);
    expect((await browser.visit(back)).status).toBe(200);
  });

  test("of another tenant connects nothing in this one", async () => {
    const other = await openCounted();
    const stranger = await other.add("Stranger");
    const browser = newBrowser();
    const theirs = await agree(await begin(browser, await askLink(stranger)), "ana");
    await begin(browser, await askLink(ana));
    // The same browser holds both cookies: each counts for its own consent.
    const mine = new Map([...browser.cookies].slice(-1));
    const swapped = newBrowser();
    for (const [name, value] of mine) swapped.cookies.set(name, value);
    expect((await swapped.visit(theirs)).status).toBe(403);
    await expectNothing(ana);
    await expectNothing(stranger);
  });
});

describe("a form", () => {
  const send = async (browser: ConsentBrowser, path: string, headers: Record<string, string>) =>
    (await browser.submit(`${path}/go`, {}, headers)).status;

  test("that another site's page sends begins nothing", async () => {
    const path = await askLink(mallory);
    const victim = newBrowser();
    for (const headers of [
      {},
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site", origin: "http://otto.test" },
    ])
      expect(await send(victim, path, headers), JSON.stringify(headers)).toBe(403);
    expect(victim.cookies.size).toBe(0);
    expect(await send(victim, path, { origin: "http://otto.test" })).toBe(303);
  });
});

test("a consent whose person was deleted meanwhile redeems no code", async () => {
  const browser = newBrowser();
  const back = await agree(await begin(browser, await askLink(mallory)), "ana");
  await office.admin.send("DELETE", `/v1/people/${mallory.person}`);
  const answer = await browser.visit(back);
  expect(answer.status, answer.text).toBe(410);
  expect(await countActive()).toBe(0);
});

test("tokens whose person is deleted while the code is redeemed are revoked at the provider", async () => {
  const browser = newBrowser();
  const back = await agree(await begin(browser, await askLink(mallory)), "ana");
  await control({ tokenDelayMs: 3_000 });
  const answering = browser.visit(back);
  await vi.waitFor(async () => expect((await control({})).visits.at(-1)).toBe("POST /token"), { timeout: 10_000 });
  const deleted = await office.admin.send("DELETE", `/v1/people/${mallory.person}`);
  expect(deleted.status, deleted.text).toBe(200);
  const answer = await answering;
  await control({ tokenDelayMs: 0 });
  expect([answer.status, answer.text.includes("no longer exists")]).toEqual([410, true]);
  expect(await countActive()).toBe(0);
});

test("an honest consent leaves one grant, and disconnecting ends it at the provider", async () => {
  expect((await connect(ana, "ana")).status).toBe(200);
  expect(await countActive()).toBe(1);
  const { id } = await readOnly(ana);
  const revoked = await ana.send("DELETE", `/v1/connections/${id}`);
  expect([revoked.status, revoked.json.status]).toEqual([200, "revoked"]);
  await vi.waitFor(async () => expect(await countActive()).toBe(0), { timeout: 20_000, interval: 50 });
});
