/** The databases that a tenant's agents may query: over the table on Postgres. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ok } from "../../../core/base/errors.ts";
import { MAX_DATABASES } from "../../../core/databases/limits.ts";
import type { TenantDatabase } from "../../../core/ports/tenant-database-table.ts";
import { valueOf } from "../value-of.ts";
import { type SealedDatabase, startSealedDatabase } from "./connection-tables.ts";
import { act, databaseOf, makeTenant, START } from "./rows.ts";

let sealed: SealedDatabase;
let tenant: string;

beforeAll(async () => {
  sealed = await startSealedDatabase();
});
afterAll(() => sealed.server.close());
beforeEach(async () => {
  tenant = (await makeTenant(sealed.database)).tenant.id;
});

const tableOf = (of: string) => sealed.database.tenantDatabases(of, sealed.sealOf(of));
const CHECK = { role: "reader", server: "PostgreSQL 15", grants: [], tables: ["orders"] };

async function add(name: string, at = START): Promise<TenantDatabase> {
  const database = databaseOf(name, {}, at);
  return valueOf(await tableOf(tenant).create(database, act("database.create", database.id, at)));
}

const changeOf = ({ id, version, settings, agents, projects, people, status, check }: TenantDatabase) => {
  return { id, ifVersion: version, settings, dsn: null, agents, projects, people, status, check };
};

test("a database is added, found, listed, changed, checked and removed, and each act is audited", async () => {
  const table = tableOf(tenant);
  const made = await add("Sales");
  expect(made).toMatchObject({
    name: "Sales",
    kind: "postgres",
    agents: [],
    projects: null,
    status: "unchecked",
    version: 1,
  });
  expect(await table.get("sales")).toEqual(ok(made));
  expect(await table.all()).toEqual(ok([made]));
  const checked = valueOf(
    await table.saveCheck({ id: made.id, version: 1, status: "ready" }, CHECK, act("database.check", made.id)),
  );
  expect(checked).toMatchObject({ status: "ready", check: CHECK, version: 1 });
  const change = { ...changeOf(checked), people: ["per_1"], dsn: "postgres://a:b@other.example.com/c" };
  const changed = valueOf(
    await table.update({ ...change, status: "unchecked", check: null }, act("database.update", made.id)),
  );
  expect(changed).toMatchObject({ people: ["per_1"], status: "unchecked", check: null, version: 2 });
  expect(await table.openDsn(made.id, 2)).toEqual(ok("postgres://a:b@other.example.com/c"));
  expect(await table.remove("SALES", act("database.delete", made.id))).toEqual(ok(changed));
  expect(await table.get("sales")).toMatchObject({ ok: false, error: { code: "not_found" } });
  const { items } = valueOf(await sealed.database.audit.page(tenant, { after: null, limit: 9 }, { target: made.id }));
  expect(items.map(({ action }) => action).toSorted()).toEqual([
    "database.check",
    "database.create",
    "database.delete",
    "database.update",
  ]);
});

test("a change or a check of another version is refused, and nothing is audited", async () => {
  const made = await add("sales");
  const table = tableOf(tenant);
  valueOf(await table.update(changeOf(made), act("database.update", made.id)));
  const conflict = { ok: false, error: { code: "conflict" } };
  expect(await table.update(changeOf(made), act("database.update", made.id))).toMatchObject(conflict);
  const late = { id: made.id, version: 1, status: "ready" } as const;
  expect(await table.saveCheck(late, CHECK, act("database.check", made.id))).toMatchObject(conflict);
  expect(await table.openDsn(made.id, 1)).toMatchObject({ ok: false, error: { code: "not_found" } });
  expect(valueOf(await table.get("sales"))).toMatchObject({ status: "unchecked", version: 2 });
  const { items } = valueOf(await sealed.database.audit.page(tenant, { after: null, limit: 9 }, { target: made.id }));
  expect(items).toHaveLength(2);
});

test("a name is taken once, and a repeat of the same request finds its row", async () => {
  const database = databaseOf("sales");
  const table = tableOf(tenant);
  const made = valueOf(await table.create(database, act("database.create", database.id)));
  expect(await table.create(database, act("database.create", database.id))).toEqual(ok(made));
  const second = databaseOf("SALES");
  expect(await table.create(second, act("database.create", second.id))).toMatchObject({
    ok: false,
    error: { code: "conflict", field: "name" },
  });
});

test("pages are newest first, and a tenant has a limit", async () => {
  for (let at = 0; at < MAX_DATABASES; at += 1) await add(`db${at}`, START + at);
  const over = databaseOf("over");
  const table = tableOf(tenant);
  expect(await table.create(over, act("database.create", over.id))).toMatchObject({
    error: { code: "quota_exceeded" },
  });
  const first = valueOf(await table.page({ after: null, limit: 2 }));
  expect(first.items.map(({ name }) => name)).toEqual(["db49", "db48"]);
  const rest = valueOf(await table.page({ after: first.next, limit: 2 }));
  expect(rest.items.map(({ name }) => name)).toEqual(["db47", "db46"]);
});

test("hosts are read without credentials, for the databases of the tenant alone", async () => {
  const dsn = "postgres://reader:canary@DB.example.com/canary";
  const [one, two] = [
    databaseOf("sales", { dsn }),
    databaseOf("stock", { dsn: "postgres://a:b@[2001:db8::1]:5433/c" }),
  ];
  for (const database of [one, two])
    valueOf(await tableOf(tenant).create(database, act("database.create", database.id)));
  const expected = { [one.id]: "db.example.com:5432", [two.id]: "[2001:db8::1]:5433" };
  expect(Object.fromEntries(valueOf(await tableOf(tenant).hosts([one.id, two.id])))).toEqual(expected);
  const other = (await makeTenant(sealed.database)).tenant.id;
  expect(await tableOf(other).hosts([one.id])).toEqual(ok(new Map()));
  await sealed.asOwner("update databases set sealed = 'AAAA' where tenant = $1 and id = $2", tenant, one.id);
  expect([...valueOf(await tableOf(tenant).hosts([one.id, two.id])).keys()]).toEqual([two.id]);
});

test("an address opens for its tenant and database alone, and is stored nowhere unsealed", async () => {
  const own = databaseOf("sales", { dsn: "postgres://canary:canary@canary.example.com/canary" });
  valueOf(await tableOf(tenant).create(own, act("database.create", own.id)));
  const rows = await sealed.asOwner("select * from databases where tenant = $1", tenant);
  expect(JSON.stringify(rows)).not.toContain("canary");
  const other = (await makeTenant(sealed.database)).tenant.id;
  const theirs = databaseOf("sales");
  valueOf(await tableOf(other).create(theirs, act("database.create", theirs.id)));
  const copy = "update databases set sealed = (select sealed from databases where tenant = $1) where tenant = $2";
  await sealed.asOwner(copy, tenant, other);
  expect(await tableOf(other).openDsn(theirs.id, 1)).toEqual(ok(null));
  expect(await tableOf(other).openDsn(own.id, 1)).toMatchObject({ error: { code: "not_found" } });
});
