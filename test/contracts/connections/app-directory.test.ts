/** The apps of a tenant over the table on Postgres: who sees what, and that one registration counts. */
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
  per: "person",
  kind: "oauth2",
  scopes: ["read"],
  fields: [],
  hosts: ["api.example"],
  header: "authorization",
  at: { kind: "issuer", issuer: "https://login.example" },
  clientId: null,
  params: { access_type: "offline" },
};

let sealed: SealedDatabase;
let table: AppClientTable;

beforeAll(async () => {
  sealed = await startSealedDatabase();
});
afterAll(() => sealed.server.close());
beforeEach(async () => {
  const { id } = (await makeTenant(sealed.database)).tenant;
  table = sealed.database.appClients(id, sealed.sealOf(id));
});

async function put(
  app: string,
  settings: AppSettings = SETTINGS,
  secrets: Readonly<Record<string, unknown>> | null = null,
) {
  const settingsHash = await hashAppSettings(settings);
  valueOf(await table.put({ app, provider: "oauth", settings, settingsHash, secrets }));
  return settingsHash;
}

const clientOf = (id: string): RegisteredClient => ({
  id,
  secret: `canary-${id}`,
  issuer: "https://login.example",
  redirectUrl: "https://otto.example/connect/callback",
  expiresAt: null,
  method: null,
});

test("an app is found with its hash and without secrets, and its provider with them", async () => {
  const settings = { ...SETTINGS, clientId: "otto" };
  const settingsHash = await put("crm", settings, { clientSecret: "canary" });
  const found = valueOf(await openAppDirectory(table).find("crm"));
  expect(found).toEqual({
    app: "crm",
    provider: "oauth",
    title: "Crm",
    per: "person",
    kind: "oauth2",
    scopes: ["read"],
    fields: [],
    hosts: ["api.example"],
    settingsHash,
  });
  expect(valueOf(await openProviderBook(table).find("crm"))).toEqual({
    at: SETTINGS.at,
    client: { id: "otto", secret: "canary" },
    registered: null,
    params: { access_type: "offline" },
    header: "authorization",
  });
});

test("a removed app is hidden, and its provider can still be reached to revoke", async () => {
  await put("books");
  await put("crm", { ...SETTINGS, isRemoved: true });
  const directory = openAppDirectory(table);
  expect(await directory.find("crm")).toMatchObject({ ok: false, error: { code: "not_found" } });
  expect(await directory.find("nothing")).toMatchObject({ ok: false, error: { code: "not_found" } });
  expect(valueOf(await directory.all()).map(({ app }) => app)).toEqual(["books"]);
  expect(await openProviderBook(table).find("crm")).toMatchObject({ ok: true });
});

test("settings of a later release are no app of this one, and hide no other", async () => {
  await put("books");
  const later = {
    app: "crm",
    provider: "oauth",
    settings: { kind: "device" },
    settingsHash: "h",
    secrets: null,
  } as const;
  valueOf(await table.put(later));
  const directory = openAppDirectory(table);
  expect(await directory.find("crm")).toMatchObject({ ok: false, error: { code: "not_available" } });
  expect(valueOf(await directory.all()).map(({ app }) => app)).toEqual(["books"]);
});

test("of clients that are registered at the same time one counts for all", async () => {
  await put("crm");
  const book = openProviderBook(table);
  const made = await Promise.all(["a", "b", "c"].map(async (id) => await book.register("crm", clientOf(id), null)));
  const ids = new Set(made.map((one) => valueOf(one).id));
  expect(ids.size).toBe(1);
  const before = valueOf(await book.find("crm")).registered;
  expect(before?.id).toBe([...ids][0]);
  expect(valueOf(await book.register("crm", clientOf("d"), before)).id).toBe("d");
  expect(valueOf(await book.register("crm", clientOf("e"), before)).id).toBe("d");
});

test("a client whose key is lost is said to be", async () => {
  await put("crm", SETTINGS, { clientSecret: "canary" });
  await sealed.asOwner("update app_clients set sealed = 'AAAA' where app_name = 'crm'");
  expect(await openProviderBook(table).find("crm")).toMatchObject({
    ok: false,
    error: { code: "not_available", message: expect.stringContaining("Import the app again") },
  });
});
