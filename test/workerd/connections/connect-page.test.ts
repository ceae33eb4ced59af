/** The page of a connect link: what it says, what it leaves unchanged, and for whom. */
import { env } from "cloudflare:workers";
import { describe, expect, inject, test } from "vitest";
import { sealState } from "../../../workers/http/consent-state.ts";
import { makeConnectUrl } from "../../../workers/connections/connect-token.ts";
import { makeCaller } from "../http/entry.ts";
import { newBrowser } from "../mcp/consent-client.ts";
import {
  addApp,
  agree,
  askLink,
  begin,
  connect,
  openOffice,
  readOnly,
  readTokens,
  signInTo,
} from "./connect-client.ts";

const HOSTILE = `<img src=x onerror="alert(1)">'"&\u202egnp`;

describe("the page", () => {
  test("names tenant, person, app and purpose, and binds and stores nothing", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana");
    const browser = newBrowser();
    const page = await browser.visit(await askLink(ana));
    expect(page.status, page.text).toBe(200);
    for (const text of ["Connect <bdi>Crm</bdi>", "<bdi>test</bdi>", office.tenant, "you are <bdi>Ana</bdi>"])
      expect(page.text).toContain(text);
    expect(page.text).toContain("Continue to <bdi>Crm</bdi>");
    expect(page.text).not.toMatch(/<script|checked/);
    expect(browser.cookies.size).toBe(0);
    expect((await ana.send("GET", "/v1/connections")).json.data).toEqual([]);
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none';.*form-action 'self' https: http:;/,
    );
  });

  test("sends no referrer to another site", async () => {
    const office = await openOffice();
    const path = await askLink(await office.add("Ana"));
    // Without https, the form's Origin has to reach us.
    expect((await newBrowser().visit(path)).headers.get("referrer-policy")).toBe("same-origin");
    expect((await newBrowser().visit(`${path}x`)).headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("names the task that waits, and its person only", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana");
    const task = await ana.makeTask([{ text: "done" }], { hold: true });
    const link = { tenant: office.tenant, app: "crm", person: ana.person, alias: null } as const;
    const by = { person: ana.person, name: "Ana" };
    const wait = { task: task.id, id: "cnw_1" };
    const known = await makeConnectUrl(env, { ...link, wait, by }, "http://otto.test");
    const unknown = await makeConnectUrl(env, { ...link, wait: { ...wait, task: "task_none" }, by });
    const page = await newBrowser().visit(new URL(known).pathname);
    expect(page.text).toContain("A task waits for this");
    expect(unknown).toMatch(/^\/connect\/[\w-]+$/);
    expect((await newBrowser().visit(unknown)).text).toContain("<dd>A task waits for this</dd>");
  });

  test("escapes and isolates what others wrote", async () => {
    const office = await openOffice({
      title: HOSTILE,
      kind: "basic",
      at: null,
      fields: [
        { name: 'a"b', label: HOSTILE, hint: HOSTILE },
        { name: "c", label: HOSTILE },
      ],
    });
    const ana = await office.add(HOSTILE);
    const page = await newBrowser().visit(await askLink(ana, { alias: HOSTILE }));
    expect(page.status, page.text).toBe(200);
    expect(page.text).not.toMatch(/<img|onerror="/);
    expect(page.text).toContain("&lt;img");
  });

  test("reconnects what its owner chose before", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana");
    expect((await connect(ana, "ana", {}, { unattended: "on" })).status).toBe(200);
    expect(await readOnly(ana)).toMatchObject({ unattended: true, label: "ana@acme.example" });
    const page = await newBrowser().visit(await askLink(ana));
    expect(page.text).toContain("Reconnect <bdi>Crm</bdi>");
    expect(page.text).toContain("Reconnect <bdi>ana@acme.example</bdi>");
    expect(page.text).toContain('value="on" checked');
    expect((await newBrowser().visit(await askLink(ana, { unattended: false }))).text).not.toContain(" checked");
  });

  test("leaves the link unused while the provider cannot be reached", async () => {
    // No egress is opened for this destination.
    const at = { kind: "issuer", issuer: "https://127.0.0.1:9" } as const;
    const office = await openOffice({ at });
    const ana = await office.add("Ana");
    const path = await askLink(ana);
    const failed = await newBrowser().submit(`${path}/go`);
    expect([failed.status, failed.headers.get("set-cookie")]).toEqual([200, null]);
    expect(failed.text).toContain("The sign-in of Crm was not sent.");
    expect((await ana.send("GET", "/v1/connections")).json.data).toEqual([]);
    await addApp(office.tenant, "crm");
    await begin(newBrowser(), path);
  });

  test("shows a provider's refusal as the state of the connection", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana");
    await addApp(office.tenant, "crm", { at: getEndpoints() });
    const failed = await newBrowser().submit(`${await askLink(ana)}/go`);
    expect(failed.text).toContain("registers no clients");
    expect(await readOnly(ana)).toMatchObject({ status: "failed", why: expect.stringContaining("client_id") });
  });
});

