/** Tests queries that may run on a real Postgres, and the limits of those that may. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqlWorld, PASSWORD, type SqlWorld } from "./sql-world.ts";

let world: SqlWorld;
beforeAll(async () => {
  world = await openSqlWorld();
});
afterAll(async () => {
  await world.close();
});

const rowsOf = async (sql: string) => {
  const ran = await world.query(sql);
  return ran.ok ? ran.value.rows : { code: ran.error.code, message: ran.error.message };
};

describe("a query that only reads", () => {
  it.each([
    [
      "select id, amount from orders order by id limit 2",
      [
        [1, "1.50"],
        [2, "3.00"],
      ],
    ],
    ["SELECT count(*) FROM public.orders", [[50]]],
    ["select * from big_orders order by 1 limit 1", [[34, "51.00"]]],
    [
      "select c.city, sum(o.amount) s from orders o join customers c on c.name = o.customer group by c.city order by s desc",
      [
        ["Berlin", "1081.50"],
        ["Paris", "831.00"],
      ],
    ],
    ["with a as (select customer, count(*) n from orders group by 1) select max(n) from a", [[8]]],
    [
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 4) select i from n",
      [[1], [2], [3], [4]],
    ],
    [
      "select name from customers where exists (select 1 from orders where customer = name) order by name limit 1",
      [["customer 0"]],
    ],
    [
      "select o.id from orders o, lateral (select name from customers c where c.name = o.customer) x where x.name = 'customer 3' order by 1 limit 1",
      [[3]],
    ],
    [
      "select x.i, x.ordinality from generate_series(5, 6) with ordinality as x(i) order by 1",
      [
        [5, 1],
        [6, 2],
      ],
    ],
    ["select g from generate_series(1, 2) g", [[1], [2]]],
    ["select e.value from json_array_elements('[1,2]'::json) e", [["1"], ["2"]]],
    [
      "select row_number() over (partition by city order by name), name from customers order by name limit 1",
      [[1, "customer 0"]],
    ],
    [
      "select extract(year from placed_at), date_trunc('month', placed_at)::date from orders where id = 1",
      [["2026", "2026-01-01"]],
    ],
    ["select case when id > 1 then 'b' else 'a' end from orders where id in (1, 2) order by 1", [["a"], ["b"]]],
    [
      "select coalesce(null, 'x'), nullif(1, 1), greatest(1, 2), true, 1.5::float8, 9007199254740993::int8",
      [["x", null, 2, true, 1.5, "9007199254740993"]],
    ],
    [
      "values (1, 'a'), (2, 'b') order by column1 desc",
      [
        [2, "b"],
        [1, "a"],
      ],
    ],
    ["select id from orders where id < 3 union select id from orders where id = 50 order by id desc", [[50], [2], [1]]],
    ["(select 1 as a) order by a", [[1]]],
    ["select name from customers natural join (select 'customer 1' as name) q", [["customer 1"]]],
    ["select j.city from (customers c join orders o on o.customer = c.name) j where j.id = 1", [["Paris"]]],
    ["select name as n from customers order by n limit 1", [["customer 0"]]],
    [
      "select upper(city), count(*) from customers group by city order by 1",
      [
        ["BERLIN", 4],
        ["PARIS", 3],
      ],
    ],
    ["select s.a from (select name from customers order by name limit 1) s(a)", [["customer 0"]]],
    [
      "select count(*) filter (where id > 10), array_agg(distinct customer order by customer) from orders where id < 13",
      [[2, '{"customer 0","customer 1","customer 2","customer 3","customer 4","customer 5","customer 6"}']],
    ],
    ["select (array[3,4])[2]", [[4]]],
    ["select 1 -- a comment", [[1]]],
    ["/* a comment */ select 1 ;", [[1]]],
    ['select \'Grüße \' || "c"."city" from customers as "c" where name = \'customer 0\'', [["Grüße Berlin"]]],
    ["select customers from customers where name = 'customer 0'", [['("customer 0",Berlin)']]],
    ["select count(c.*) from customers c", [[7]]],
    ["select (select max(id) from orders) m", [[50]]],
    ["select city, grouping(city) from customers group by rollup (city) order by 2, 1 limit 1", [["Berlin", 0]]],
  ] as const)("%s", async (sql, expected) => {
    const rows = await rowsOf(sql);
    expect(rows).toEqual(expected);
  });

  it("names the columns, and reports the statement and its time", async () => {
    const ran = await world.query(" select id as number, customer from orders limit 1; ");
    expect(ran).toMatchObject({
      ok: true,
      value: {
        sql: "select id as number, customer from orders limit 1",
        columns: ["number", "customer"],
        truncated: false,
      },
    });
  });
});

