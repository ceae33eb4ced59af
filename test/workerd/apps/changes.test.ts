/** What a sync changes of the apps of tenants, what waits for an administrator, and names that say that they read. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { appCatalogueFromEnv } from "../../../adapters/env/app-catalogue.ts";
import { workspaceAppsFromEnv } from "../../../adapters/env/app-rights.ts";
import { toolSourcesFromEnv } from "../../../adapters/env/tool-sources.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import type { OutsideTool } from "../../../core/tool/source.ts";
import { followCatalogue } from "../../../workers/sweep/apps.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { type GivenApp, makeSnapshot } from "../../fakes/catalogue-snapshot.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";

const LIST = { action: "MAIL_LIST", schemaHash: "list 1", input: { type: "object", properties: { a: {} } } };
const SEND = { action: "MAIL_SEND", schemaHash: "send 1", effect: "probe", security: "dangerous" } as const;
const GET = { action: "MAIL_GET_PROFILE", schemaHash: "get 1", effect: "probe", scopes: ["mail:read"] } as const;

/** Publishes another version of the catalogue. */
function serve(actions: GivenApp["actions"], version: string, more: Partial<GivenApp> = {}): void {
  const snapshot = makeSnapshot([{ app: "mail", title: "Mail", actions: actions ?? [], ...more }]);
  vi.spyOn(appCatalogueFromEnv(env), "snapshot").mockResolvedValue(ok({ ...snapshot, hash: version }));
}

let caller: Caller;

const published = async (): Promise<readonly OutsideTool[]> => {
  const sources = toolSourcesFromEnv(env);
  const found = valueOf(await sources.present(caller.tenant)).find(({ name }) => name === "app:mail");
  return found === undefined ? [] : valueOf(await sources.read(caller.tenant, found.hash));
};
const changes = async () => (await caller.send("GET", "/api/tools/mail/changes")).json;
const approve = async (hash: string) => await caller.send("POST", "/api/tools/mail/changes/approve", { hash });

/** Lets the sweep see the tenant of this test alone: the apps of other tests have another catalogue. */
function hideOtherTenants(): void {
  const table = workspaceAppsFromEnv(env);
  const toFollow = table.toFollow.bind(table);
  vi.spyOn(table, "toFollow").mockImplementation(async (version) => {
    const all = valueOf(await toFollow(version, 10_000));
    return ok(all.filter(({ tenant }) => tenant === caller.tenant));
  });
}

beforeEach(async () => {
  caller = await makeCaller();
  hideOtherTenants();
  serve([LIST, SEND, GET], "v1");
  await caller.send("POST", "/api/tools/add-to-workspace", { app_name: "mail" });
});

