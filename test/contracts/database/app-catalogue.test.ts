/** The rows of the catalogue of apps: whom they are for, the syncs that write them, and the published version. */
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import { prepareAction, prepareApp } from "../../../core/apps/sync/prepare.ts";
import { judgeAction } from "../../../core/apps/effects/judge.ts";
import type { SyncJob, SyncKind } from "../../../core/ports/app-catalogue.ts";
import type { AppCatalogueTable, StoredAction } from "../../../core/ports/app-catalogue-table.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { DescribedCatalogue } from "../../fakes/described-catalogue.ts";
import { runAsOwner } from "../apps/owner.ts";
import { valueOf } from "../value-of.ts";
import { newId, START } from "./rows.ts";

const TABLES = [
  "composio_apps_cache",
  "composio_actions_cache",
  "composio_stats_cache",
  "composio_sync_jobs",
  "app_catalogue",
] as const;
const STATS = { apps: 1, actions: 2, triggers: 0, categories: [] };

let server: TestDatabase;
let table: AppCatalogueTable;
/** A provider with an app that has two actions, and one that has none. */
let source: DescribedCatalogue;

beforeAll(async () => {
  server = await startTestDatabase();
  table = openDatabase(server.url, server.endpoint).appCatalogue;
});
afterAll(() => server.close());
beforeEach(async () => {
  await runAsOwner(server, `truncate ${TABLES.join()}`);
  source = new DescribedCatalogue({ apps: 1, actions: 2 });
  source.add("spare", 0);
});

/** Runs one statement alone, as `otto_app`, with or without a tenant. */
async function asApp(statement: string, tenant: string | null): Promise<unknown[]> {
  neonConfig.fetchEndpoint = server.endpoint;
  const sql = neon(server.url, { disableWarningInBrowsers: true });
  if (tenant === null) return sql.query(statement);
  const [, rows] = await sql.transaction([
    sql.query("select set_config('app.tenant', $1, true)", [tenant]),
    sql.query(statement),
  ]);
  return rows as unknown[];
}

const begin = async (kind: SyncKind = "full", at = START): Promise<SyncJob> =>
  valueOf(await table.begin({ id: newId("sync", at), kind, at }));
const apps = () => [...source.described.values()].map((app) => valueOf(prepareApp(app)));
const actions = (): Promise<StoredAction[]> =>
  Promise.all([...source.provided.values()].map(async (action) => valueOf(await prepareAction(judgeAction, action))));

/** A sync that stored two apps and two actions, compiled nothing, and is published. */
async function fill(): Promise<void> {
  const { id } = await begin();
  valueOf(await table.putApps(id, apps(), START));
  valueOf(await table.markScope(id, { kind: "all" }));
  expect(valueOf(await table.putActions(id, await actions(), START))).toHaveLength(2);
  valueOf(await table.publish(id, { snapshot: "a".repeat(64), syncedAt: START + 1_500, stats: STATS }));
}

describe("another tenant", () => {
  beforeEach(fill);

  test.each(TABLES)("reads %s, and so does a transaction without a tenant", async (name) => {
    const rows = await runAsOwner(server, `select * from ${name}`);
    expect(rows.length).toBeGreaterThan(0);
    for (const tenant of [newId("tenant"), "", null])
      expect(await asApp(`select * from ${name}`, tenant)).toHaveLength(rows.length);
  });

  test.each([
    "update composio_apps_cache set display_name = 'x'",
    "update composio_actions_cache set effect = 'none'",
    "update composio_stats_cache set stat_value = '0'",
    "update composio_sync_jobs set completed_at = null",
    "update app_catalogue set snapshot = 'x'",
    "delete from composio_actions_cache",
    "delete from composio_apps_cache where app_name = 'spare'",
    "delete from composio_sync_jobs",
  ])("changes nothing by: %s", async (statement) => {
    const read = () => Promise.all(TABLES.map((name) => runAsOwner(server, `select * from ${name}`)));
    const before = await read();
    for (const tenant of [newId("tenant"), "", null]) await asApp(statement, tenant);
    expect(await read()).toEqual(before);
    await asApp(statement, "operator");
    expect(await read()).not.toEqual(before);
  });

  test.each(TABLES)("adds nothing to %s", async (name) => {
    const [row] = await runAsOwner(server, `select * from ${name}`);
    const columns = Object.keys(row ?? {}).join();
    const insert = `insert into ${name} (${columns}) select ${columns} from ${name} on conflict do nothing`;
    for (const tenant of [newId("tenant"), null])
      await expect(asApp(insert, tenant)).rejects.toThrow(/row-level security/);
  });

  test.each(["delete from app_catalogue", "delete from composio_stats_cache", "truncate composio_apps_cache"])(
    "is refused, as the operator is: %s",
    async (statement) => {
      await expect(asApp(statement, "operator")).rejects.toThrow(/permission denied/);
    },
  );
});