it("says what the values of each column are", async () => {
  const sql = "select id, amount, placed_at, placed_at::date, customer, id > 1, array[id] from orders limit 1";
  expect(await world.query(sql)).toMatchObject({
    value: { kinds: ["number", "number", "time", "time", "text", "boolean", "text"] },
  });
});

describe("limits", () => {
  it("returns the first rows of many, and says so", async () => {
    const ran = await world.query("select i from generate_series(1, 100000) i", { maxRows: 3 });
    expect(ran).toMatchObject({ ok: true, value: { rows: [[1], [2], [3]], truncated: true } });
    expect(await world.query("select i from generate_series(1, 3) i", { maxRows: 3 })).toMatchObject({
      value: { truncated: false },
    });
  });

  it("ends a result at a megabyte", async () => {
    const ran = await world.query("select repeat('x', 1990) from generate_series(1, 5000)", { maxRows: 5_000 });
    expect(ran.ok && ran.value.truncated && ran.value.rows.length).toBeGreaterThan(490);
    expect(ran.ok && ran.value.rows.length).toBeLessThan(510);
  });

  it("cuts a long value", async () => {
    const ran = await world.query("select repeat('x', 5000)");
    expect(ran).toMatchObject({ value: { rows: [[`${"x".repeat(2_000)}…`]], truncated: true } });
  });

  it("cuts off a server that sends too much", async () => {
    const ran = await world.query("select repeat('x', 100000000)");
    expect(ran).toMatchObject({ ok: false, error: { code: "too_large" } });
  });

  it.each([
    "select count(*) from orders a, orders b, orders c, orders d, orders e, orders f, orders g",
    "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
    "select count(*) from generate_series(1, 100000000000) i",
    "select i from generate_series(1, 3) i where (select count(*) from generate_series(1, 1000000000000)) > 0",
  ])("ends in its time and leaves no session: %s", async (sql) => {
    const startedAt = performance.now();
    expect(await world.query(sql, { timeoutMs: 1_000 })).toMatchObject({ ok: false, error: { code: "timeout" } });
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    await expect
      .poll(
        async () => {
          const { rows } = await world.server.admin.query("select from pg_stat_activity where usename = 'reader'");
          return rows.length;
        },
        { timeout: 5_000 },
      )
      .toBe(0);
  });

  it("ends with its caller", async () => {
    const caller = new AbortController();
    const running = world.query("select count(*) from generate_series(1, 100000000000)", {
      signal: caller.signal,
      timeoutMs: 3_000,
    });
    setTimeout(() => caller.abort(), 200);
    expect(await running).toMatchObject({ ok: false, error: { code: "timeout" } });
  });
});

