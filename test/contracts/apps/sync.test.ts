/** Syncs of the catalogue of apps over the embedded Postgres: what they store, what ends them, and what a crash changes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openAppCatalogue } from "../../../adapters/apps/open-catalogue.ts";
import { MAX_RUN_MS, runSyncPage } from "../../../core/apps/sync/run-page.ts";
import type { SyncState } from "../../../core/apps/sync/state.ts";
import { failed } from "../../../core/base/errors.ts";
import type { CatalogueSnapshot } from "../../../core/ports/app-catalogue.ts";
import { DescribedCatalogue, describeAction, TOO_MANY } from "../../fakes/described-catalogue.ts";
import { valueOf } from "../value-of.ts";
import { beginSync, depsOf, openSyncWorld, runSync, type SyncWorld } from "./sync-world.ts";

let world: SyncWorld;
let source: DescribedCatalogue;

beforeAll(async () => {
  world = await openSyncWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.asOwner("truncate composio_actions_cache, composio_apps_cache, composio_sync_jobs, app_catalogue");
  world.ahead = 0;
  source = new DescribedCatalogue({ apps: 4, actions: 5, page: 7 });
});

async function readSnapshot(): Promise<CatalogueSnapshot> {
  const { table, blobs } = world;
  const snapshot = valueOf(await openAppCatalogue({ table, blobs, now: Date.now }).snapshot());
  if (snapshot === null) throw new Error("no catalogue was published");
  return snapshot;
}

const listNames = async () =>
  valueOf(await (await readSnapshot()).actions())
    .map(({ action }) => action)
    .toSorted();
const provided = () => [...source.provided.keys()].toSorted();
const findLatest = async () => valueOf(await world.table.history(1))[0];
const completed = { kind: "ended", status: "completed" };

describe("a full sync", () => {
  test("stores every app, action and trigger once, and publishes one version", async () => {
    expect(await runSync(world, source, "full")).toMatchObject(completed);
    expect(await findLatest()).toMatchObject({ status: "completed", appsSynced: 4, actionsSynced: 20, errors: 0 });
    const snapshot = await readSnapshot();
    expect(snapshot.stats).toEqual({
      apps: 4,
      actions: 20,
      triggers: 4,
      categories: [
        { category: "crm", apps: 4 },
        { category: "odd", apps: 1 },
      ],
    });
    expect(await listNames()).toEqual(provided());
    const [first] = valueOf(await snapshot.actions());
    expect(first).toMatchObject({ app: "app0", parameters: ["id", "note"], isDestructive: false, effect: "none" });
    expect(first?.description).toHaveLength(300);
    const actions = valueOf(await snapshot.actionsOf("app1"));
    expect(actions).toHaveLength(5);
    expect(actions[0]).toMatchObject({ ...source.provided.get("APP1_ACT_0"), schemaHash: expect.any(String) });
    expect(valueOf(await snapshot.triggersOf("app1"))).toMatchObject([{ trigger: "APP1_NEW" }]);
    expect(await snapshot.actionsOf("app9")).toMatchObject({ error: { code: "not_found" } });
    // The same again is the same version.
    const { hash } = snapshot;
    expect(await runSync(world, source, "full")).toMatchObject(completed);
    expect((await readSnapshot()).hash).toBe(hash);
  });

  test("that is given up at every call and runs the page again loses nothing and doubles nothing", async () => {
    expect(await runSync(world, source, "full")).toMatchObject(completed);
    const { hash } = await readSnapshot();
    await world.asOwner("truncate composio_actions_cache, composio_apps_cache, composio_sync_jobs, app_catalogue");
    let kills = 0;
    let state = await beginSync(world, "full");
    for (let ended = false; !ended; ) {
      for (let calls = 0; ; calls += 1) {
        const outcome = await runKilled(state, calls);
        if (outcome === "killed") {
          kills += 1;
          continue;
        }
        ended = outcome.kind === "ended";
        if (outcome.kind === "next") ({ state } = outcome);
        break;
      }
    }
    expect(kills).toBeGreaterThan(30);
    expect(await findLatest()).toMatchObject({ status: "completed", appsSynced: 4, actionsSynced: 20, errors: 0 });
    expect((await readSnapshot()).hash).toBe(hash);
  });

  test("records what is bad and skips it, and lists nothing of the provider itself", async () => {
    source.addAction(describeAction("app0", 90, { action: "has spaces" }));
    source.addAction(describeAction("app0", 91, { input: { text: "x".repeat(500_000) } }));
    source.addAction(describeAction("vanished", 0));
    source.addAction(describeAction("app0", 92, { description: "a\0b\ud800" }));
    source.rejected.push({ name: "APP0_ODD", why: "It has no schema." });
    for (const app of ["rag", "memory", "nl2sql", "codegraph"]) source.add(app, 1);
    source.add("no slug", 0);
    expect(await runSync(world, source, "full")).toMatchObject(completed);
    const latest = await findLatest();
    expect(latest?.errors).toBe(5);
    const names = latest?.errorDetails.map(({ name }) => name).toSorted();
    expect(names).toEqual(["APP0_ACT_91", "APP0_ODD", "VANISHED_ACT_0", "has spaces", "no slug"]);
    expect(await listNames()).toContain("APP0_ACT_92");
    expect(await listNames()).toHaveLength(21);
    expect((await readSnapshot()).apps.map(({ app }) => app)).toEqual(["app0", "app1", "app2", "app3"]);
  });

  test("waits as long as the provider says, and as often as it says so", async () => {
    let left = 6;
    source.fault = () => ((left -= 1) >= 0 ? TOO_MANY : null);
    const state = await beginSync(world, "full");
    expect(await runSyncPage(depsOf(world, source), state)).toMatchObject({ kind: "later", afterMs: 50 });
    expect(await runSync(world, source, "full")).toMatchObject(completed);
    expect(await listNames()).toEqual(provided());
  });

  test("names nothing of what it rejected with a tenant's own key", async () => {
    source.isOfTenant = true;
    source.addAction(describeAction("ledger", 0));
    source.rejected.push({ name: "LEDGER_ODD", why: "LEDGER_ODD has no schema." });
    expect(await runSync(world, source, "full")).toMatchObject(completed);
    const latest = await findLatest();
    expect(latest?.errors).toBe(2);
    expect(JSON.stringify(latest)).not.toMatch(/ledger/i);
  });

  test("never ends as completed with a cursor that repeats, a listing without apps, or a refused key", async () => {
    expect(await runSync(world, source, "full")).toMatchObject(completed);
    const { hash } = await readSnapshot();
    for (const [prepare, why] of [
      [() => (source.loop = "7"), "repeats a cursor"],
      [() => ((source.loop = null), source.described.clear()), "listed no apps"],
      [() => (source.fault = () => failed("forbidden", "The key is refused.")), "The key is refused."],
    ] as const) {
      prepare();
      expect(await runSync(world, source, "full")).toMatchObject({ kind: "ended", status: "failed" });
      const latest = await findLatest();
      expect(latest).toMatchObject({ status: "failed", completedAt: expect.any(Number) });
      expect(latest?.errorDetails[0]?.why).toContain(why);
      expect((await readSnapshot()).hash).toBe(hash);
    }
  });

  test("ends when it takes too long, and a page of it changes nothing afterwards", async () => {
    const state = await beginSync(world, "full");
    const first = await runSyncPage(depsOf(world, source), state);
    world.ahead = MAX_RUN_MS + 1;
    expect(await runSyncPage(depsOf(world, source), state)).toMatchObject({ kind: "ended", status: "failed" });
    world.ahead = 0;
    expect(first.kind).toBe("next");
    if (first.kind !== "next") return;
    expect(await runSyncPage(depsOf(world, source), first.state)).toMatchObject({ status: "ended before" });
    expect(await world.asOwner("select * from composio_actions_cache")).toEqual([]);
  });
});

describe("what the provider no longer has", () => {
  test("is removed, is readable for a week, and is then deleted", async () => {
    source = new DescribedCatalogue({ apps: 10, actions: 5 });
    expect(await runSync(world, source, "full")).toMatchObject(completed);
    source.remove("app3");
    source.provided.delete("APP4_ACT_1");
    expect(await runSync(world, source, "full")).toMatchObject(completed);
    const snapshot = await readSnapshot();
    expect(snapshot.stats).toMatchObject({ apps: 9, actions: 44 });
    expect(await listNames()).toEqual(provided());
    expect(snapshot.apps.at(-1)).toMatchObject({ app: "app3", status: "removed" });
    expect(valueOf(await snapshot.actionsOf("app3"))).toHaveLength(5);
    expect(valueOf(await snapshot.actionsOf("app4"))).toHaveLength(4);
    world.ahead = 7 * 86_400_000 + 60_000;
    expect(await runSync(world, source, "full")).toMatchObject(completed);
    expect((await readSnapshot()).apps.map(({ app }) => app)).not.toContain("app3");
    expect(await world.asOwner("select * from composio_actions_cache where status = 'removed'")).toEqual([]);
    source.add("app3", 5);
    expect(await runSync(world, source, "incremental")).toMatchObject(completed);
    expect((await readSnapshot()).stats).toMatchObject({ apps: 10, actions: 49 });
  });

  test.each([
    ["of actions", () => [...source.provided.keys()].slice(0, 11).forEach((name) => source.provided.delete(name))],
    [
      "of apps, while as many are new",
      () => [0, 1, 2].forEach((at) => (source.remove(`app${at}`), source.add(`new${at}`, 5))),
    ],
  ])("is not removed when more than a fifth %s is missing", async (_what, lose) => {
    source = new DescribedCatalogue({ apps: 10, actions: 5 });
    expect(await runSync(world, source, "full")).toMatchObject(completed);
    const { hash } = await readSnapshot();
    lose();
    expect(await runSync(world, source, "full")).toMatchObject({ status: "failed" });
    expect((await findLatest())?.errorDetails[0]?.why).toMatch(/^It would remove 1[15] of 50 actions/);
    expect((await readSnapshot()).hash).toBe(hash);
    const active = await world.asOwner("select * from composio_actions_cache where status = 'active'");
    expect(active.length).toBeGreaterThanOrEqual(50);
  });
});

describe("an incremental sync", () => {
  test("reads the changed apps alone: three of them in at most six requests", async () => {
    source = new DescribedCatalogue({ apps: 40, actions: 5 });
    expect(await runSync(world, source, "full")).toMatchObject(completed);
    for (const app of ["app3", "app5", "app7"]) source.renew(app);
    source.addAction(describeAction("app5", 99));
    source.provided.delete("APP7_ACT_0");
    source.requests.length = 0;
    expect(await runSync(world, source, "incremental")).toMatchObject(completed);
    expect(source.requests).toEqual([
      "apps",
      "actions app3",
      "actions app5",
      "actions app7",
      "triggers app3,app5,app7",
    ]);
    expect(await listNames()).toEqual(provided());
    source.requests.length = 0;
    expect(await runSync(world, source, "incremental")).toMatchObject(completed);
    expect(source.requests).toEqual(["apps"]);
  });

  test("reads one listing of all actions when many apps changed", async () => {
    source = new DescribedCatalogue({ apps: 40, actions: 5 });
    expect(await runSync(world, source, "full")).toMatchObject(completed);
    for (const app of source.described.keys()) source.renew(app);
    source.requests.length = 0;
    expect(await runSync(world, source, "incremental")).toMatchObject(completed);
    expect(source.requests.filter((request) => request.startsWith("actions"))).toEqual(["actions"]);
  });

  test("reads an app again that a failed sync had listed", async () => {
    expect(await runSync(world, source, "full")).toMatchObject(completed);
    source.renew("app2");
    source.addAction(describeAction("app2", 50));
    source.fault = (request) => (request.startsWith("actions") ? failed("forbidden", "No.") : null);
    expect(await runSync(world, source, "incremental")).toMatchObject({ status: "failed" });
    source.fault = () => null;
    expect(await runSync(world, source, "incremental")).toMatchObject(completed);
    expect(await listNames()).toContain("APP2_ACT_50");
  });
});

test("a backfill reads apps with actions that have no schema, and removes no app", async () => {
  source.addAction(describeAction("app2", 0, { input: {} }));
  expect(await runSync(world, source, "full")).toMatchObject(completed);
  source.addAction(describeAction("app2", 0));
  source.requests.length = 0;
  expect(await runSync(world, source, "backfill")).toMatchObject(completed);
  expect(source.requests).toEqual(["actions app2", "triggers app2"]);
  const [action] = valueOf(await (await readSnapshot()).actionsOf("app2"));
  expect(action).toMatchObject({ action: "APP2_ACT_0", input: { required: ["id"] } });
  expect((await readSnapshot()).stats).toMatchObject({ apps: 4, actions: 20 });
});

/** Runs a page and ends it at its call with this number. */
async function runKilled(state: SyncState, most: number) {
  const deps = depsOf(world, source);
  let calls = 0;
  const kill = new Error("killed");
  const killing = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...given: unknown[]) => {
          const result: unknown = await Reflect.apply(method, target, given);
          if ((calls += 1) > most) throw kill;
          return result;
        };
      },
    });
  const { source: provider, table, blobs } = deps;
  try {
    return await runSyncPage(
      { ...deps, source: killing(provider), table: killing(table), blobs: killing(blobs) },
      state,
    );
  } catch (thrown) {
    if (thrown === kill) return "killed";
    throw thrown;
  }
}
