/** The apps that people of a tenant connect to, and what is sealed in their rows. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MAX_APP_CHARACTERS, MAX_APP_CLIENTS } from "../../../core/connections/rules.ts";
import type { AppClientTable, NewAppClient } from "../../../core/ports/app-client-table.ts";
import { valueOf } from "../value-of.ts";
import { type SealedDatabase, startSealedDatabase } from "./connection-tables.ts";
import { act, makeTenant } from "./rows.ts";

let sealed: SealedDatabase;
let tenant: string;
let apps: AppClientTable;

beforeAll(async () => {
  sealed = await startSealedDatabase();
});
afterAll(() => sealed.server.close());
beforeEach(async () => {
  tenant = (await makeTenant(sealed.database)).tenant.id;
  apps = sealed.database.appClients(tenant, sealed.sealOf(tenant));
});

const missing = { ok: false, error: { code: "not_found" } };
const client = (app: string, change: Partial<NewAppClient> = {}): NewAppClient => ({
  app,
  provider: "oauth",
  settings: { title: "CRM \u{1f41f}", scopes: ["read"] },
  settingsHash: "hash 1",
  secrets: { client_secret: "canary-1" },
  ...change,
});

test("an app is put, found, listed by name, replaced and removed", async () => {
  const made = valueOf(await apps.put(client("crm")));
  expect(made).toMatchObject({ app: "crm", provider: "oauth", settingsHash: "hash 1", hasSecrets: true });
  expect(made.settings).toEqual({ title: "CRM \u{1f41f}", scopes: ["read"] });
  valueOf(await apps.put(client("books", { secrets: null })));
  expect(valueOf(await apps.all()).map(({ app }) => app)).toEqual(["books", "crm"]);
  const replaced = valueOf(await apps.put(client("crm", { settingsHash: "hash 2", secrets: null })));
  expect(replaced).toMatchObject({ settingsHash: "hash 2", hasSecrets: false });
  expect(valueOf(await apps.secrets("crm"))).toEqual({ secrets: null, receipt: null, settingsHash: "hash 2" });
  valueOf(await apps.remove("crm"));
  expect(await apps.remove("crm")).toMatchObject(missing);
  expect(await apps.find("crm")).toMatchObject(missing);
  expect(await apps.secrets("crm")).toMatchObject(missing);
});

test("secrets open for their tenant and app alone, and are stored nowhere unsealed", async () => {
  valueOf(await apps.put(client("crm")));
  expect(valueOf(await apps.secrets("crm")).secrets).toEqual({ client_secret: "canary-1" });
  const rows = await sealed.asOwner("select * from app_clients where tenant = $1", tenant);
  expect(JSON.stringify(rows)).not.toContain("canary");
  valueOf(await apps.put(client("books")));
  const other = (await makeTenant(sealed.database)).tenant.id;
  const copy =
    "update app_clients set sealed = (select sealed from app_clients where tenant = $1 and app_name = 'crm')";
  await sealed.asOwner(`${copy} where app_name = 'books' and tenant = $1`, tenant);
  expect(valueOf(await apps.secrets("books")).secrets).toBeNull();
  const others = sealed.database.appClients(other, sealed.sealOf(other));
  valueOf(await others.put(client("crm")));
  await sealed.asOwner(`${copy} where app_name = 'crm' and tenant = $2`, tenant, other);
  expect(valueOf(await others.secrets("crm")).secrets).toBeNull();
});

test("a client that is registered replaces what was read, once, and for the same settings", async () => {
  valueOf(await apps.put(client("crm", { secrets: null })));
  const none = valueOf(await apps.secrets("crm"));
  expect(valueOf(await apps.replaceSecrets("crm", { ...none, settingsHash: "another" }, { client_id: "c0" }))).toBe(
    false,
  );
  const both = await Promise.all(["c1", "c2"].map((id) => apps.replaceSecrets("crm", none, { client_id: id })));
  expect(both.filter((stored) => valueOf(stored))).toHaveLength(1);
  const first = valueOf(await apps.secrets("crm"));
  expect(first.secrets).toMatchObject({ client_id: expect.stringMatching(/^c[12]$/) });
  expect(valueOf(await apps.replaceSecrets("crm", first, { client_id: "c3" }))).toBe(true);
  expect(valueOf(await apps.replaceSecrets("crm", first, { client_id: "c4" }))).toBe(false);
  expect(valueOf(await apps.secrets("crm")).secrets).toEqual({ client_id: "c3" });
  expect(await apps.replaceSecrets("unknown", none, {})).toEqual({ ok: true, value: false });
});

test("apps and their settings are bounded", async () => {
  const large = { text: "x".repeat(MAX_APP_CHARACTERS) };
  for (const change of [{ settings: large }, { secrets: large }])
    expect(await apps.put(client("large", change))).toMatchObject({ error: { code: "too_large" } });
  valueOf(await apps.put(client("crm", { secrets: null })));
  const before = { settingsHash: "hash 1", receipt: null };
  expect(await apps.replaceSecrets("crm", before, large)).toMatchObject({ error: { code: "too_large" } });
  await sealed.asOwner(
    `insert into app_clients select tenant, 'app ' || n, provider, settings, settings_hash, null, updated_at
     from app_clients, generate_series(2, ${MAX_APP_CLIENTS}) as n where tenant = $1`,
    tenant,
  );
  expect(await apps.put(client("one more"))).toMatchObject({ error: { code: "quota_exceeded" } });
  expect(valueOf(await apps.put(client("crm", { settingsHash: "hash 3" }))).settingsHash).toBe("hash 3");
});

test("apps go with their tenant", async () => {
  valueOf(await apps.put(client("crm")));
  valueOf(await sealed.database.tenants.erase(tenant, act("tenant.erase", tenant)));
  valueOf(await sealed.database.tenants.purge(tenant));
  expect(valueOf(await apps.all())).toEqual([]);
});