describe("after a sync", () => {
  test("unchanged actions follow, changed ones stay, and removed ones leave", async () => {
    expect(await changes()).toEqual({ app_name: "mail", hash: null, changed: [], removed: [] });
    const list = { ...LIST, schemaHash: "list 2", effect: "probe" as const, security: "dangerous" as const };
    serve([{ ...SEND, version: "20261201_00" }, list], "v2");
    await followCatalogue(env);
    const [first, second, ...rest] = await published();
    expect(rest).toEqual([]);
    expect(first).toMatchObject({ name: "composio_MAIL_LIST", effect: "none", origin: { version: "20261101_00" } });
    expect(second).toMatchObject({ name: "composio_MAIL_SEND", origin: { version: "20261201_00" } });
    expect(await changes()).toMatchObject({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      changed: [
        {
          name: "MAIL_LIST",
          parts: ["effect", "security"],
          before: { effect: "none", security: "cautious" },
          after: { effect: "probe", security: "dangerous" },
        },
      ],
      removed: ["MAIL_GET_PROFILE"],
    });
  });

  test("a change is approved as it was read, and is one act", async () => {
    serve([{ ...LIST, schemaHash: "list 2", input: { type: "object" } }, SEND], "v2");
    await followCatalogue(env);
    const { hash, changed } = await changes();
    expect(changed[0].parts).toEqual(["input"]);
    expectProblem(await approve("x"), 409, "hash");
    serve([{ ...LIST, schemaHash: "list 3", input: { type: "object" } }, SEND], "v3");
    expectProblem(await approve(hash), 409, "hash");
    const { hash: later } = await changes();
    expect((await published())[0]?.input).toEqual(LIST.input);
    expect((await approve(later)).json).toEqual({
      status: "success",
      approved_count: 1,
      removed_count: 1,
      app_name: "mail",
    });
    expect((await published())[0]?.input).toEqual({ type: "object" });
    expect(await changes()).toMatchObject({ hash: null, changed: [], removed: [] });
    expect((await caller.send("GET", "/v1/audit?action=app.approve")).json.data).toMatchObject([{ target: "mail" }]);
  });

  test("the actions of an app that is no longer offered leave, and those of one that comes back return", async () => {
    serve([LIST, SEND, GET], "v2", { status: "removed" });
    await followCatalogue(env);
    expect(await published()).toEqual([]);
    serve([LIST, SEND, GET], "v3");
    await followCatalogue(env);
    expect(await published()).toHaveLength(3);
  });

  test("an app follows once, and again after an outage", async () => {
    const behind = async (version: string) => {
      const all = valueOf(await workspaceAppsFromEnv(env).toFollow(version, 1_000));
      return all.some(({ tenant }) => tenant === caller.tenant);
    };
    serve([SEND], "v2");
    const put = vi.spyOn(workspaceAppsFromEnv(env), "find").mockResolvedValue(failed("upstream_failed", "away"));
    await followCatalogue(env);
    put.mockRestore();
    expect(await behind("v2")).toBe(true);
    await followCatalogue(env);
    expect([await behind("v2"), await behind("v3")]).toEqual([false, true]);
    expect(await published()).toHaveLength(1);
  });
});

describe("names that say that they read", () => {
  const override = async (schemaHash: string) => {
    const one = { effect: "none", security: "cautious", schema_hash: schemaHash };
    return await caller.send("PUT", "/api/tools/mail/overrides", { overrides: { MAIL_GET_PROFILE: one } });
  };

  test("are listed for an app without hints, and count for the form that was confirmed", async () => {
    const { json } = await caller.send("GET", "/api/tools/mail/reading-actions");
    expect(json.actions).toContainEqual({
      name: "MAIL_GET_PROFILE",
      display_name: "MAIL_GET_PROFILE",
      has_read_scopes: true,
      schema_hash: "get 1",
    });
    expect(json.actions.map(({ name }: { name: string }) => name)).not.toContain("MAIL_SEND");
    expectProblem(await override("other"), 409);
    expect((await override("get 1")).status).toBe(200);
    expect((await published())[0]).toMatchObject({ name: "composio_MAIL_GET_PROFILE", effect: "none" });
    expect((await caller.send("GET", "/api/tools/mail/overrides")).json.overrides).toMatchObject([
      {
        name: "MAIL_GET_PROFILE",
        effect: "none",
        security: "cautious",
        schema_hash: "get 1",
        is_current: true,
        computed: { effect: "probe" },
      },
    ]);
    serve([{ ...GET, schemaHash: "get 2" }], "v2");
    const { changed, hash } = await changes();
    expect(changed[0]).toMatchObject({ before: { effect: "none" }, after: { effect: "probe" } });
    expect((await approve(hash)).status).toBe(200);
    expect((await published())[0]).toMatchObject({ effect: "probe" });
  });

  test("are not listed for an app with hints", async () => {
    serve([GET, { ...LIST, tags: ["readOnlyHint"] }], "v2");
    expect((await caller.send("GET", "/api/tools/mail/reading-actions")).json.actions).toEqual([]);
  });
});

test("another tenant's app is not added here", async () => {
  const stranger = await makeCaller();
  for (const path of ["changes", "overrides"])
    expectProblem(await stranger.send("GET", `/api/tools/mail/${path}`), 409);
  expectProblem(await stranger.send("GET", "/api/tools/nothing/changes"), 404);
  expectProblem(await stranger.send("POST", "/api/tools/mail/changes/approve", { hash: "x" }), 409);
});
