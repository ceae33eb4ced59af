import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { as, ask, HTTPS, newLink, signIn, withKey } from "./client.ts";
import { newKey, newTenant, operatorKey, sendJson, tenantStub } from "../tenant/client.ts";

describe("a link", () => {
  test("signs in once, as the key that made it", async () => {
    const tenant = await newTenant();
    const one = await newKey(tenant, ["tasks:read"]);
    const made = await sendJson<{ url: string; expires_at: string }>({
      method: "POST",
      path: "/v1/session/links",
      key: one.key,
    });
    expect(made.status).toBe(201);
    const { origin, pathname, search, hash } = new URL(made.body.url);
    expect([origin, pathname, search]).toEqual([HTTPS, "/sign-in", ""]);
    const link = hash.slice(1);
    const browser = await signIn({ link });
    expect(browser.body).toMatchObject({ tenant: { id: tenant.id }, key: { id: one.id }, scopes: ["tasks:read"] });
    const again = await ask({ method: "POST", body: { link } });
    expect(again.json).toMatchObject({ status: 410, code: "gone" });
    expect(again.headers.get("set-cookie")).toBeNull();
  });

  test("that two open at once signs in one of them", async () => {
    const link = await newLink(await newTenant());
    const both = await Promise.all([1, 2].map(async () => await ask({ method: "POST", body: { link } })));
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 410]));
  });

  test("moves no browser that is signed in to another tenant, and stays good", async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    const browser = await signIn({ key: one.key });
    const open = async (link: string) => await ask({ method: "POST", headers: as(browser), body: { link } });
    const link = await newLink(other);
    const refused = await open(link);
    expect(refused.json).toMatchObject({ status: 409, code: "conflict" });
    expect(refused.headers.get("set-cookie")).toBeNull();
    expect((await open(await newLink(one))).status).toBe(201);
    await ask({ method: "DELETE", headers: as(browser) });
    expect((await open(link)).status).toBe(201);
  });

  test("is valid for a quarter of an hour by default, and for a day at most", async () => {
    const tenant = await newTenant();
    const make = async (body: unknown) =>
      await ask({ method: "POST", path: "/v1/session/links", headers: withKey(tenant.key), body });
    const before = Date.now();
    const usual = Date.parse((await make({})).json.expires_at) - before;
    expect(Math.round(usual / 10_000)).toBe(90);
    const long = Date.parse((await make({ expires_in_s: 86_400 })).json.expires_at) - before;
    expect(Math.round(long / 60_000)).toBe(1440);
    for (const expires_in_s of [0, 86_401, 1.5, "60"])
      expect((await make({ expires_in_s })).json).toMatchObject({ status: 422, errors: [{ field: "expires_in_s" }] });
  });

  test("expires after its time, and when its key is revoked", async () => {
    const tenant = await newTenant();
    const late = await newLink(tenant);
    await runInDurableObject(tenantStub(tenant.id), (_, state) =>
      state.storage.sql.exec("UPDATE links SET expires_at = ?", Date.now()).toArray(),
    );
    expect((await ask({ method: "POST", body: { link: late } })).status).toBe(410);
    const one = await newKey(tenant, ["tasks:read"]);
    const link = await newLink({ id: tenant.id, key: one.key });
    await ask({ method: "DELETE", path: `/v1/keys/${one.id}`, headers: withKey(tenant.key) });
    expect((await ask({ method: "POST", body: { link } })).status).toBe(410);
  });

  test("of a session cannot start a longer session", async () => {
    const browser = await signIn({ key: (await newTenant()).key });
    const { expires_at } = browser.body as { expires_at: string };
    const made = await ask({
      method: "POST",
      path: "/v1/session/links",
      headers: as(browser),
      body: { expires_in_s: 86_400 },
    });
    expect(made.json.expires_at).toBe(expires_at);
    const second = await signIn({ link: new URL(made.json.url).hash.slice(1) });
    expect(second.body).toEqual(browser.body);
  });

  test("is the same one when its request is sent again", async () => {
    const tenant = await newTenant();
    const make = async () =>
      await ask({
        method: "POST",
        path: "/v1/session/links",
        headers: { ...withKey(tenant.key), "idempotency-key": "link" },
        body: {},
      });
    expect((await make()).json).toEqual((await make()).json);
  });

  test("is made by no operator", async () => {
    const made = await ask({ method: "POST", path: "/v1/session/links", headers: withKey(operatorKey()), body: {} });
    expect(made.status).toBe(403);
  });
});

describe("a request by the cookie", () => {
  const evil = { origin: "https://evil.test" };
  test.each<[string, string, Record<string, string>, boolean]>([
    ["writes for our page", "POST", { "sec-fetch-site": "same-origin" }, true],
    ["does not write for another site", "POST", { "sec-fetch-site": "cross-site" }, false],
    ["does not write for another host of our site", "POST", { "sec-fetch-site": "same-site" }, false],
    ["does not write for an address that was typed", "POST", { "sec-fetch-site": "none" }, false],
    [
      "does not write for another site that names our origin",
      "POST",
      { "sec-fetch-site": "cross-site", origin: HTTPS },
      false,
    ],
    ["writes for our origin where that is all that the browser says", "POST", { origin: HTTPS }, true],
    ["does not write for another origin", "POST", evil, false],
    ["does not write for our host over http", "POST", { origin: "http://otto.test" }, false],
    ["does not write for no origin", "POST", { origin: "null" }, false],
    ["does not write for nobody", "POST", {}, false],
    ["does not delete for another site", "DELETE", { "sec-fetch-site": "cross-site" }, false],
    ["does not put for another site", "PUT", { "sec-fetch-site": "cross-site" }, false],
    ["reads for our page", "GET", { "sec-fetch-site": "same-origin" }, true],
    ["reads for an address that was typed", "GET", { "sec-fetch-site": "none" }, true],
    ["reads where the browser says nothing", "GET", {}, true],
    ["does not read for another site", "GET", { "sec-fetch-site": "cross-site" }, false],
    ["does not read for another host of our site", "GET", { "sec-fetch-site": "same-site" }, false],
  ])("%s", async (_, method, headers, passes) => {
    const browser = await signIn({ key: (await newTenant()).key });
    const path = method === "POST" ? "/v1/session/links" : "/v1/tasks";
    const answer = await ask({
      method,
      path,
      headers: as(browser, headers),
      ...(method === "POST" ? { body: {} } : {}),
    });
    if (passes) expect(answer.status).toBeLessThan(300);
    else expect(answer.json).toMatchObject({ status: 403, code: "forbidden" });
  });

  test("and by a key is judged by its key alone", async () => {
    const { key } = await newTenant();
    const headers = { ...withKey(key), "sec-fetch-site": "cross-site", ...evil };
    expect((await ask({ method: "POST", path: "/v1/session/links", headers, body: {} })).status).toBe(201);
  });
});
