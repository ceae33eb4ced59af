/** What tests of the rebuild do to a tenant's rows, and how they follow it. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { neon, neonConfig } from "@neondatabase/serverless";
import { expect, inject, vi } from "vitest";
import { operatorKey, sendJson, tenantStub, type TestTenant } from "../tenant/client.ts";

export const SOON = { timeout: 20_000, interval: 50 };
/** After this long a read of the index compares the object with its row again, and counts. */
const COMPARED_AGAIN_MS = 660_000;
/** How far the clock of the latest such read was ahead. */
let ahead = 0;
const TABLES = [
  "entity_connections app_clients memory_tags memories vectors skill_versions skills tool_names custom_tools tool_sources mcp_servers schedules",
  "person_addresses person_names people deliveries endpoints hooks slack_installs slack_authorizations secrets",
  "agent_versions agents tasks erased_usage projects audit keys",
]
  .join(" ")
  .split(" ");

export interface Reindexed {
  readonly state: string;
  readonly reason: string | null;
  readonly rebuilt: Readonly<Record<string, number>>;
  readonly removed: number;
  readonly missing: number;
  readonly missing_schedules: number;
  readonly not_rebuilt: Readonly<Record<string, number>>;
  readonly progress: { readonly done: number; readonly total: number };
}

export async function asOwner(statement: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  const { databaseOwnerUrl, databaseEndpoint } = inject("servers");
  neonConfig.fetchEndpoint = databaseEndpoint;
  return await neon(databaseOwnerUrl, { disableWarningInBrowsers: true }).query(statement, values);
}

/** The database is another, which knows nothing of the tenant. */
export async function loseRows(tenant: string): Promise<void> {
  // A summary may be saved meanwhile.
  await vi.waitFor(async () => {
    for (const table of TABLES) await asOwner(`delete from ${table} where tenant = $1`, tenant);
    await asOwner("delete from tenants where id = $1", tenant);
  }, SOON);
}

export const quiet = () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
};

/** Sets the clock to when a comparison is due, until real timers are used again. */
export function setClockAhead(): void {
  ahead += COMPARED_AGAIN_MS;
  vi.setSystemTime(Date.now() + ahead);
}

/** Reads the index when a comparison is due. */
export async function readLater(tenant: TestTenant): Promise<readonly { id: string }[]> {
  setClockAhead();
  const read = await sendJson<{ data: { id: string }[] }>({ path: "/v1/tasks?limit=100", key: tenant.key });
  vi.useRealTimers();
  return read.body.data;
}

export async function reindexOf(tenant: TestTenant): Promise<Reindexed> {
  return (await sendJson<Reindexed>({ path: `/v1/tenants/${tenant.id}/reindex`, key: operatorKey() })).body;
}

export async function untilDone(tenant: TestTenant): Promise<Reindexed> {
  return await vi.waitFor(async () => {
    // By the clock that began it, the alarm may be later.
    await runDurableObjectAlarm(tenantStub(tenant.id));
    const reindex = await reindexOf(tenant);
    expect(reindex.state).toBe("done");
    return reindex;
  }, SOON);
}

export const startReindex = async (tenant: TestTenant) =>
  await sendJson<Reindexed>({ method: "POST", path: `/v1/tenants/${tenant.id}/reindex`, key: operatorKey(), body: {} });

export const listed = async (tenant: TestTenant) =>
  (await sendJson<{ data: { id: string }[] }>({ path: "/v1/tasks?limit=100", key: tenant.key })).body.data
    .map(({ id }) => id)
    .toSorted();

export async function hold(tenant: TestTenant, project?: string): Promise<string> {
  const body = { input: "Wait.", hold: true, ...(project === undefined ? {} : { project }) };
  const made = await sendJson<{ id: string }>({ method: "POST", path: "/v1/tasks", key: tenant.key, body });
  expect(made.status).toBe(201);
  return made.body.id;
}
