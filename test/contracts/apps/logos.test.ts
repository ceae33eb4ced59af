/** The logos of a synced catalogue over the embedded Postgres: when they are fetched, and what a failing one changes. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openAppCatalogue } from "../../../adapters/apps/open-catalogue.ts";
import { getLogoKey } from "../../../core/apps/logo.ts";
import { type PageOutcome, runSyncPage } from "../../../core/apps/sync/run-page.ts";
import { failed } from "../../../core/base/errors.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { DescribedCatalogue } from "../../fakes/described-catalogue.ts";
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
  source = new DescribedCatalogue({ apps: 3, actions: 1 });
});

const svg = (name: string) => new TextEncoder().encode(`<svg><title>${name}</title></svg>`);
const at = (app: string) => `https://logos.example/${app}`;

function give(app: string, logo: Uint8Array | ReturnType<typeof failed> = svg(app)): void {
  source.setLogo(app, at(app));
  source.logos.set(at(app), logo);
}

async function sync(kind: "full" | "incremental" = "full"): Promise<readonly string[]> {
  source.requests.length = 0;
  expect(await runSync(world, source, kind)).toMatchObject({ status: "completed" });
  expect(valueOf(await world.table.history(1))[0]).toMatchObject({ status: "completed", errors: 0 });
  return source.requests.filter((request) => request.startsWith("logo ")).toSorted();
}

/** The stored logo of each app, by its bytes. */
async function readLogos(): Promise<Record<string, string | null>> {
  const { table, blobs } = world;
  const snapshot = valueOf(await openAppCatalogue({ table, blobs, now: Date.now }).snapshot());
  const read = (snapshot?.apps ?? []).map(async ({ app, logo }) => {
    const bytes = logo === null ? null : valueOf(await blobs.get(getLogoKey(logo)));
    if (bytes !== null) expect(await sha256Hex(bytes)).toBe(logo);
    return [app, bytes === null ? null : new TextDecoder().decode(bytes)] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

test("are fetched once for each address, after the catalogue is published", async () => {
  for (const app of ["app0", "app1"]) give(app);
  let state = await beginSync(world, "full");
  let outcome: PageOutcome;
  for (;;) {
    outcome = await runSyncPage(depsOf(world, source), state);
    if (outcome.kind !== "next") break;
    ({ state } = outcome);
    // The catalogue is published before the first logo is asked for.
    if (state.phase === "logos") expect(valueOf(await world.table.findOpen())).toBeNull();
    else expect(source.requests.some((request) => request.startsWith("logo "))).toBe(false);
  }
  expect(outcome).toMatchObject({ kind: "ended", status: "completed" });
  expect(await readLogos()).toEqual({
    app0: "<svg><title>app0</title></svg>",
    app1: "<svg><title>app1</title></svg>",
    app2: null,
  });
  expect(await sync()).toEqual([]);
  expect(await sync("incremental")).toEqual([]);
  source.setLogo("app1", `${at("app1")}?2`);
  source.logos.set(`${at("app1")}?2`, svg("new"));
  source.setLogo("app0", null);
  expect(await sync("incremental")).toEqual([`logo ${at("app1")}?2`]);
  expect(await readLogos()).toEqual({ app0: null, app1: "<svg><title>new</title></svg>", app2: null });
});

test("that fail leave the sync and the other logos as they are, and are tried by the next sync", async () => {
  give("app0");
  give("app1", failed("timeout", "No reply in time."));
  give("app2", failed("too_large", "It has more than 65536 bytes."));
  expect(await sync()).toHaveLength(3);
  expect(await readLogos()).toMatchObject({ app0: "<svg><title>app0</title></svg>", app1: null, app2: null });
  give("app2");
  expect(await sync("incremental")).toEqual([`logo ${at("app1")}`, `logo ${at("app2")}`]);
  expect(await readLogos()).toMatchObject({ app1: null, app2: "<svg><title>app2</title></svg>" });
  // A new address that fails leaves the logo before.
  source.setLogo("app2", `${at("app2")}?2`);
  expect(await sync("incremental")).toHaveLength(2);
  expect(await readLogos()).toMatchObject({ app2: "<svg><title>app2</title></svg>" });
});

test("are asked for a page at a time, no more than a sync may, and not at all without a way to the web", async () => {
  source = new DescribedCatalogue({ apps: 1_010, actions: 0 });
  for (const app of source.described.keys()) give(app, failed("not_available", "There is no sidecar."));
  expect(await sync("full")).toHaveLength(40);
  for (const app of source.described.keys()) give(app, failed("timeout", "No reply in time."));
  const asked = await sync("full");
  expect(asked).toHaveLength(1_000);
  expect(new Set(asked).size).toBe(1_000);
});

test("of a page that is given up are fetched again, and are published once", async () => {
  for (const app of source.described.keys()) give(app);
  let state = await beginSync(world, "full");
  while (state.phase !== "logos") {
    const outcome = await runSyncPage(depsOf(world, source), state);
    if (outcome.kind === "next") ({ state } = outcome);
  }
  const deps = depsOf(world, source);
  const table = { ...deps.table, publishLogos: () => Promise.reject(new Error("killed")) };
  await expect(runSyncPage({ ...deps, table }, state)).rejects.toThrow("killed");
  expect(await readLogos()).toEqual({ app0: null, app1: null, app2: null });
  expect(await runSyncPage(deps, state)).toMatchObject({ kind: "ended", status: "completed" });
  expect(Object.values(await readLogos())).not.toContain(null);
  const away = {
    ...deps.table,
    logosToFetch: () => Promise.resolve(failed("upstream_failed", "The database is away.")),
  };
  expect(await runSyncPage({ ...deps, table: away }, state)).toMatchObject({ kind: "later" });
});
