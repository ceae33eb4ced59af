/** Groups of routes that load with the first request of their paths: the app answers as if it had them from the start. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { createApp } from "../../../workers/app.ts";
import type { App } from "../../../workers/http/context.ts";
import { ROUTE_GROUPS, type RouteGroup } from "../../../workers/route-groups/groups.ts";
import { createLateRoutes } from "../../../workers/route-groups/late-routes.ts";
import { type Caller, makeCaller } from "./entry.ts";

/** `METHOD /path` of every handler that an app has now, without middleware. A route with validators is named several times. */
const listHandlers = (app: App) =>
  app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`);

const listRoutes = (app: App) => [...new Set(listHandlers(app))];

/** A path of a route, with a value for each parameter. */
const fill = (path: string) => path.replace(/:path\{[^}]*\}/, "a/b").replace(/:\w+/g, "x1");

async function loadAll(app: App, groups: readonly RouteGroup[]): Promise<void> {
  for (const { prefixes } of groups) await app.request(prefixes[0] ?? "", { method: "OPTIONS" }, env);
}

/** The group with its loads counted; those before `worksFrom` fail. */
function watch(name: string, worksFrom = 1) {
  const group = ROUTE_GROUPS.find((one) => one.name === name);
  if (group === undefined) throw new Error(`no group has the name ${name}`);
  const load = vi.fn<RouteGroup["load"]>(async () => {
    if (load.mock.calls.length < worksFrom) throw new Error("cannot load");
    return await group.load();
  });
  return { load, groups: ROUTE_GROUPS.map((one) => (one === group ? { ...group, load } : one)) };
}

/** A request of the caller. */
const withKey = (
  { key }: Caller,
  init: Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> } = {},
): RequestInit => ({
  ...init,
  headers: { ...init.headers, authorization: `Bearer ${key}` },
});

describe("the list of groups", () => {
  test("names the path of each of its routes, so that a request of it loads the group", async () => {
    const all = new Map<string, RouteGroup>();
    for (const group of ROUTE_GROUPS) {
      const app = createApp([group]);
      const start = new Set(listRoutes(app));
      await loadAll(app, [group]);
      const own = listRoutes(app).filter((route) => !start.has(route));
      expect(own.length, group.name).toBeGreaterThan(0);
      for (const route of own) {
        expect(all.get(route)?.name, route).toBeUndefined();
        all.set(route, group);
      }
    }
    const late = createLateRoutes(createApp([]), ROUTE_GROUPS, () => Promise.reject(new Error("not called")));
    for (const [route, group] of all) expect(late.findMissing(fill(route.split(" ")[1] ?? "")), route).toContain(group);
    expect(all.size).toBeGreaterThan(150);
  });

  test("finds the same handlers in whichever order the groups load", async () => {
    const [one, other] = [createApp(), createApp()];
    await loadAll(one, ROUTE_GROUPS);
    await loadAll(other, ROUTE_GROUPS.toReversed());
    expect(listHandlers(one).toSorted()).toEqual(listHandlers(other).toSorted());
    const found = (app: App, method: string, path: string) =>
      app.router.match(method, path)[0].map(([[, route]]) => `${route.method} ${route.path}`);
    for (const route of listRoutes(one)) {
      const [method = "", path = ""] = route.split(" ");
      expect(found(one, method, fill(path)), route).toEqual(found(other, method, fill(path)));
    }
  });
});

describe("a first request", () => {
  test("loads no group for the engine's paths, the health check, and paths that no route has", async () => {
    const loads = ROUTE_GROUPS.map(({ load }) => vi.fn<typeof load>(load));
    const groups = ROUTE_GROUPS.map((group, index) => ({ ...group, load: loads[index] ?? group.load }));
    const app = createApp(groups);
    const caller = await makeCaller();
    for (const path of ["/v1/tasks", "/v1/tasks/x", "/v1/inbox", "/v1/nothing", "/v1/app", "/v1/appsx", "/health", "/"])
      await app.request(path, withKey(caller), env);
    for (const load of loads) expect(load).not.toHaveBeenCalled();
  });

  test("answers 405 and OPTIONS with what the path takes, and 404 below it, as any later one", async () => {
    const caller = await makeCaller();
    const answers = async (app: App) =>
      await Promise.all(
        [
          ["PATCH", "/v1/agents"],
          ["OPTIONS", "/v1/agents/x/apps"],
          ["GET", "/v1/agents/x/nothing"],
          ["POST", "/docs"],
        ].map(async ([method = "", path = ""]) => {
          const answer = await app.request(path, withKey(caller, { method }), env);
          return [answer.status, answer.headers.get("allow")];
        }),
      );
    const app = createApp();
    const expected = [
      [405, "GET, HEAD, OPTIONS, POST"],
      [204, "GET, HEAD, OPTIONS, PUT"],
      [404, null],
      [405, "GET, HEAD, OPTIONS"],
    ];
    expect(await answers(app)).toEqual(expected);
    expect(await answers(app)).toEqual(expected);
  });

  test("finds its route when methods of other paths were listed before the group was loaded", async () => {
    const [app, caller] = [createApp(), await makeCaller()];
    expect((await app.request("/v1/tasks", withKey(caller, { method: "PATCH" }), env)).status).toBe(405);
    expect((await app.request("/v1/memory", withKey(caller, { method: "PATCH" }), env)).status).toBe(405);
  });

  test("shares the group with another one that comes at the same time", async () => {
    const [app, caller] = [createApp(), await makeCaller()];
    const answers = await Promise.all(
      ["/v1/projects", "/v1/people", "/v1/projects"].map(async (path) => await app.request(path, withKey(caller), env)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const alone = createApp();
    await alone.request("/v1/projects", withKey(caller), env);
    expect(listHandlers(app)).toEqual(listHandlers(alone));
  });
});

describe("a group that cannot be loaded", () => {
  test("is a failure to try again, in the order of the checks, and is loaded by the next request", async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    const { groups, load } = watch("tenant", 4);
    const [app, caller] = [createApp(groups), await makeCaller()];
    expect((await app.request("/v1/projects", {}, env)).status).toBe(401);
    const refused = await app.request("/v1/projects", withKey(caller), env);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(refused.headers.get("x-request-id")).toMatch(/^req_/);
    expect(await refused.json()).toMatchObject({
      code: "upstream_failed",
      detail: expect.stringContaining("Try again"),
    });
    expect((await app.request("/v1/tasks", withKey(caller), env)).status).toBe(200);
    expect((await app.request("/v1/memory", withKey(caller), env)).status).toBe(200);
    const body = { method: "POST", body: '{"name":"Ana"}', headers: { "content-type": "application/json" } };
    const made = () =>
      app.request(
        "/v1/people",
        withKey(caller, { ...body, headers: { ...body.headers, "idempotency-key": "a" } }),
        env,
      );
    expect((await made()).status).toBe(503);
    expect((await made()).status).toBe(201);
    expect(load).toHaveBeenCalledTimes(4);
    expect(logged).toHaveBeenCalledTimes(3);
    await app.request("/v1/projects", withKey(caller), env);
    expect(load).toHaveBeenCalledTimes(4);
  });

  test("fails the document until it can be loaded, because the document has every route", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    const app = createApp(watch("apps", 2).groups);
    const refused = await app.request("/openapi.json", {}, env);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    const whole = await app.request("/openapi.json", {}, env);
    expect(whole.status).toBe(200);
    const { paths } = await whole.json<{ paths: object }>();
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(["/v1/tasks", "/v1/apps", "/docs"]));
  });
});