test("every table is guarded, also from its owner", async () => {
  const rows = await runAsOwner(
    server,
    `select relname from pg_class where relrowsecurity and relforcerowsecurity and relname = any ('{${TABLES.join()}}')`,
  );
  expect(rows).toHaveLength(TABLES.length);
});

describe("syncs", () => {
  test("are under way one at a time, and are listed for 90 days, the newest first", async () => {
    const [first, second] = await Promise.all([begin(), begin("incremental")]);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ status: "queued", startedAt: START, completedAt: null, errors: 0, errorDetails: [] });
    const progress = { appsSynced: 3, actionsSynced: 4, errors: 1, errorDetails: [{ name: "X", why: "It is odd." }] };
    expect(valueOf(await table.report(first.id, progress, START + 5))).toBe(true);
    expect(valueOf(await table.findOpen())).toMatchObject({ id: first.id, kind: first.kind, updatedAt: START + 5 });
    valueOf(await table.fail(first.id, "The key is refused.", START + 9));
    expect(valueOf(await table.report(first.id, progress, START + 10))).toBe(false);
    expect(valueOf(await table.findOpen())).toBeNull();
    const [row] = await runAsOwner(server, "select duration_ms from composio_sync_jobs");
    expect(Number(row?.["duration_ms"])).toBe(9);
    const later = await begin("backfill", START + 20);
    expect(valueOf(await table.history(10))).toEqual([
      later,
      {
        ...first,
        ...progress,
        status: "failed",
        completedAt: START + 9,
        errors: 2,
        errorDetails: [{ name: "sync", why: "The key is refused." }, ...progress.errorDetails],
      },
    ]);
    expect(valueOf(await table.history(1))).toHaveLength(1);
    valueOf(await table.fail(later.id, "Again.", START + 30));
    await begin("full", START + 91 * 86_400_000);
    expect(valueOf(await table.history(10))).toHaveLength(1);
  });

  test("write nothing after their end", async () => {
    await fill();
    const read = () => Promise.all(TABLES.map((name) => runAsOwner(server, `select * from ${name}`)));
    const { id } = await begin("full", START + 10_000);
    valueOf(await table.putApps(id, apps(), START + 10_000));
    valueOf(await table.markScope(id, { kind: "all" }));
    valueOf(await table.fail(id, "It was too slow.", START + 20_000));
    const before = await read();
    const at = START + 30_000;
    valueOf(
      await table.putApps(
        id,
        apps().map((app) => ({ ...app, title: "late" })),
        at,
      ),
    );
    expect(valueOf(await table.markScope(id, { kind: "all" }))).toEqual([]);
    expect(valueOf(await table.putActions(id, await actions(), at))).toEqual([]);
    valueOf(await table.putTriggers(id, new Map([["app0", []]])));
    valueOf(await table.settle(id, { hasListing: true, at, forgetBefore: at }));
    valueOf(await table.storeCompiled(id, new Map([["app0", "b".repeat(64)]])));
    valueOf(await table.fail(id, "Twice.", at));
    expect(valueOf(await table.publish(id, { snapshot: "late", syncedAt: at, stats: STATS }))).toBe(false);
    expect(await read()).toEqual(before);
  });
});

test("a version is published with its figures, and the next one replaces it", async () => {
  expect(valueOf(await table.pointer())).toBeNull();
  await fill();
  expect(valueOf(await table.pointer())).toEqual({ snapshot: "a".repeat(64), syncedAt: START + 1_500, logos: null });
  valueOf(await table.publishLogos("c".repeat(64)));
  const { id } = await begin("full", START + 5_000);
  valueOf(await table.publish(id, { snapshot: "b".repeat(64), syncedAt: START + 6_000, stats: { ...STATS, apps: 7 } }));
  expect(valueOf(await table.pointer())).toMatchObject({ snapshot: "b".repeat(64), logos: "c".repeat(64) });
  const stats = await runAsOwner(server, "select stat_key, stat_value from composio_stats_cache order by 1");
  expect(stats).toEqual([
    { stat_key: "actions", stat_value: "2" },
    { stat_key: "apps", stat_value: "7" },
    { stat_key: "categories", stat_value: "[]" },
    { stat_key: "triggers", stat_value: "0" },
  ]);
});
