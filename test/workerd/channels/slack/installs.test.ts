/** The workspaces of a tenant: how Otto comes into one, and how it leaves. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { inboxesFromEnv } from "../../../../adapters/env/channels.ts";
import { sweep } from "../../../../workers/sweep.ts";
import { expectProblem, knock, makeCaller } from "../../http/entry.ts";
import { linkIn, newBrowser } from "../../mcp/consent-client.ts";
import { type Workspace, openWorkspace, nextTs } from "./server.ts";
import { operatorKey, send } from "../../tenant/client.ts";

beforeEach(() => reset());

describe("an installation", () => {
  test("by a pasted token is checked at Slack, listed without it, and forgotten", async () => {
    const workspace = await openWorkspace();
    const { data } = (await workspace.caller.send("GET", "/v1/slack/installs")).json;
    expect(data).toMatchObject([{ team: workspace.slack.team, status: "active", bot_user: workspace.app.botUser }]);
    expect(JSON.stringify(data)).not.toContain(workspace.app.token);
    expectProblem(
      await workspace.caller.send("POST", "/v1/slack/installs", { bot_token: "xoxb-none" }),
      422,
      "bot_token",
    );
    const other = await makeCaller();
    const taken = await other.send("POST", "/v1/slack/installs", { bot_token: workspace.app.token });
    expectProblem(taken, 409);
    expectProblem(await other.send("GET", `/v1/slack/installs/${data[0].id}`), 404);
    expect((await workspace.caller.send("DELETE", `/v1/slack/installs/${data[0].id}`)).status).toBe(200);
    expect((await other.send("POST", "/v1/slack/installs", { bot_token: workspace.app.token })).status).toBe(201);
  });

  test("that Slack ends is marked, and nothing of the workspace is worked any more", async () => {
    const workspace = await openWorkspace();
    expect((await workspace.event({ type: "app_uninstalled", event_ts: nextTs() })).status).toBe(200);
    await vi.waitFor(
      async () => {
        const { data } = (await workspace.caller.send("GET", "/v1/slack/installs")).json;
        expect(data).toMatchObject([{ status: "revoked" }]);
      },
      { timeout: 20_000 },
    );
  });

  test("that is newer than the uninstall stays, however late Slack reports the uninstall", async () => {
    const workspace = await openWorkspace();
    const { data } = (await workspace.caller.send("GET", "/v1/slack/installs")).json;
    const before = Math.floor(Date.parse(data[0].updated_at) / 1000) - 60;
    await workspace.event({ type: "app_uninstalled", event_ts: `${before}.000001` }, "Ev1");
    await vi.waitFor(
      async () => {
        const { items } = await inboxesFromEnv(env)(`slack/${workspace.slack.team}`).received({
          after: null,
          limit: 10,
          since: 0,
        });
        expect(items).toMatchObject([{ id: "Ev1", state: "done" }]);
      },
      { timeout: 20_000 },
    );
    const now = (await workspace.caller.send("GET", "/v1/slack/installs")).json;
    expect(now.data).toMatchObject([{ status: "active" }]);
  });

  test("goes with its tenant, and so does what came from the workspace, unless it is another tenant's by then", async () => {
    const [workspace, moved] = [await openWorkspace(), await openWorkspace()];
    const inbox = async ({ slack }: Workspace) =>
      (await inboxesFromEnv(env)(`slack/${slack.team}`).received({ after: null, limit: 10, since: 0 })).items;
    for (const one of [workspace, moved]) {
      await one.mention("hi");
      await one.tasks(1);
    }
    await moved.event({ type: "app_uninstalled", event_ts: nextTs() });
    const old = (await moved.caller.send("GET", "/v1/slack/installs")).json.data[0].id;
    const receivedBy = async (caller: Workspace["caller"], id: string) =>
      (await caller.send("GET", `/v1/slack/installs/${id}/received`)).json.data;
    const own = (await workspace.caller.send("GET", "/v1/slack/installs")).json.data[0].id;
    await vi.waitFor(
      async () =>
        expect(await receivedBy(workspace.caller, own)).toMatchObject([
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
    for (const { caller } of [workspace, moved])
      await send({ method: "DELETE", path: `/v1/tenants/${caller.tenant}`, key: operatorKey() });
    await sweep(env, Date.now());
    expect(await inbox(workspace)).toEqual([]);
    expect((await inbox(moved)).length).toBeGreaterThan(0);
  });

  test("shows a manifest with the addresses of this Worker", async () => {
    const { json } = await (await makeCaller()).send("GET", "/v1/slack/manifest");
    expect(json.manifest.settings.event_subscriptions.request_url).toBe("http://otto.test/slack/events");
    expect(json.yaml).toContain("request_url: http://otto.test/slack/interactive");
  });

  describe("by OAuth", () => {
    async function begin(workspace: Pick<Workspace, "caller">): Promise<URL> {
      const started = await workspace.caller.send("POST", "/v1/slack/authorize");
      expect(started.status, started.text).toBe(200);
      return new URL(started.json.url);
    }
    /** By a key: in a browser, which goes by Otto's own page. */
    async function went(workspace: Pick<Workspace, "caller">, browser = newBrowser()) {
      const page = new URL(await browser.begin((await begin(workspace)).href));
      const back = async (query: Record<string, string>, by = browser) =>
        await by.visit(`/slack/oauth?${new URLSearchParams(query).toString()}`);
      return { page, state: page.searchParams.get("state") ?? "", back };
    }

    async function thatWent(workspace: Pick<Workspace, "caller">) {
      const browser = newBrowser();
      await went(workspace, browser);
      return browser;
    }

    /** The cookie of a session, signed in by the caller's key. */
    async function signedIn({ key }: Workspace["caller"]) {
      const headers = { "content-type": "application/json", "cf-connecting-ip": "192.0.2.77" };
      const started = await knock("POST", "/v1/session", { headers, body: JSON.stringify({ key }) });
      const [, cookie = "", token = ""] = /^([^=]+)=([^;]*)/.exec(started.headers.get("set-cookie") ?? "") ?? [];
      return { cookie, token };
    }

    test("records the workspace for the tenant that started it, once", async () => {
      const workspace = await openWorkspace();
      const { page, state, back } = await went(workspace);
      expect(page.searchParams.get("client_id")).toBe("1111.2222");
      const redirectUri = page.searchParams.get("redirect_uri") ?? "";
      await workspace.slack.agree({
        code: `code-${workspace.slack.team}`,
        user: "U0ANA",
        scope: "chat:write,commands",
        clientId: "1111.2222",
        clientSecret: "canary-client-secret",
        redirectUri,
      });
      const done = await back({ state, code: `code-${workspace.slack.team}` });
      expect(done.status, done.text).toBe(200);
      expect(done.text).toContain("Otto is installed in");
      const { data } = (await workspace.caller.send("GET", "/v1/slack/installs")).json;
      expect(data).toMatchObject([
        { team: workspace.slack.team, app: workspace.app.appId, scopes: ["chat:write", "commands"] },
      ]);
      const replayed = await back({ state, code: `code-${workspace.slack.team}` });
      expect(replayed.status).toBe(400);
      expect(replayed.text).toContain("did not start this");
    });

    test("rejects a browser that did not start it, and keeps the consent valid for the one that did", async () => {
      const workspace = await openWorkspace();
      const { page, state, back } = await went(workspace);
      const code = `code-${workspace.slack.team}`;
      await workspace.slack.agree({
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
      const other = await back({ state, code }, await thatWent(workspace));
      expect(other.status).toBe(400);
      expect((await workspace.caller.send("GET", "/v1/slack/installs")).json.data).toHaveLength(1);
      expect((await back({ state, code })).text).toContain("Otto is installed in");
    });

    test("asks for a confirmation before the redirect, whose link only this browser can make", async () => {
      const workspace = await openWorkspace();
      const { pathname, search } = await begin(workspace);
      const browser = newBrowser();
      const page = await browser.visit(pathname + search);
      expect(page.text).toContain(workspace.caller.tenant);
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
      const workspace = await openWorkspace();
      const { token, cookie } = await signedIn(workspace.caller);
      const ask = async () =>
        await knock("POST", "/v1/slack/authorize", {
          headers: { cookie: `${cookie}=${token}`, "sec-fetch-site": "same-origin", "idempotency-key": "one" },
        });
      const lost = await ask();
      expect(lost.status, lost.text).toBe(200);
      // An answer that was lost comes again, with what binds the browser.
      const started = await ask();
      expect([started.text, started.headers.get("idempotency-replayed")]).toEqual([lost.text, "true"]);
      const page = new URL(started.json.url);
      expect(page.pathname).toBe("/oauth/v2/authorize");
      const path = `/slack/oauth?state=${page.searchParams.get("state") ?? ""}&error=no`;
      expect((await newBrowser().visit(path)).text).toContain("This browser did not start this");
      const [set = ""] = started.headers.getSetCookie();
      const home = await knock("GET", path, { headers: { cookie: set.split(";")[0] ?? "" } });
      expect(home.text).toContain("Slack says no");
    });

    test("shows why it did not happen: refused, unknown to Slack, forged, over", async () => {
      const workspace = await openWorkspace();
      const answer = async (query: Record<string, string>) => {
        const { state, back } = await went(workspace);
        return (await back({ state, ...query })).text;
      };
      expect(await answer({ error: "access_denied" })).toContain("access_denied");
      expect(await answer({ code: "made-up" })).toContain("Otto was not installed.");
      expect(await answer({ state: "forged", code: "x" })).toContain("did not start this installation");
      vi.setSystemTime(Date.now() - 11 * 60_000);
      const old = await went(workspace);
      vi.useRealTimers();
      expect((await old.back({ state: old.state, code: "x" })).text).toContain("has expired");
    });
  });
});
