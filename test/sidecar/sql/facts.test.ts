/** Facts about the schema of a real Postgres: what they name, and that nothing closed is part of them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SchemaFacts } from "../../../core/databases/facts.ts";
import { openSqlWorld, type QueryOptions, type SqlWorld } from "./sql-world.ts";

let world: SqlWorld;
beforeAll(async () => {
  world = await openSqlWorld();
  await world.server.admin.query(`
    create table "Order Lines" ("Order" int references orders, line int, mood mood, note text, customer text references customers,
      primary key ("Order", line));
    comment on table "Order Lines" is 'One row for each article';
    comment on column "Order Lines".note is 'What the customer wrote';
    insert into "Order Lines" values (1, 1, 'good', 'hidden-word', 'customer 1');
    create table pay_slips (id int primary key, who text, amount int, slip int references orders (id), secret_by text references customers);
    alter table salaries add primary key (who);
    create table bonuses (who text references salaries, amount int);
    create table many_values (name text, long_value text, empty_value text);
    insert into many_values select 'n' || i, repeat('x', 61), null from generate_series(1, 21) i;
    create type odd as (a int);
    create function from_odd(odd) returns point language plpgsql volatile as $$ begin return null; end $$;
    create cast (odd as point) with function from_odd(odd);
    create table odd_ones (id int, value odd);
    create table parted (id int, region text) partition by list (region);
    create table parted_north partition of parted for values in ('north');
    insert into parted values (1, 'north');
    create table zones (zone text);
    insert into zones values ('north');
    grant select on all tables in schema public to reader;
    revoke select on pay_slips from reader;
    grant select (id, who) on pay_slips to reader`);
});
afterAll(async () => {
  await world.close();
});

async function read(samples: boolean, more: QueryOptions = {}): Promise<SchemaFacts> {
  const facts = await world.facts(samples, more);
  if (!facts.ok) throw new Error(facts.error.message);
  return facts.value;
}

const tableOf = async (name: string, samples = false, more: QueryOptions = {}) =>
  (await read(samples, more)).tables.find((table) => table.name === name);

describe("facts", () => {
  it("name tables, columns, comments and keys as a query writes them", async () => {
    expect(await tableOf('"Order Lines"')).toEqual({
      name: '"Order Lines"',
      kind: "table",
      comment: "One row for each article",
      columns: [
        { name: '"Order"', type: "integer", comment: null, values: null },
        { name: "line", type: "integer", comment: null, values: null },
        { name: "mood", type: "public.mood", comment: null, values: ["good", "bad"] },
        { name: "note", type: "text", comment: "What the customer wrote", values: null },
        { name: "customer", type: "text", comment: null, values: null },
      ],
      primary_key: ['"Order"', "line"],
      references: [
        { columns: ['"Order"'], table: "orders", to: ["id"] },
        { columns: ["customer"], table: "customers", to: ["name"] },
      ],
    });
    expect(await world.query('select "Order", line from "Order Lines"')).toMatchObject({ ok: true });
    expect((await tableOf("big_orders"))?.kind).toBe("view");
    expect(await tableOf("private.notes", false, { lists: {} })).toMatchObject({ columns: [{ name: "body" }] });
  });

  it("name nothing that the lists close, not even in a key", async () => {
    const facts = JSON.stringify(await read(true));
    expect(facts).not.toMatch(/salaries|secret|hidden-pay|hidden-note|private/);
    const lists = { schemas: ["public"], columns: { deny: ["customers.name", '"Order"', "Order"] } };
    expect(await tableOf('"Order Lines"', true, { lists })).toMatchObject({ primary_key: [], references: [] });
    expect((await tableOf("customers", true, { lists }))?.columns.map(({ name }) => name)).toEqual(["city"]);
    expect((await read(true, { lists: { tables: { allow: [] } } })).tables).toEqual([]);
    expect((await read(true, { lists: { schemas: ["pg_catalog", "information_schema"] } })).tables).toEqual([]);
  });

  it("name nothing that the role may not read", async () => {
    expect((await tableOf("pay_slips"))?.columns.map(({ name }) => name)).toEqual(["id", "who"]);
    expect((await tableOf("pay_slips"))?.references).toEqual([]);
  });

  it("leave out what cannot be queried, and partitions", async () => {
    const names = (await read(false)).tables.map(({ name }) => name);
    expect(names).toContain("parted");
    expect(names).not.toContain("parted_north");
    expect(names).not.toContain("odd_ones");
    expect(names).not.toContain("passwd");
  });

  it("have the few short values of text columns only if it is asked for", async () => {
    expect(JSON.stringify(await read(false))).not.toMatch(/Berlin|hidden-word/);
    const city = (await tableOf("customers", true))?.columns.find(({ name }) => name === "city");
    expect(city?.values).toEqual(["Berlin", "Paris"]);
    const many = await tableOf("many_values", true);
    expect(many?.columns.map(({ values }) => values)).toEqual([null, null, []]);
    expect((await tableOf("parted", true))?.columns[1]?.values).toBeNull();
  });

  it("are read while a table is locked, with the values of the other tables", async () => {
    const { admin } = world.server;
    await admin.query("begin; lock table orders in access exclusive mode");
    try {
      const { tables } = await read(true);
      const names = tables.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["orders", "customers"]));
      const [city] = tables.flatMap(({ columns }) => columns.filter(({ name }) => name === "city"));
      expect(city?.values).toEqual(["Berlin", "Paris"]);
      // It sorts after the locked table.
      expect(names.indexOf("orders")).toBeLessThan(names.indexOf("zones"));
      expect(tables.find(({ name }) => name === "zones")?.columns[0]?.values).toEqual(["north"]);
    } finally {
      await admin.query("rollback");
    }
  });

  it("have no values of a table that was large when it was last analysed", async () => {
    const { admin } = world.server;
    await admin.query(`create table large_ones (word text, rest text); grant select on large_ones to reader;
      alter table large_ones alter rest set storage plain;
      insert into large_ones select 'same', repeat('x', 7000) from generate_series(1, 2100); analyze large_ones`);
    const { rows } = await admin.query<{ pages: number }>(
      "select relpages pages from pg_class where relname = 'large_ones'",
    );
    expect(rows[0]?.pages).toBeGreaterThan(2_048);
    expect((await tableOf("large_ones", true))?.columns.map(({ values }) => values)).toEqual([null, null]);
    await admin.query("truncate large_ones; insert into large_ones values ('same', ''); analyze large_ones");
    expect((await tableOf("large_ones", true))?.columns[0]?.values).toEqual(["same"]);
  });

  it("are cut when there are too many tables", async () => {
    const { admin } = world.server;
    await admin.query(`do $$ begin for i in 1..520 loop
      execute format('create table wide_%s (%s)', i, (select string_agg(format('a_long_column_name_number_%s int', c), ',') from generate_series(1, 20) c));
      execute format('grant select on wide_%s to reader', i);
    end loop; end $$`);
    const facts = await read(false);
    expect(facts.truncated).toBe(true);
    expect(JSON.stringify(facts.tables).length).toBeLessThanOrEqual(1_000_000 + facts.tables.length);
  });

  it("have the tables and columns that the lists open, after any number of closed ones", async () => {
    // The tables of the test before: 10,400 columns that sort before these.
    const { admin } = world.server;
    await admin.query(`create table zz_notes (id int primary key, body text); grant select on zz_notes to reader;
      create table zz_links (note int references zz_notes); grant select on zz_links to reader`);
    expect((await read(false)).tables.map(({ name }) => name)).not.toContain("zz_notes");
    const opened = [
      { allow: ["zz_notes", "zz_links"] },
      { deny: Array.from({ length: 520 }, (_, at) => `wide_${at + 1}`) },
    ];
    for (const tables of opened) {
      const facts = await read(false, { lists: { tables } });
      expect(facts.truncated).toBe(false);
      expect(facts.tables.find(({ name }) => name === "zz_notes")?.columns).toHaveLength(2);
      expect(facts.tables.find(({ name }) => name === "zz_links")?.references).toMatchObject([{ table: "zz_notes" }]);
    }
    const deny = Array.from({ length: 19 }, (_, at) => `a_long_column_name_number_${at + 1}`);
    const columns = await read(false, { lists: { columns: { deny } } });
    expect(columns.truncated).toBe(false);
    expect(columns.tables.map(({ name }) => name)).toContain("zz_notes");
  });

  it("change nothing", async () => {
    const before = await world.readState();
    await read(true, { user: "boss" });
    expect(await world.readState()).toBe(before);
  });
});