/** Endpoints without a registration. */
function getEndpoints() {
  const url = inject("servers").oauthApp;
  return { kind: "endpoints", authorization: `${url}/authorize`, token: `${url}/token`, revocation: null } as const;
}

describe("an app with a key", () => {
  test("is connected by its form, and its values are never shown", async () => {
    const office = await openOffice({ kind: "api_key", at: null, header: "x-api-key" });
    const ana = await office.add("Ana");
    const path = await askLink(ana);
    const browser = newBrowser();
    const page = await browser.visit(path);
    expect(page.text).toMatch(/<input id="field-key" name="field\.key" type="password" autocomplete="off"/);
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self';");
    for (const value of ["", "  ", "key\nwith a line", "ключ", "x".repeat(8_001)]) {
      const refused = await browser.submit(`${path}/go`, { "field.key": value });
      expect([refused.status, refused.text.includes('aria-invalid="true"')], value.slice(0, 9)).toEqual([422, true]);
    }
    const stored = await browser.submit(`${path}/go`, { "field.key": " canary-key-ana " });
    expect(stored.status, stored.text).toBe(200);
    expect(stored.text).toContain("<h1>Connected</h1>");
    const connection = await readOnly(ana);
    expect(connection).toMatchObject({ status: "active", provider: "key", label: null, is_default: true });
    expect(await readTokens(office.tenant, connection.id)).toEqual({ kind: "key", value: "canary-key-ana" });
    const audit = await office.admin.send("GET", `/v1/audit?target=${connection.id}`);
    expect(audit.json.data).toMatchObject([{ action: "connection.connect", actor: ana.person }]);
    for (const text of [page.text, stored.text, audit.text, JSON.stringify(connection)])
      expect(text).not.toContain("canary-key");
    expect((await browser.submit(`${path}/go`, { "field.key": "other" })).status).toBe(410);
  });

  test("takes a name and a password for basic authentication", async () => {
    const office = await openOffice({ kind: "basic", at: null });
    const ana = await office.add("Ana");
    const path = await askLink(ana);
    const colon = await newBrowser().submit(`${path}/go`, { "field.username": "a:b", "field.password": "p" });
    expect([colon.status, colon.text.includes("contains a colon")]).toEqual([422, true]);
    await newBrowser().submit(`${path}/go`, { "field.username": "ana", "field.password": "pässword: 1" });
    const tokens = await readTokens(office.tenant, (await readOnly(ana)).id);
    const bytes = new TextEncoder().encode("ana:pässword: 1");
    expect(tokens).toEqual({ kind: "key", value: btoa(String.fromCharCode(...bytes)) });
  });
});

