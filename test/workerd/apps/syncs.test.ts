/** Syncs of the catalogue, and what an administrator looks at when something is missing. */
import { env, exports } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { appCatalogueFromEnv, catalogueSyncsFromEnv } from "../../../adapters/env/app-catalogue.ts";
import { integrationsFromEnv } from "../../../adapters/env/integrations.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import type { SyncJob } from "../../../core/ports/app-catalogue.ts";
import { makeSnapshot } from "../../fakes/catalogue-snapshot.ts";
import { connect, openOffice } from "../connections/connect-client.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { expectProblem, makeCaller } from "../http/entry.ts";

const AT = Date.UTC(2026, 10, 27, 9, 30);
const JOB: SyncJob = {
  id: "sync_1",
  kind: "full",
  status: "running",
  startedAt: AT,
  completedAt: null,
  appsSynced: 3,
  actionsSynced: 40,
  errors: 1,
  errorDetails: [{ name: "BAD_ACTION", why: "Its schema is not an object." }],
};

// Tests of the sweep leave syncs of the same catalogue.
beforeEach(() => {
  vi.spyOn(catalogueSyncsFromEnv(env), "history").mockResolvedValue(ok([]));
});

describe("a sync", () => {
  test.each([
    ["sync", "full"],
    ["sync?sync_type=", "full"],
    ["sync?sync_type=full", "full"],
    ["sync?sync_type=incremental", "incremental"],
    ["backfill-params", "backfill"],
  ] as const)("%s starts a %s one", async (path, kind) => {
    const start = vi.spyOn(catalogueSyncsFromEnv(env), "start").mockResolvedValue(ok({ ...JOB, kind }));
    const caller = await makeCaller();
    const answer = await caller.send("POST", `/api/tools/${path}`);
    expect([answer.status, answer.json]).toEqual([
      202,
      {
        id: "sync_1",
        job_type: kind,
        status: "running",
        started_at: "2026-11-27T09:30:00.000Z",
        completed_at: null,
        duration_ms: null,
        apps_synced: 3,
        actions_synced: 40,
        errors_count: 1,
        error_details: [{ name: "BAD_ACTION", why: "Its schema is not an object." }],
      },
    ]);
    expect(start.mock.calls).toEqual([[kind, caller.tenant]]);
  });

  test("starts none for what is not known, and says why it cannot start", async () => {
    const admin = await makeCaller();
    const start = vi.spyOn(catalogueSyncsFromEnv(env), "start");
    expectProblem(await admin.send("POST", "/api/tools/sync?sync_type=backfill"), 422, "sync_type");
    expectProblem(await admin.send("POST", "/api/tools/sync", { apps: [] }), 422, "apps");
    expect(start).not.toHaveBeenCalled();
    start.mockResolvedValue(failed("not_available", "No provider is set up."));
    const answer = await admin.send("POST", "/api/tools/sync");
    expect([answer.status, answer.json.code]).toEqual([422, "not_available"]);
  });

  test("is audited, and one of its kind is not started again for ten minutes", async () => {
    const admin = await makeCaller();
    const syncs = catalogueSyncsFromEnv(env);
    const start = vi.spyOn(syncs, "start").mockResolvedValue(ok(JOB));
    const ended = { ...JOB, status: "completed", startedAt: Date.now() - 9 * 60_000, completedAt: Date.now() } as const;
    const history = vi.spyOn(syncs, "history").mockResolvedValue(ok([{ ...ended, kind: "backfill" }, ended]));
    expect((await admin.send("POST", "/api/tools/sync")).json).toMatchObject({ status: "completed" });
    expect(start).not.toHaveBeenCalled();
    history.mockResolvedValue(ok([{ ...ended, startedAt: Date.now() - 11 * 60_000 }]));
    expect((await admin.send("POST", "/api/tools/sync")).json).toMatchObject({ status: "running" });
    history.mockResolvedValue(ok([{ ...ended, status: "failed" }]));
    expect((await admin.send("POST", "/api/tools/sync")).json).toMatchObject({ status: "failed" });
    const { data } = (await admin.send("GET", "/v1/audit")).json;
    const acts = data.filter(({ action }: { action: string }) => action === "catalogue.sync");
    expect(acts.map(({ target }: { target: string }) => target)).toEqual(["full"]);
  });

  test("is in the history, at both addresses", async () => {
    const admin = await makeCaller();
    const ended = { ...JOB, status: "completed", completedAt: AT + 4_000 } as const;
    const history = vi.spyOn(catalogueSyncsFromEnv(env), "history").mockResolvedValue(ok([ended]));
    const { json } = await admin.send("GET", "/api/tools/sync-history?limit=5");
    expect(json.jobs).toMatchObject([{ id: "sync_1", status: "completed", duration_ms: 4_000 }]);
    expect(history.mock.calls).toEqual([[5]]);
    // The document has one address, so this asks the Worker directly.
    const headers = { authorization: `Bearer ${admin.key}` };
    const other = await exports.default.fetch("http://otto.test/api/tools/sync/history", { headers });
    expect(await other.json()).toEqual(json);
  });
});

