/** Who is signed in, and how a browser is signed out: by another sign-in of its own, and from elsewhere. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { accessFromEnv, tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { fetchApp } from "../fetch-app.ts";
import { actions, as, ask, HTTPS, newLink, ours, signIn, withKey } from "./client.ts";
import { newKey, newTenant, type TestTenant, tenantStub, watchDatabase } from "../tenant/client.ts";

interface Line {
  readonly id: string;
  readonly key: { readonly id: string; readonly name: string };
  readonly user_agent: string;
  readonly is_current: boolean;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly expires_at: string;
}
type Asking = Readonly<Record<string, string>>;
type Browser = Awaited<ReturnType<typeof signIn>>;

async function listed(headers: Asking, query = ""): Promise<readonly Line[]> {
  const answer = await ask({ path: `/v1/sessions${query}`, headers });
  expect(answer.status, JSON.stringify(answer.json)).toBe(200);
  return answer.json.data;
}

async function statusOf(browser: Browser): Promise<number> {
  return (await ask({ headers: as(browser) })).status;
}

async function idOf(browser: Browser): Promise<string> {
  return (await listed(as(browser))).find(({ is_current }) => is_current)?.id ?? "";
}

async function hashOf({ cookie }: Browser): Promise<string> {
  return await sha256Hex(cookie.split("=")[1] ?? "");
}

/** Signs in in a browser that has a session. */
async function signInAgain(browser: Browser, body: unknown): Promise<number> {
  return (await ask({ method: "POST", body, headers: as(browser) })).status;
}

async function actsOf(tenant: TestTenant): Promise<readonly { action: string; actor: string; target: string }[]> {
  return (await ask({ path: "/v1/audit", headers: withKey(tenant.key) })).json.data;
}

describe("signing in again in the same browser", () => {
  test("ends the session that it had, also of another key, with its links, and says so in the log", async () => {
    const tenant = await newTenant();
    const reader = await newKey(tenant, ["tasks:read"]);
    const before = await signIn({ key: reader.key });
    const elsewhere = await signIn({ key: reader.key });
    const target = await idOf(before);
    const made = await ask({ method: "POST", path: "/v1/session/links", headers: as(before), body: {} });
    expect(await signInAgain(before, { key: tenant.key })).toBe(201);
    expect(await statusOf(before)).toBe(401);
    expect(await statusOf(elsewhere)).toBe(200);
    const link = new URL(made.json.url).hash.slice(1);
    expect((await ask({ method: "POST", body: { link } })).status).toBe(410);
    const acts = await actsOf(tenant);
    expect(acts).toContainEqual(expect.objectContaining({ action: "session.end", actor: reader.id, target }));
  });

  test("by a link ends it too, and by the key of another tenant ends it there", async () => {
    const [here, there] = [await newTenant(), await newTenant()];
    const first = await signIn({ key: here.key });
    expect(await signInAgain(first, { link: await newLink(here) })).toBe(201);
    expect(await statusOf(first)).toBe(401);
    const second = await signIn({ key: here.key });
    expect(await signInAgain(second, { key: there.key })).toBe(201);
    expect(await statusOf(second)).toBe(401);
    expect((await actions(here)).filter((action) => action === "session.end")).toHaveLength(2);
    expect(await actions(there)).not.toContain("session.end");
  });

  test("does not end the session when it is rejected", async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const browser = await signIn({ key: tenant.key });
    const dead = await newKey(tenant, ["tasks:read"]);
    await ask({ method: "DELETE", path: `/v1/keys/${dead.id}`, headers: withKey(tenant.key) });
    for (const body of [{ key: dead.key }, { key: "hello" }, { link: await newLink(other) }, {}])
      expect(await signInAgain(browser, body)).toBeGreaterThanOrEqual(400);
    const watch = watchDatabase();
    watch.isAway = true;
    expect(await signInAgain(browser, { key: tenant.key })).toBe(503);
    watch.isAway = false;
    expect(await statusOf(browser)).toBe(200);
  });
});

/** Three browsers, the first of an administrator, the others of one other key. */
async function threeSignedIn() {
  const tenant = await newTenant();
  const reader = await newKey(tenant, ["tasks:read"]);
  const [admin, one, two] = [
    await signIn({ key: tenant.key }),
    await signIn({ key: reader.key }),
    await signIn({ key: reader.key }),
  ];
  return { tenant, reader, admin, one, two };
}

