/** The workspaces of a tenant: how Otto comes into one, and how it leaves. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { inboxesFromEnv } from "../../../../adapters/env/channels.ts";
import { sweep } from "../../../../workers/sweep.ts";
import { expectProblem, knock, makeCaller } from "../../http/entry.ts";
import { linkIn, newBrowser } from "../../mcp/consent-client.ts";
import { type Desk, makeDesk, nextTs } from "./server.ts";
import { operatorKey, send } from "../../tenant/client.ts";

beforeEach(() => reset());

describe("an installation", () => {
  test("by a pasted token is checked at Slack, listed without it, and forgotten", async () => {
    const desk = await makeDesk();
    const { data } = (await desk.caller.send("GET", "/v1/slack/installs")).json;
    expect(data).toMatchObject([{ team: desk.slack.team, status: "active", bot_user: desk.app.botUser }]);
    expect(JSON.stringify(data)).not.toContain(desk.app.token);
    expectProblem(await desk.caller.send("POST", "/v1/slack/installs", { bot_token: "xoxb-none" }), 422, "bot_token");
    const other = await makeCaller();
    const taken = await other.send("POST", "/v1/slack/installs", { bot_token: desk.app.token });
    expectProblem(taken, 409);
    expectProblem(await other.send("GET", `/v1/slack/installs/${data[0].id}`), 404);
    expect((await desk.caller.send("DELETE", `/v1/slack/installs/${data[0].id}`)).status).toBe(200);
    expect((await other.send("POST", "/v1/slack/installs", { bot_token: desk.app.token })).status).toBe(201);
  });

  test("that Slack ends is marked, and nothing of the workspace is worked any more", async () => {
    const desk = await makeDesk();
    expect((await desk.event({ type: "app_uninstalled", event_ts: nextTs() })).status).toBe(200);
    await vi.waitFor(
      async () => {
        const { data } = (await desk.caller.send("GET", "/v1/slack/installs")).json;
        expect(data).toMatchObject([{ status: "revoked" }]);
      },
      { timeout: 20_000 },
    );
  });

  test("that is newer than its end stands, however late Slack tells of that", async () => {
    const desk = await makeDesk();
    const { data } = (await desk.caller.send("GET", "/v1/slack/installs")).json;
    const before = Math.floor(Date.parse(data[0].updated_at) / 1000) - 60;
    await desk.event({ type: "app_uninstalled", event_ts: `${before}.000001` }, "Ev1");
    await vi.waitFor(
      async () => {
        const { items } = await inboxesFromEnv(env)(`slack/${desk.slack.team}`).received({
          after: null,
          limit: 10,
          since: 0,
        });
        expect(items).toMatchObject([{ id: "Ev1", state: "done" }]);
      },
      { timeout: 20_000 },
    );
    const now = (await desk.caller.send("GET", "/v1/slack/installs")).json;
    expect(now.data).toMatchObject([{ status: "active" }]);
  });

  test("goes with its tenant, and so does what came from the workspace, unless it is another tenant's by then", async () => {
    const [desk, moved] = [await makeDesk(), await makeDesk()];
    const inbox = async ({ slack }: Desk) =>
      (await inboxesFromEnv(env)(`slack/${slack.team}`).received({ after: null, limit: 10, since: 0 })).items;
    for (const one of [desk, moved]) {
      await one.mention("hi");
      await one.tasks(1);
    }
    await moved.event({ type: "app_uninstalled", event_ts: nextTs() });
    const old = (await moved.caller.send("GET", "/v1/slack/installs")).json.data[0].id;
    const receivedBy = async (caller: Desk["caller"], id: string) =>
      (await caller.send("GET", `/v1/slack/installs/${id}/received`)).json.data;
    const own = (await desk.caller.send("GET", "/v1/slack/installs")).json.data[0].id;
    await vi.waitFor(
      async () =>
        expect(await receivedBy(desk.caller, own)).toMatchObject([
          { event: "spoken", state: "done", task_id: expect.stringMatching(/^task_/) },
        ]),
      { timeout: 20_000 },
    );
    const next = await makeCaller();
    await vi.waitFor(
      async () => {
        const installed = await next.send("POST", "/v1/slack/installs", { bot_token: moved.app.token });
        expect(installed.status).toBe(201);
      },
      { timeout: 20_000 },
    );
    // What came before is the other tenant's, and what comes now is not.
    const now = (await next.send("GET", "/v1/slack/installs")).json.data[0].id;
    expect(await receivedBy(next, now)).toEqual([]);
    expect(await receivedBy(moved.caller, old)).toEqual([]);
    for (const { caller } of [desk, moved])
      await send({ method: "DELETE", path: `/v1/tenants/${caller.tenant}`, key: operatorKey() });
    await sweep(env, Date.now());
    expect(await inbox(desk)).toEqual([]);
    expect((await inbox(moved)).length).toBeGreaterThan(0);
  });

  test("shows a manifest with the addresses of this Worker", async () => {
    const { json } = await (await makeCaller()).send("GET", "/v1/slack/manifest");
    expect(json.manifest.settings.event_subscriptions.request_url).toBe("http://otto.test/slack/events");
    expect(json.yaml).toContain("request_url: http://otto.test/slack/interactive");
  });

  describe("by OAuth", () => {
    async function begin(desk: Pick<Desk, "caller">): Promise<URL> {
      const begun = await desk.caller.send("POST", "/v1/slack/authorize");
      expect(begun.status, begun.text).toBe(200);
      return new URL(begun.json.url);
    }
    /** By a key: in a browser, which goes by Otto's own page. */
    async function went(desk: Pick<Desk, "caller">, browser = newBrowser()) {
      const page = new URL(await browser.begin((await begin(desk)).href));
      const back = async (query: Record<string, string>, by = browser) =>
        await by.visit(`/slack/oauth?${new URLSearchParams(query).toString()}`);
      return { page, state: page.searchParams.get("state") ?? "", back };
    }

    async function thatWent(desk: Pick<Desk, "caller">) {
      const browser = newBrowser();
      await went(desk, browser);
      return browser;
    }

    /** The cookie of a session, signed in by the caller's key. */
    async function signedIn({ key }: Desk["caller"]) {
      const headers = { "content-type": "application/json", "cf-connecting-ip": "192.0.2.77" };
      const begun = await knock("POST", "/v1/session", { headers, body: JSON.stringify({ key }) });
      const [, cookie = "", token = ""] = /^([^=]+)=([^;]*)/.exec(begun.headers.get("set-cookie") ?? "") ?? [];
      return { cookie, token };
    }

    test("keeps the workspace for the tenant that began it, once", async () => {
      const desk = await makeDesk();
      const { page, state, back } = await went(desk);
      expect(page.searchParams.get("client_id")).toBe("1111.2222");
      const redirectUri = page.searchParams.get("redirect_uri") ?? "";
      await desk.slack.agree({
        code: `code-${desk.slack.team}`,
        user: "U0ANA",
        scope: "chat:write,commands",
        clientId: "1111.2222",
        clientSecret: "canary-client-secret",
        redirectUri,
      });
      const done = await back({ state, code: `code-${desk.slack.team}` });
      expect(done.status, done.text).toBe(200);
      expect(done.text).toContain("Otto is installed in");
      const { data } = (await desk.caller.send("GET", "/v1/slack/installs")).json;
      expect(data).toMatchObject([{ team: desk.slack.team, app: desk.app.appId, scopes: ["chat:write", "commands"] }]);
      const replayed = await back({ state, code: `code-${desk.slack.team}` });
      expect(replayed.status).toBe(400);
      expect(replayed.text).toContain("did not start this");
    });

    test("takes nobody back who did not go that way, and keeps the consent for who did", async () => {
      const desk = await makeDesk();
      const { page, state, back } = await went(desk);
      const code = `code-${desk.slack.team}`;
      await desk.slack.agree({
        code,
        user: "U0ANA",
        scope: "chat:write,commands",
        clientId: "1111.2222",
        clientSecret: "canary-client-secret",
        redirectUri: page.searchParams.get("redirect_uri") ?? "",
      });
      // Somebody to whom the address of Slack's page was sent.
      const sent = await back({ state, code }, newBrowser());
      expect([sent.status, sent.text]).toEqual([400, expect.stringContaining("This browser did not start this")]);
      // Somebody who went the same way for another one.
      const other = await back({ state, code }, await thatWent(desk));
      expect(other.status).toBe(400);
      expect((await desk.caller.send("GET", "/v1/slack/installs")).json.data).toHaveLength(1);
      expect((await back({ state, code })).text).toContain("Otto is installed in");
    });

    test("asks in words before it leads on, and nobody else can make the link that does", async () => {
      const desk = await makeDesk();
      const { pathname, search } = await begin(desk);
      const browser = newBrowser();
      const page = await browser.visit(pathname + search);
      expect(page.text).toContain(desk.caller.tenant);
      expect(page.text).toContain("Go on only if you have begun this yourself");
      expect(page.headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Lax$/);
      const stranger = newBrowser();
      for (const go of ["", "made-up", new URL(linkIn(page), "http://otto.test").searchParams.get("go") ?? ""]) {
        const on = await stranger.visit(`${pathname}${search}&go=${go}`);
        expect([on.status, on.headers.get("location")]).toEqual([400, null]);
      }
      expect([...stranger.cookies]).toEqual([]);
      expect((await browser.visit(`${pathname}?state=forged`)).status).toBe(400);
      const { token, cookie } = await signedIn(await makeCaller());
      const both = [...browser.cookies, [cookie, token]].map((pair) => pair.join("=")).join("; ");
      const refused = await knock("GET", linkIn(page), { redirect: "manual", headers: { cookie: both } });
      expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("another tenant")]);
    });

    test("begun by a session leads to Slack at once, and back in that browser only", async () => {
      const desk = await makeDesk();
      const { token, cookie } = await signedIn(desk.caller);
      const ask = async () =>
        await knock("POST", "/v1/slack/authorize", {
          headers: { cookie: `${cookie}=${token}`, "sec-fetch-site": "same-origin", "idempotency-key": "one" },
        });
      const lost = await ask();
      expect(lost.status, lost.text).toBe(200);
      // An answer that was lost comes again, with what binds the browser.
      const begun = await ask();
      expect([begun.text, begun.headers.get("idempotency-replayed")]).toEqual([lost.text, "true"]);
      const page = new URL(begun.json.url);
      expect(page.pathname).toBe("/oauth/v2/authorize");
      const path = `/slack/oauth?state=${page.searchParams.get("state") ?? ""}&error=no`;
      expect((await newBrowser().visit(path)).text).toContain("This browser did not start this");
      const [set = ""] = begun.headers.getSetCookie();
      const home = await knock("GET", path, { headers: { cookie: set.split(";")[0] ?? "" } });
      expect(home.text).toContain("Slack says no");
    });

    test("shows why it did not happen: refused, unknown to Slack, forged, over", async () => {
      const desk = await makeDesk();
      const answer = async (query: Record<string, string>) => {
        const { state, back } = await went(desk);
        return (await back({ state, ...query })).text;
      };
      expect(await answer({ error: "access_denied" })).toContain("access_denied");
      expect(await answer({ code: "made-up" })).toContain("Otto was not installed.");
      expect(await answer({ state: "forged", code: "x" })).toContain("did not start this installation");
      vi.setSystemTime(Date.now() - 11 * 60_000);
      const old = await went(desk);
      vi.useRealTimers();
      expect((await old.back({ state: old.state, code: "x" })).text).toContain("has expired");
    });
  });
});