test("the cache status names what the catalogue lacks", async () => {
  const admin = await makeCaller();
  const read = async () => (await admin.send("GET", "/api/tools/debug/cache-status")).json;
  const snapshot = vi.spyOn(appCatalogueFromEnv(env), "snapshot").mockResolvedValue(ok(null));
  expect(await read()).toMatchObject({ hash: null, last_synced: null, age_seconds: null, apps: 0 });
  const input = { type: "object", properties: { to: { type: "string" } } };
  const apps = [
    { app: "whole", actions: [{ action: "WHOLE_A", input }, { action: "WHOLE_B" }] },
    { app: "bare", actions: [{ action: "BARE_A" }] },
    { app: "empty", actionCount: 7 },
    { app: "none", actionCount: 0 },
  ];
  snapshot.mockResolvedValue(ok(makeSnapshot(apps, Date.now() - 90_500)));
  const status = await read();
  expect(status).toMatchObject({
    apps: 4,
    actions: 10,
    apps_without_actions: ["empty"],
    apps_without_parameters: ["bare"],
  });
  expect(status.age_seconds).toBeGreaterThanOrEqual(90);
});

test("the connection records are everyone's, without tokens", async () => {
  const office = await openOffice();
  await connect(await office.add("Ana"), "ana");
  const answer = await office.admin.send("GET", "/api/tools/debug/connections");
  expect(answer.json).toMatchObject({ connections: [{ app: "crm", owner: { name: "Ana" } }], total: 1 });
  expect(answer.text).not.toMatch(/token|access|refresh|verifier|sealed/);
  expect((await (await makeCaller()).send("GET", "/api/tools/debug/connections")).json.total).toBe(0);
});

test("only an administrator syncs and looks behind the catalogue", async () => {
  const start = vi.spyOn(catalogueSyncsFromEnv(env), "start");
  const caller = await makeCaller(["tasks:read", "tasks:write", "tools:call"]);
  for (const request of [
    "POST sync",
    "POST backfill-params",
    "GET sync-history",
    "GET debug/cache-status",
    "GET debug/connections",
    "GET debug/resolve?q=mail",
  ]) {
    const [method = "", path = ""] = request.split(" ");
    expectProblem(await caller.send(method, `/api/tools/${path}`), 403);
  }
  expect(start).not.toHaveBeenCalled();
});

test("without a provider the integrations say that they are disabled", async () => {
  const caller = await makeCaller(["tasks:read"]);
  expect((await caller.send("GET", "/api/tools/integrations/status")).json).toEqual({
    status: "integrations_unavailable",
    message: "Integrations are disabled — no Composio API key is configured.",
    served_by: "none",
  });
  const withVariables = async (more: object) => valueOf(await integrationsFromEnv({ ...env, ...more }, caller.tenant));
  const key = { COMPOSIO_API_KEY: "ak_1" };
  const demo = { ...key, OTTO_MODE: "local", COMPOSIO_BASE_URL: "http://127.0.0.1:1", OTTO_DEMO_APPS: "yes" };
  expect(await withVariables({ OTTO_DEMO_APPS: "no" })).toEqual({
    status: "integrations_unavailable",
    servedBy: "none",
  });
  expect(await withVariables(demo)).toEqual({ status: "demo", servedBy: "demo" });
  expect(await withVariables(key)).toEqual({ status: "on", servedBy: "operator" });
});