describe("the list of who is signed in", () => {
  test("lists every session for an administrator, and only its own for any other key", async () => {
    const { tenant, reader, admin, one, two } = await threeSignedIn();
    const ids = [await idOf(two), await idOf(one), await idOf(admin)];
    expect((await listed(as(admin))).map(({ id }) => id)).toEqual(ids);
    expect((await listed(withKey(tenant.key))).map(({ is_current }) => is_current)).toEqual([false, false, false]);
    const own = await listed(as(one));
    expect(own.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(own.map(({ is_current }) => is_current)).toEqual([false, true]);
    expect(own[0]?.key).toEqual({ id: reader.id, name: "another" });
    expect(await listed(as(await signIn({ key: (await newTenant()).key })))).toHaveLength(1);
  });

  test("comes in pages", async () => {
    const tenant = await newTenant();
    for (let index = 0; index < 3; index += 1) await signIn({ key: tenant.key });
    const headers = withKey(tenant.key);
    const first = await ask({ path: "/v1/sessions?limit=2", headers });
    const rest = await ask({ path: `/v1/sessions?limit=2&cursor=${first.json.next_cursor}`, headers });
    expect(rest.json.next_cursor).toBeNull();
    const ids = [...first.json.data, ...rest.json.data].map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect((await ask({ path: "/v1/sessions?cursor=x", headers })).status).toBe(422);
  });

  test("says what the browser said of itself, cut, and nothing of its token", async () => {
    const tenant = await newTenant();
    const words = `<script>alert(1)</script>${"x".repeat(400)}`;
    const made = await ask({ method: "POST", body: { key: tenant.key }, headers: { "user-agent": words } });
    const [line] = await listed(withKey(tenant.key));
    expect(line?.user_agent).toBe(words.slice(0, 300));
    expect(line?.expires_at).toBe(made.json.expires_at);
    const token = /=([^;]+)/.exec(made.headers.get("set-cookie") ?? "")?.[1] ?? "";
    const text = JSON.stringify(line);
    expect(text).not.toContain(await sha256Hex(token));
    expect(text).not.toContain(token.slice(-43));
  });

  test("includes a session of an earlier release, without its browser", async () => {
    const tenant = await newTenant();
    expect(await listed(withKey(tenant.key))).toEqual([]);
    const session = { id: "ses_old", hash: "00", tenantName: "Acme" };
    const begun = await tenantsFromEnv(env)(tenant.id).beginSession(session, { keyHash: await sha256Hex(tenant.key) });
    expect(begun.ok, JSON.stringify(begun)).toBe(true);
    expect(await listed(withKey(tenant.key))).toMatchObject([{ id: "ses_old", user_agent: "" }]);
  });

  test("says when a session was last in use, to the minute, and that it is while it follows the feed", async () => {
    const tenant = await newTenant();
    const browser = await signIn({ key: tenant.key });
    const hash = await hashOf(browser);
    const age = async (by: number): Promise<void> => {
      await runInDurableObject(tenantStub(tenant.id), (_, state) => {
        state.storage.sql.exec("UPDATE visits SET seen_at = ? WHERE hash = ?", Date.now() - by, hash);
      });
      // The next request asks the object, as after three seconds.
      accessFromEnv(env).clear();
    };
    const seenAgo = async (): Promise<number> => {
      const [line] = await listed(withKey(tenant.key));
      return Date.now() - Date.parse(line?.last_seen_at ?? "");
    };
    await age(50_000);
    await ask({ headers: as(browser) });
    expect(await seenAgo()).toBeGreaterThanOrEqual(50_000);
    await age(70_000);
    await ask({ headers: as(browser) });
    expect(await seenAgo()).toBeLessThan(60_000);
    const feed = await fetchApp(`${HTTPS}/v1/events`, { headers: as(browser) });
    await age(3_600_000);
    expect(await seenAgo()).toBeLessThan(60_000);
    await feed.body?.cancel();
  });

  test("omits expired sessions and those of a revoked key", async () => {
    const tenant = await newTenant();
    const dead = await newKey(tenant, ["tasks:read"]);
    const gone = await signIn({ key: dead.key });
    const over = await signIn({ key: tenant.key });
    const hash = await hashOf(over);
    await ask({ method: "DELETE", path: `/v1/keys/${dead.id}`, headers: withKey(tenant.key) });
    await runInDurableObject(tenantStub(tenant.id), (_, state) => {
      state.storage.sql.exec("UPDATE sessions SET expires_at = ? WHERE hash = ?", Date.now(), hash);
    });
    expect(await statusOf(gone)).toBe(401);
    expect(await listed(withKey(tenant.key))).toEqual([]);
  });

  test("includes a session of a release that stored no names", async () => {
    const tenant = await newTenant();
    const browser = await signIn({ key: tenant.key });
    await runInDurableObject(tenantStub(tenant.id), (_, state) => {
      state.storage.sql.exec("DELETE FROM visits");
    });
    const [line] = await listed(withKey(tenant.key));
    expect(line).toMatchObject({ user_agent: "", last_seen_at: line?.created_at });
    expect(await statusOf(browser)).toBe(200);
  });
});

describe("signing a browser out from elsewhere", () => {
  test("takes effect at once, closes the feed, and is in the audit log", async () => {
    const tenant = await newTenant();
    const [admin, lost] = [await signIn({ key: tenant.key }), await signIn({ key: tenant.key })];
    const id = await idOf(lost);
    const feed = await fetchApp(`${HTTPS}/v1/events`, { headers: as(lost) });
    const path = `/v1/sessions/${id}`;
    const ended = await ask({ method: "DELETE", path, headers: as(admin) });
    expect(ended.status).toBe(204);
    expect(ended.headers.get("set-cookie")).toBeNull();
    expect(await feed.text()).toContain("feed.open");
    expect(await statusOf(lost)).toBe(401);
    expect(await statusOf(admin)).toBe(200);
    expect(await actsOf(tenant)).toContainEqual(expect.objectContaining({ action: "session.end", target: id }));
    expect((await ask({ method: "DELETE", path, headers: as(admin) })).status).toBe(404);
  });

  test("takes the cookie along when it is the one that asks", async () => {
    const browser = await signIn({ key: (await newTenant()).key });
    const path = `/v1/sessions/${await idOf(browser)}`;
    const ended = await ask({ method: "DELETE", path, headers: as(browser) });
    expect(ended.headers.get("set-cookie")).toMatch(/^__Host-otto_session=; Max-Age=0;/);
  });

  test("is for an administrator, and for another session of the same key", async () => {
    const tenant = await newTenant();
    const [one, two] = [await newKey(tenant, ["tasks:read"]), await newKey(tenant, ["tasks:read"])];
    const [mine, asWell, theirs] = [
      await signIn({ key: one.key }),
      await signIn({ key: one.key }),
      await signIn({ key: two.key }),
    ];
    const end = async (browser: Browser): Promise<number> => {
      const path = `/v1/sessions/${await idOf(browser)}`;
      return (await ask({ method: "DELETE", path, headers: as(mine) })).status;
    };
    expect(await end(theirs)).toBe(404);
    expect(await end(asWell)).toBe(204);
    expect(await statusOf(theirs)).toBe(200);
    expect(await statusOf(asWell)).toBe(401);
  });

  test("ends all other visible sessions, and no others", async () => {
    const { tenant, reader, admin, one, two } = await threeSignedIn();
    const endOthers = async (headers: Asking) => await ask({ method: "DELETE", path: "/v1/sessions", headers });
    expect((await endOthers(as(one))).json).toEqual({ ended: 1 });
    expect([await statusOf(admin), await statusOf(one), await statusOf(two)]).toEqual([200, 200, 401]);
    expect((await endOthers(as(admin))).json).toEqual({ ended: 1 });
    expect([await statusOf(admin), await statusOf(one)]).toEqual([200, 401]);
    const targets = (await actsOf(tenant)).filter(({ action }) => action === "session.end_others");
    expect(targets.map(({ target }) => target)).toEqual([tenant.id, reader.id]);
    expect((await endOthers(withKey(tenant.key))).json).toEqual({ ended: 1 });
    expect(await statusOf(admin)).toBe(401);
  });

  test("is refused to another site's page", async () => {
    const browser = await signIn({ key: (await newTenant()).key });
    const headers = as(browser, { ...ours, "sec-fetch-site": "cross-site" });
    for (const path of ["/v1/sessions", `/v1/sessions/${await idOf(browser)}`])
      expect((await ask({ method: "DELETE", path, headers })).status).toBe(403);
    expect(await statusOf(browser)).toBe(200);
  });

  test("ends a session also while the database is away, and says that the log could not be written", async () => {
    const tenant = await newTenant();
    const [admin, lost] = [await signIn({ key: tenant.key }), await signIn({ key: tenant.key })];
    const path = `/v1/sessions/${await idOf(lost)}`;
    const watch = watchDatabase();
    watch.isAway = true;
    expect((await ask({ method: "DELETE", path, headers: as(admin) })).status).toBe(503);
    expect(await statusOf(lost)).toBe(401);
  });
});
