/** Sealed values in every table that has them, and what Postgres records of the keys that sealed them. */
import { randomBytes } from "node:crypto";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import { openSealing } from "../../../adapters/secrets/sealing.ts";
import { toBase64 } from "../../../core/base/base64.ts";
import type { Database } from "../../../core/ports/database.ts";
import { findMissingKeys, parseKeyRing, getHeaderText } from "../../../core/secrets/key-ring.ts";
import { type RowSeal, SEALED_COLUMNS, type SealedColumn } from "../../../core/ports/sealed-values.ts";
import { checkKeyRing, KeyMissing } from "../../../scripts/database/key-ring.ts";
import { migrate } from "../../../scripts/database/migrate.ts";
import { openEmptyDatabase, startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, databaseOf, endpointOf, hookRow, makeTenant, mcpServer, newId, secretOf, slackInstall } from "./rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;
let tenant: string;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());
beforeEach(async () => {
  tenant = (await makeTenant(database)).tenant.id;
});

const newKey = () => randomBytes(32).toString("base64");
const headerOf = (key: string) => getHeaderText(parseKeyRing(key, null)[0]);
const seal = async (key: string) => toBase64(await openSealing(key).seal(new TextEncoder().encode("x"), "here"));
const headers = async () => valueOf(await database.sealed.listRecorded()).map(({ header }) => header);

/** Stores a value in a column, in a row of its own. */
async function store(column: SealedColumn, sealed: string): Promise<void> {
  const name = `n${randomBytes(6).toString("hex")}`;
  switch (column) {
    case "secrets.sealed": {
      const secret = { ...secretOf(name), sealed };
      valueOf(await database.secrets.create(tenant, secret, act("secret.create", secret.id)));
      return;
    }
    case "mcp_servers.sealed":
    case "mcp_servers.auth": {
      const of = column === "mcp_servers.sealed" ? sealed : await seal(newKey());
      valueOf(await database.mcpServers.put(tenant, { ...mcpServer(name), sealed: of }, act("mcp_server.set", name)));
      if (column === "mcp_servers.auth") valueOf(await database.mcpServers.saveAuth(tenant, name, sealed));
      return;
    }
    case "endpoints.sealed":
    case "endpoints.old_sealed[]": {
      const row = { ...endpointOf(), sealed };
      valueOf(await database.endpoints.create(tenant, row, act("webhook.create", row.id)));
      if (column === "endpoints.sealed") return;
      const next = { id: row.id, sealed: await seal(newKey()), oldUntil: 9 };
      valueOf(await database.endpoints.rotate(tenant, next, act("webhook.rotate", row.id)));
      return;
    }
    case "hooks.sealed":
    case "hooks.old_sealed[]": {
      const row = { ...hookRow(name), sealed };
      valueOf(await database.hooks.create(tenant, row, act("hook.create", row.id)));
      if (column === "hooks.sealed") return;
      const secret = { sealed: await seal(newKey()), oldUntil: 9 };
      const change = { id: row.id, config: row.config, secret, actsFor: null, ifVersion: null };
      valueOf(await database.hooks.update(tenant, change, act("hook.update", row.id)));
      return;
    }
    case "trigger_subscriptions.sealed":
    case "trigger_subscriptions.old_sealed[]": {
      const row = { providerId: "ws_1", url: "https://otto.example", oldUntil: 9 };
      valueOf(await database.subscriptions.store(tenant, { ...row, sealed }, 1));
      if (column === "trigger_subscriptions.sealed") return;
      valueOf(await database.subscriptions.store(tenant, { ...row, sealed: await seal(newKey()) }, 2));
      return;
    }
    case "slack_installs.sealed": {
      const install = { ...slackInstall(name), sealed };
      valueOf(await database.slackInstalls.put(tenant, install, act("slack.install", install.id)));
      return;
    }
    case "entity_connections.sealed":
    case "entity_connections.flow":
    case "entity_connections.flow_account":
    case "entity_connections.revoking[]":
      await storeConnection(column, { app: name, sealed });
      return;
    case "app_clients.sealed": {
      const client = { app: name, provider: "oauth" as const, settings: {}, settingsHash: "h", secrets: {} };
      valueOf(await database.appClients(tenant, sealAs(sealed)).put(client));
      return;
    }
    case "provider_keys.sealed": {
      const key = { id: newId("providerKey"), value: "ak_1" };
      valueOf(await database.providerKeys(tenant, sealAs(sealed)).put(key, act("provider_key.set", "composio")));
      return;
    }
    case "databases.sealed": {
      const queried = databaseOf(name);
      valueOf(
        await database.tenantDatabases(tenant, sealAs(sealed)).create(queried, act("database.create", queried.id)),
      );
    }
  }
}

/** Seals everything as this value. */
const sealAs = (sealed: string): RowSeal => ({
  seal: () => Promise.resolve(sealed),
  open: () => Promise.resolve(null),
});

