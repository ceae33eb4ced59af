/** The apps of a tenant over the table on Postgres: who sees what, and that one registration counts. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openAppDirectory, openProviderBook } from "../../../adapters/connections/app-directory.ts";
import { openCatalogueApps } from "../../../adapters/connections/catalogue-apps.ts";
import { ok } from "../../../core/base/errors.ts";
import { hashCatalogueApp } from "../../../core/connections/catalogue-app.ts";
import { OPERATOR_KEY } from "../../../core/connections/provider-key.ts";
import type { RegisteredClient } from "../../../core/connections/app-client.ts";
import { type AppSettings, hashAppSettings } from "../../../core/connections/app-settings.ts";
import type { AppClientTable } from "../../../core/ports/app-client-table.ts";
import { type GivenApp, makeSnapshot } from "../../fakes/catalogue-snapshot.ts";
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

const APPS: readonly GivenApp[] = [
  { app: "gmail", title: "Gmail" },
  { app: "sales", title: "Catalogue CRM" },
  { app: "open", title: "Open", isOpen: true },
  { app: "key", title: "Key", authSchemes: ["API_KEY"], managedSchemes: [] },
  { app: "gone", title: "Gone", status: "removed" },
  { app: "own", title: "Own", managedSchemes: [], guideUrl: "https://docs.example/own" },
  { app: "server", title: "Server", provider: "mcp" },
];
let snapshots = 0;
const open = (key: string | null) => {
  const snapshot = makeSnapshot(APPS);
  const read = () => {
    snapshots += 1;
    return Promise.resolve(ok(snapshot));
  };
  return openCatalogueApps({ snapshot: read }, () => Promise.resolve(ok(key)));
};
const catalogue = open(OPERATOR_KEY);

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
  const found = valueOf(await openAppDirectory(table, catalogue).find("crm"));
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
  const directory = openAppDirectory(table, catalogue);
  expect(await directory.find("crm")).toMatchObject({ ok: false, error: { code: "not_found" } });
  expect(await directory.find("nothing")).toMatchObject({ ok: false, error: { code: "not_found" } });
  expect(valueOf(await directory.all()).map(({ app }) => app)).toEqual(["books"]);
  expect(await openProviderBook(table).find("crm")).toMatchObject({ ok: true });
});

test("an app of the catalogue is found after the tenant's own ones, and costs these no read", async () => {
  const directory = openAppDirectory(table, catalogue);
  snapshots = 0;
  await put("sales");
  expect(valueOf(await directory.find("sales"))).toMatchObject({ title: "Crm", provider: "oauth" });
  expect(snapshots).toBe(0);
  const found = valueOf(await directory.find("gmail"));
  expect(found).toEqual({
    app: "gmail",
    provider: "composio",
    title: "Gmail",
    per: "either",
    kind: "composio",
    scopes: [],
    fields: [],
    hosts: [],
    settingsHash: await hashCatalogueApp("gmail"),
  });
  expect(snapshots).toBe(1);
  await put("sales", { ...SETTINGS, isRemoved: true });
  expect(valueOf(await directory.find("sales"))).toMatchObject({ title: "Catalogue CRM", provider: "composio" });
  expect(await directory.find("server")).toMatchObject({ error: { code: "not_found" } });
  await put("books");
  const all = valueOf(await directory.all(["gmail", "books", "nothing"]));
  expect(all.map(({ app, provider }) => [app, provider])).toEqual([
    ["books", "oauth"],
    ["gmail", "composio"],
  ]);
});

test("an app of the catalogue says why nobody can connect it", async () => {
  const directory = openAppDirectory(table, catalogue);
  const why = async (app: string, from = directory) => valueOf(await from.find(app)).unavailable;
  expect(await why("gmail")).toBeUndefined();
  expect(await why("key")).toBeUndefined();
  expect(await why("open")).toContain("needs no account");
  expect(await why("gone")).toContain("no longer in the catalogue");
  expect(await why("own")).toContain("https://docs.example/own");
  expect(await why("gmail", openAppDirectory(table, open(null)))).toContain("Integrations are disabled");
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
  const directory = openAppDirectory(table, catalogue);
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