describe("a session of the console", () => {
  test("of the same person skips the page of an app with a sign-in, and sees the form of a key", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana");
    const browser = newBrowser();
    await signInTo(browser, ana);
    const skipped = await browser.visit(await askLink(ana), { "sec-fetch-site": "same-origin" });
    expect(skipped.status, skipped.text).toBe(303);
    const page = await browser.visit(await agree(skipped.headers.get("location") ?? "", "ana"));
    expect(page.text).toContain("is connected as <bdi>ana@acme.example</bdi>");
    await addApp(office.tenant, "shop", { kind: "bearer", at: null });
    expect((await browser.visit(await askLink(ana, { app: "shop" }))).text).toContain('name="field.token"');
  });

  test("of another person, or of another tenant, gets no page and no consent", async () => {
    const office = await openOffice();
    const [ana, ben] = [await office.add("Ana"), await office.add("Ben")];
    const path = await askLink(ana);
    const browser = newBrowser();
    await signInTo(browser, ben);
    for (const answer of [await browser.visit(path), await browser.submit(`${path}/go`)]) {
      expect(answer.status).toBe(403);
      expect(answer.text).toContain("This link is for Ana.");
      expect(answer.text).not.toContain("<form");
    }
    const elsewhere = newBrowser();
    await signInTo(elsewhere, await makeCaller());
    expect((await elsewhere.visit(path)).status).toBe(403);
    expect((await elsewhere.submit(`${path}/go`)).text).toContain("another tenant");
    expect((await elsewhere.visit(path)).text).not.toContain("Ana");
    // A session that has ended does not count.
    const ended = newBrowser();
    await signInTo(ended, ben);
    for (const [name, value] of ended.cookies) ended.cookies.set(name, `${value.slice(0, -1)}x`);
    expect((await ended.visit(path)).status).toBe(200);
  });

  test("skips the page of a shared account for an administrator only", async () => {
    const office = await openOffice();
    const path = await askLink(office.admin, { owner: "shared" });
    expect((await newBrowser().visit(path)).text).toContain("Everyone in <bdi>test</bdi>");
    const member = newBrowser();
    await signInTo(member, await office.add("Ben"));
    expect((await member.visit(path)).text).toContain("This link is for an administrator.");
    const admin = newBrowser();
    await signInTo(admin, office.admin);
    expect((await admin.visit(path)).status).toBe(303);
  });
});

describe("a link", () => {
  const whole = { app: "crm", alias: null, wait: null, by: { person: null, name: "key" }, nonce: "n" };
  const seal = async (link: object, purpose = "connect-link") => `/connect/${await sealState(env, purpose, link)}`;

  test("that is invalid, has expired, or leads to what no longer exists says so", async () => {
    const office = await openOffice();
    const ana = await office.add("Ana");
    const { tenant } = office;
    const ours = { ...whole, tenant, person: ana.person, createdAt: Date.now() };
    const status = async (path: string) => (await newBrowser().visit(path)).status;
    expect(await status(await seal(ours))).toBe(200);
    expect(await status("/connect/x")).toBe(400);
    expect(await status(await seal(ours, "mcp-oauth-state"))).toBe(400);
    expect(await status(`${(await seal(ours)).slice(0, -4)}AAAA`)).toBe(400);
    expect(await status(await seal({ ...ours, createdAt: Date.now() - 15 * 60_000 }))).toBe(410);
    expect(await status(await seal({ ...ours, app: "gone" }))).toBe(410);
    expect(await status(await seal({ ...ours, person: "per_01jd0000000000000000000000" }))).toBe(410);
    expect(await status(await seal({ ...ours, tenant: "ten_01jd0000000000000000000000" }))).toBe(410);
    expect((await newBrowser().submit(`${await seal({ ...ours, createdAt: 1 })}/go`)).status).toBe(410);
  });

  test("may be opened 60 times a minute", async () => {
    const office = await openOffice();
    const path = await askLink(await office.add("Ana"));
    let last = await newBrowser().visit(path);
    for (let opens = 1; opens < 130 && last.status === 200; opens += 1) last = await newBrowser().visit(path);
    expect([last.status, last.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await newBrowser().visit(await askLink(await office.add("Ben")))).status).toBe(200);
  });
});
