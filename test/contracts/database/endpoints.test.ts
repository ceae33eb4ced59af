/** The rows of endpoints: their versions, the secrets that sign, and who changed what. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import { MAX_ENDPOINTS } from "../../../core/channels/webhooks/endpoint.ts";
import type { Database } from "../../../core/ports/database.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, endpointOf, makeTenant, START } from "./rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

async function newTenantId(): Promise<string> {
  return (await makeTenant(database)).tenant.id;
}

async function make(tenant: string, at = START) {
  const endpoint = endpointOf(at);
  return valueOf(await database.endpoints.create(tenant, endpoint, act("webhook.create", endpoint.id, at)));
}

const settingOf = (url: string) => ({ url, events: ["task.failed" as const], description: "d", enabled: true });
const acts = async (tenant: string) =>
  valueOf(await database.audit.page(tenant, { after: null, limit: 100 })).items.map(({ action }) => action);

describe("an endpoint", () => {
  test("is created once, listed latest first, changed, and removed, with one audit row for each change", async () => {
    const tenant = await newTenantId();
    const endpoint = endpointOf();
    const made = act("webhook.create", endpoint.id);
    for (const _ of [1, 2])
      expect(valueOf(await database.endpoints.create(tenant, endpoint, made))).toMatchObject({
        id: endpoint.id,
        version: 1,
        url: endpoint.url,
        events: ["*"],
        enabled: true,
        disabledWhy: null,
        oldSecretUntil: null,
        createdAt: START,
        updatedAt: START,
      });
    const later = await make(tenant, START + 1);
    expect(valueOf(await database.endpoints.all(tenant)).map(({ id }) => id)).toEqual([later.id, endpoint.id]);
    const change = { id: endpoint.id, setting: settingOf("https://other.example/"), ifVersion: 1 };
    const set = valueOf(await database.endpoints.update(tenant, change, act("webhook.update", endpoint.id, START + 5)));
    expect(set).toMatchObject({ version: 2, ...change.setting, createdAt: START, updatedAt: START + 5 });
    expect(await database.endpoints.update(tenant, change, act("webhook.update", endpoint.id))).toMatchObject({
      error: { code: "conflict", field: "If-Match" },
    });
    valueOf(await database.endpoints.remove(tenant, endpoint.id, act("webhook.delete", endpoint.id)));
    const missing = { error: { code: "not_found" } };
    expect(await database.endpoints.get(tenant, endpoint.id)).toMatchObject(missing);
    expect(await database.endpoints.update(tenant, change, act("webhook.update", endpoint.id))).toMatchObject(missing);
    expect(await database.endpoints.remove(tenant, endpoint.id, act("webhook.delete", endpoint.id))).toMatchObject(
      missing,
    );
    expect((await acts(tenant)).toSorted()).toEqual(
      ["webhook.create", "webhook.create", "webhook.update", "webhook.delete"].toSorted(),
    );
  });

  test("is one of at most so many, and making the last one again gives it", async () => {
    const tenant = await newTenantId();
    for (let i = 1; i < MAX_ENDPOINTS; i += 1) await make(tenant);
    const last = endpointOf();
    for (const _ of [1, 2]) {
      const made = await database.endpoints.create(tenant, last, act("webhook.create", last.id));
      expect(made).toMatchObject({ ok: true, value: { id: last.id } });
    }
    const more = endpointOf();
    expect(await database.endpoints.create(tenant, more, act("webhook.create", more.id))).toMatchObject({
      error: { code: "quota_exceeded" },
    });
  });

  test("retains the latest three replaced secrets, and replaces once per act", async () => {
    const tenant = await newTenantId();
    const { id } = await make(tenant);
    for (const n of [1, 2, 3, 4]) {
      const rotation = { id, sealed: `secret ${n}`, oldUntil: START + n };
      const rotated = act("webhook.rotate", id);
      for (const _ of [1, 2])
        expect(valueOf(await database.endpoints.rotate(tenant, rotation, rotated))).toMatchObject({
          version: n + 1,
          oldSecretUntil: START + n,
        });
    }
    expect(valueOf(await database.endpoints.all(tenant))).toMatchObject([
      {
        sealed: "secret 4",
        old: [
          { sealed: "secret 3", until: START + 4 },
          { sealed: "secret 2", until: START + 3 },
          { sealed: "secret 1", until: START + 2 },
        ],
      },
    ]);
  });

  test("is disabled as it was seen, and not when it was set since", async () => {
    const tenant = await newTenantId();
    const { id } = await make(tenant);
    const gone = (version: number) =>
      database.endpoints.disable(tenant, { id, version, why: "Gone." }, act("webhook.disable", id));
    const change = { id, setting: settingOf("https://other.example/"), ifVersion: null };
    valueOf(await database.endpoints.update(tenant, change, act("webhook.update", id)));
    valueOf(await gone(1));
    expect(valueOf(await database.endpoints.get(tenant, id))).toMatchObject({ version: 2, enabled: true });
    valueOf(await gone(2));
    expect(valueOf(await database.endpoints.get(tenant, id))).toMatchObject({
      version: 3,
      enabled: false,
      disabledWhy: "Gone.",
    });
    expect((await acts(tenant)).filter((action) => action === "webhook.disable")).toHaveLength(1);
    const enabled = valueOf(await database.endpoints.update(tenant, change, act("webhook.update", id)));
    expect(enabled).toMatchObject({ enabled: true, disabledWhy: null });
  });

  test("goes with its tenant", async () => {
    const tenant = await newTenantId();
    await make(tenant);
    valueOf(await database.tenants.erase(tenant, act("tenant.erase", tenant)));
    valueOf(await database.tenants.purge(tenant));
    expect(valueOf(await database.endpoints.all(tenant))).toEqual([]);
  });
});
