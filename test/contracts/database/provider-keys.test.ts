/** The tenants' own keys of the provider of apps: over the table on Postgres. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ok } from "../../../core/base/errors.ts";
import { OTHER_KEY } from "../../../core/connections/provider-key.ts";
import { valueOf } from "../value-of.ts";
import { type SealedDatabase, startSealedDatabase } from "./connection-tables.ts";
import { connectAccount } from "./connect-account.ts";
import { act, makeTenant, newId } from "./rows.ts";

let sealed: SealedDatabase;
let tenant: string;

beforeAll(async () => {
  sealed = await startSealedDatabase();
});
afterAll(() => sealed.server.close());
beforeEach(async () => {
  tenant = (await makeTenant(sealed.database)).tenant.id;
});

const keysOf = (of: string) => sealed.database.providerKeys(of, sealed.sealOf(of));
const set = () => act("provider_key.set", "composio");
const put = async (of: string, value: string, id = newId("providerKey")) =>
  valueOf(await keysOf(of).put({ id, value }, set()));
const first = async () => valueOf(await sealed.database.providerKeyTenants.first());

test("a key is put, found, replaced and removed, and each act is audited", async () => {
  expect(await keysOf(tenant).find()).toEqual(ok(null));
  const made = await put(tenant, "ak_1");
  expect(made.refusedAt).toBeNull();
  expect(valueOf(await keysOf(tenant).find())).toEqual({ ...made, value: "ak_1" });
  valueOf(await keysOf(tenant).markRefused(made.id));
  expect(valueOf(await keysOf(tenant).find())?.refusedAt).not.toBeNull();
  const second = await put(tenant, "ak_2");
  valueOf(await keysOf(tenant).markRefused(made.id));
  expect(valueOf(await keysOf(tenant).find())).toEqual({ ...second, value: "ak_2" });
  const gone = act("provider_key.remove", "composio");
  expect(await keysOf(tenant).remove(gone)).toEqual(ok(true));
  expect(await keysOf(tenant).remove(act("provider_key.remove", "composio"))).toEqual(ok(false));
  expect(await keysOf(tenant).find()).toEqual(ok(null));
  const { items } = valueOf(
    await sealed.database.audit.page(tenant, { after: null, limit: 9 }, { target: "composio" }),
  );
  expect(items.map(({ action }) => action).toSorted()).toEqual([
    "provider_key.remove",
    "provider_key.set",
    "provider_key.set",
  ]);
});

test("a key opens for its tenant alone, and is stored nowhere unsealed", async () => {
  await put(tenant, "canary-key");
  const other = (await makeTenant(sealed.database)).tenant.id;
  await put(other, "other-key");
  const rows = await sealed.asOwner("select * from provider_keys where tenant = $1", tenant);
  expect(JSON.stringify(rows)).not.toContain("canary");
  const copy =
    "update provider_keys set sealed = (select sealed from provider_keys where tenant = $1) where tenant = $2";
  await sealed.asOwner(copy, tenant, other);
  expect(valueOf(await keysOf(other).find())).toMatchObject({ value: null });
});

test("the first tenant fills the catalogue, after it those whose key was refused, and no erased one", async () => {
  await sealed.asOwner("delete from provider_keys");
  expect(await first()).toBeNull();
  const other = (await makeTenant(sealed.database)).tenant.id;
  const { id } = await put(tenant, "ak_1");
  await put(other, "ak_2");
  expect(await first()).toBe(tenant);
  valueOf(await keysOf(tenant).markRefused(id));
  expect(await first()).toBe(other);
  await sealed.asOwner("update tenants set erased_at = now() where id = $1", other);
  expect(await first()).toBe(tenant);
});

test("accounts of another key expire with the reason, and no others", async () => {
  const table = sealed.database.connections(tenant, sealed.sealOf(tenant));
  const connect = async (app: string, provider: "composio" | "oauth", settingsHash: string) => {
    const tokens = { kind: "account", providerId: "ca_1" } as const;
    return (await connectAccount(table, { app, person: null, tokens, settingsHash, provider })).id;
  };
  const ids = [await connect("gmail", "composio", "old gmail"), await connect("slack", "composio", "new slack")];
  ids.push(await connect("crm", "oauth", "old crm"));
  const expire = async () => await table.expireOthers("composio", (app) => Promise.resolve(`new ${app}`), OTHER_KEY);
  expect(await expire()).toEqual(ok(1));
  expect(await expire()).toEqual(ok(0));
  const found = [];
  for (const id of ids) found.push(valueOf(await table.find(id)));
  expect(found.map(({ status, why }) => [status, why])).toEqual([
    ["expired", OTHER_KEY],
    ["active", null],
    ["active", null],
  ]);
});
