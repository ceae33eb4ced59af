/** The apps of a tenant and how their providers are reached, over the real table. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openAppDirectory, openProviderBook } from "../../../adapters/connections/app-directory.ts";
import type { RegisteredClient } from "../../../core/connections/app-client.ts";
import { type AppSettings, hashAppSettings } from "../../../core/connections/app-settings.ts";
import type { AppClientTable } from "../../../core/ports/app-client-table.ts";
import { type SealedDatabase, startSealedDatabase } from "../database/connection-tables.ts";
import { makeTenant } from "../database/rows.ts";
import { valueOf } from "../value-of.ts";

const SETTINGS: AppSettings = {
  title: "Crm",
  kind: "oauth2",
  per: "person",
  scopes: ["read"],
  fields: [],
  hosts: ["crm.example"],
  header: "authorization",
  at: { kind: "issuer", issuer: "https://auth.example" },
  clientId: null,
  params: { access_type: "offline" },
};

const client = (id: string, redirectUrl = "https://otto.example/connect/callback"): RegisteredClient => ({
  id,
  secret: `secret of ${id}`,
  issuer: "https://auth.example",
  redirectUrl,
  expiresAt: null,
  method: "client_secret_basic",
});

let sealed: SealedDatabase;
let table: AppClientTable;

beforeAll(async () => {
  sealed = await startSealedDatabase();
});
afterAll(() => sealed.server.close());
beforeEach(async () => {
  const { tenant } = await makeTenant(sealed.database);
  table = sealed.database.appClients(tenant.id, sealed.sealOf(tenant.id));
});

async function put(settings: Record<string, unknown>, secrets: Record<string, unknown> | null = null): Promise<void> {
  valueOf(await table.put({ app: "crm", provider: "oauth", settings, settingsHash: "hash", secrets }));
}

test("an app is read without its secrets, and its provider with them", async () => {
  await put({ ...SETTINGS, clientId: "otto", later: true }, { clientSecret: "canary" });
  const app = valueOf(await openAppDirectory(table).find("crm"));
  expect(app).toEqual({
    app: "crm",
    provider: "oauth",
    title: "Crm",
    per: "person",
    kind: "oauth2",
    scopes: ["read"],
    fields: [],
    hosts: ["crm.example"],
    settingsHash: "hash",
  });
  expect(valueOf(await openAppDirectory(table).all())).toEqual([app]);
  expect(valueOf(await openProviderBook(table).find("crm"))).toEqual({
    at: SETTINGS.at,
    client: { id: "otto", secret: "canary" },
    registered: null,
    params: SETTINGS.params,
    header: "authorization",
  });
  expect(await openAppDirectory(table).find("other")).toMatchObject({ error: { code: "not_found" } });
  expect(await openProviderBook(table).find("other")).toMatchObject({ error: { code: "not_found" } });
});

test("settings that cannot be read are said to be so", async () => {
  await put({ title: "Crm" });
  for (const read of [openAppDirectory(table).find("crm"), openProviderBook(table).find("crm")])
    expect(await read).toMatchObject({ error: { code: "not_available" } });
  expect(valueOf(await openAppDirectory(table).all())).toEqual([]);
});

test("a removed app is not found, and its provider is, for its revocations", async () => {
  await put({ ...SETTINGS, isRemoved: true });
  expect(await openAppDirectory(table).find("crm")).toMatchObject({ error: { code: "not_found" } });
  expect(valueOf(await openAppDirectory(table).all())).toEqual([]);
  expect(valueOf(await openProviderBook(table).find("crm")).at).toEqual(SETTINGS.at);
});

test("the first of two registrations counts, and a later one replaces what it read", async () => {
  await put(SETTINGS, { clientSecret: "canary" });
  const book = openProviderBook(table);
  const [one, other] = await Promise.all([
    book.register("crm", client("one"), null),
    book.register("crm", client("other"), null),
  ]);
  expect(valueOf(one)).toEqual(valueOf(other));
  const first = valueOf(one);
  expect(valueOf(await book.find("crm")).registered).toEqual(first);
  const moved = client("moved", "https://new.example/connect/callback");
  expect(valueOf(await book.register("crm", moved, null))).toEqual(first);
  expect(valueOf(await book.register("crm", moved, first))).toEqual(moved);
  expect(valueOf(await table.secrets("crm")).secrets).toMatchObject({ clientSecret: "canary" });
});

test("a consent covers where the provider is and where its credential is sent, and no name", async () => {
  const hash = await hashAppSettings(SETTINGS);
  for (const change of [{ title: "Other" }, { params: {} }, { scopes: [] }, { hosts: ["crm.example", "crm.example"] }])
    expect(await hashAppSettings({ ...SETTINGS, ...change })).toBe(hash);
  const changes: readonly Partial<AppSettings>[] = [
    { hosts: ["other.example"] },
    { header: "x-key" },
    { clientId: "other" },
    { at: { kind: "issuer", issuer: "https://other.example" } },
  ];
  for (const change of changes) expect(await hashAppSettings({ ...SETTINGS, ...change })).not.toBe(hash);
});