describe("the connection", () => {
  it("needs TLS with a certificate of a known authority", async () => {
    const ran = await world.query("select 1", { tls: "require" });
    expect(ran).toMatchObject({
      ok: false,
      error: { code: "upstream_failed", message: expect.stringMatching(/certificate/) },
    });
  });

  it("goes without TLS only to a host that the operator opened", async () => {
    const deps = { ...world.deps, allow: new Set<string>() };
    const dsn = `postgres://reader:${PASSWORD}@db.example.com/postgres`;
    for (const asked of ["off", "require"] as const) {
      const ran = await world.query("select 1", {
        deps: { ...deps, resolve: async () => ["127.0.0.1"] },
        dsn,
        tls: asked,
      });
      expect(ran).toMatchObject({ ok: false, error: { code: "blocked_by_policy" } });
    }
  });

  it.each([
    "127.0.0.1",
    "10.0.0.5",
    "169.254.169.254",
    "localhost",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "0x7f.1",
    "metadata.internal",
  ])("does not connect to %s", async (host) => {
    const dialled: unknown[] = [];
    const deps = {
      ...world.deps,
      allow: new Set<string>(),
      resolve: async () => ["127.0.0.1"],
      connectTo: (to: readonly string[]) => {
        dialled.push(to);
        return world.deps.connectTo(to);
      },
    };
    const dsn = `postgres://reader:${PASSWORD}@${host}:${world.server.port}/postgres`;
    const ran = await world.query("select 1", { deps, dsn, tls: "require" });
    expect(ran).toMatchObject({ ok: false, error: { code: "blocked_by_policy" } });
    expect(dialled).toEqual([]);
  });

  it("refuses a name that leads to a private address when it connects again", async () => {
    let asked = 0;
    const dialled: (readonly string[])[] = [];
    const deps = {
      allow: new Set<string>(),
      resolve: async () => [(asked += 1) === 1 ? "93.184.215.14" : "127.0.0.1"],
      connectTo: (to: readonly string[]) => {
        dialled.push(to);
        return world.deps.connectTo(["127.0.0.1"]);
      },
    };
    const dsn = `postgres://reader:${PASSWORD}@db.example.com:${world.server.port}/postgres`;
    expect(await world.query("select 1", { deps, dsn, tls: "require" })).toMatchObject({
      error: { code: "upstream_failed", message: expect.stringMatching(/certificate/) },
    });
    expect(await world.query("select 1", { deps, dsn, tls: "require" })).toMatchObject({
      error: { code: "blocked_by_policy" },
    });
    expect(dialled).toEqual([["93.184.215.14"]]);
  });

  it("repeats no part of the DSN in an error", async () => {
    const port = world.server.port;
    const wrong = [
      `postgres://canary-user:canary-word@127.0.0.1:${port}/postgres`,
      `postgres://reader:canary-word@127.0.0.1:${port}/canary-name`,
      `postgres://reader:${PASSWORD}@127.0.0.1:${port}/canary-name`,
      `postgres://canary-user:canary-word@127.0.0.1:1/postgres`,
      `postgres://canary-user:canary-word@canary-host.example.com/postgres`,
      `canary-protocol://canary-user:canary-word@127.0.0.1/postgres`,
      `postgres://canary-user:%canary@127.0.0.1/postgres`,
      `postgres://canary-user:canary-word@127.0.0.1/postgres?host=canary`,
    ];
    for (const dsn of wrong) {
      const ran = await world.query(`select id from orders`, { dsn });
      expect(ran.ok).toBe(false);
      expect(JSON.stringify(ran)).not.toMatch(/canary/);
    }
    const repeated = await world.query(`select '${PASSWORD}'::int`);
    expect(repeated).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(JSON.stringify(repeated)).not.toContain(PASSWORD);
  });
});

describe("the check of a role", () => {
  it("accepts a role that only reads, and names the open tables", async () => {
    expect(await world.check("reader", { schemas: ["public"], tables: { deny: ["salaries"] } })).toMatchObject({
      ok: true,
      value: { role: "reader", grants: [], tables: ["big_orders", "customers", "orders"] },
    });
  });

  it("names no table that the role may not read", async () => {
    const { admin } = world.server;
    await admin.query("revoke select on salaries, customers from reader; grant select (name) on customers to reader");
    try {
      const lists = { schemas: ["public"] };
      expect(await world.check("reader", lists)).toMatchObject({
        ok: true,
        value: { tables: ["big_orders", "customers", "orders"] },
      });
      await admin.query("revoke usage on schema private from reader");
      expect(await world.check("reader", { schemas: ["private"] })).toMatchObject({ ok: true, value: { tables: [] } });
    } finally {
      await admin.query("grant usage on schema private to reader; grant select on salaries, customers to reader");
    }
  });

  it("names what a role may write", async () => {
    const found = await world.check("writer");
    expect(found.ok && found.value.grants).toEqual(
      expect.arrayContaining([
        "CREATE on schema public",
        "INSERT on table public.customers",
        "DELETE on table private.notes",
      ]),
    );
    expect(await world.check("boss")).toMatchObject({ ok: true, value: { grants: ["SUPERUSER"] } });
  });
});