/** Seals what goes into this column as this value, and a flow with its account under different keys. */
async function sealOnly(column: SealedColumn, sealed: string): Promise<RowSeal> {
  const other = await seal(newKey());
  const isFlow = column === "entity_connections.flow" || column === "entity_connections.flow_account";
  return { ...sealAs(sealed), seal: (place) => Promise.resolve(isFlow && place.column !== column ? other : sealed) };
}

async function storeConnection(
  column: Extract<SealedColumn, `entity_connections.${string}`>,
  { app, sealed }: { readonly app: string; readonly sealed: string },
): Promise<void> {
  const table = database.connections(tenant, await sealOnly(column, sealed));
  const owned = { app, person: null, alias: null };
  const { id } = valueOf(await table.ensure(owned, "oauth"));
  const by = { person: null, name: "a key" };
  if (column === "entity_connections.flow" || column === "entity_connections.flow_account") {
    const flow = {
      account: { providerId: "ca_1", entity: "e" },
      nonce: "n",
      verifier: "v",
      issuer: null,
      redirectUrl: "https://otto.example",
      unattended: false,
      by,
    };
    valueOf(await table.beginFlow(owned, { createdAt: 1, nonce: "n" }, { ...flow, until: Date.now() + 60_000 }));
    return;
  }
  const consent = { label: null, scopes: null, unattended: false, settingsHash: "h", by };
  const tokens = { kind: "key", value: "k" } as const;
  valueOf(await table.complete(id, { ...consent, tokens }, act("connection.connect", id)));
  if (column === "entity_connections.revoking[]") valueOf(await table.revoke(id, act("connection.revoke", id)));
}

describe.each(SEALED_COLUMNS)("a value in %s", (column) => {
  test("records its key, is re-sealed, and then its old key can be removed", async () => {
    const [first, second] = [newKey(), newKey()];
    const [sealed, by] = [await seal(first), await seal(second)];
    await store(column, sealed);
    expect(await headers()).toContain(headerOf(first));
    expect(valueOf(await database.sealed.forget(headerOf(first)))).toBe(false);

    const other = (await makeTenant(database)).tenant.id;
    valueOf(await database.sealed.replace(other, column, { sealed, by }));
    expect(valueOf(await database.sealed.forget(headerOf(first)))).toBe(false);

    valueOf(await database.sealed.replace(tenant, column, { sealed, by }));
    expect(await headers()).toContain(headerOf(second));
    expect(valueOf(await database.sealed.forget(headerOf(first)))).toBe(true);
    expect(valueOf(await database.sealed.forget(headerOf(second)))).toBe(false);
    expect(await headers()).not.toContain(headerOf(first));
  });
});

test("a value that was set meanwhile is not replaced", async () => {
  const secret = { ...secretOf("KEY"), sealed: await seal(newKey()) };
  valueOf(await database.secrets.create(tenant, secret, act("secret.create", secret.id)));
  const set = { ...secret, sealed: await seal(newKey()) };
  valueOf(await database.secrets.update(tenant, set, act("secret.update", secret.id)));
  const by = await seal(newKey());
  valueOf(await database.sealed.replace(tenant, "secrets.sealed", { sealed: secret.sealed, by }));
  expect(valueOf(await database.secrets.sealed(tenant))).toMatchObject([{ sealed: set.sealed }]);
});

test("what earlier releases sealed counts for the key of the first start, which may not be missing later", async () => {
  const folder = await mkdtemp(join(tmpdir(), "otto-migrations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const names = (await readdir("migrations")).filter((name) => name.endsWith(".sql"));
  const copy = async (files: readonly string[]) => {
    for (const file of files) await cp(join("migrations", file), join(folder, file));
  };
  const backend = await openEmptyDatabase();
  onTestFinished(() => backend.close());
  await copy(names.filter((name) => name < "0024"));
  await migrate(backend, { folder, appPassword: null });
  await backend.asOwner((connection) =>
    connection.script(
      "insert into tenants (id, name, created_at) values ('ten_1', 'a', now());" +
        "insert into secrets (tenant, id, name, hosts, sealed, created_at, updated_at)" +
        " values ('ten_1', 'sec_1', 'KEY', '{a.example}', 'c2VhbGVk', now(), now())",
    ),
  );
  await copy(names);
  await migrate(backend, { folder, appPassword: null });

  const [first, second] = [newKey(), newKey()];
  await checkKeyRing(backend, first, null);
  await checkKeyRing(backend, second, first);
  await expect(checkKeyRing(backend, second, null)).rejects.toThrow(KeyMissing);
  await backend.asOwner((connection) => connection.script("delete from secrets"));
  await checkKeyRing(backend, second, null);
});

test("the Worker's role finds a missing key as the start does", async () => {
  const [key, other] = [newKey(), newKey()];
  await store("secrets.sealed", await seal(key));
  const missing = valueOf(await findMissingKeys(database.sealed, parseKeyRing(other, null)));
  expect(missing).toContain(headerOf(key));
  expect(valueOf(await findMissingKeys(database.sealed, parseKeyRing(key, other)))).not.toContain(headerOf(key));
});
