/** Attacks a real Postgres through roles that may write: nothing may change, be written to a file or leave the machine. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ok } from "../../../core/base/errors.ts";
import { POSTGRES_FUNCTIONS } from "../../../core/databases/postgres-names.generated.ts";
import { withSession } from "../../../sidecar/sql/postgres/session.ts";
import { answerQuestion } from "../../../core/databases/questions/answer-question.ts";
import { fakeLanguage } from "../../fakes/language.ts";
import { listAttacks } from "./attacks.ts";
import { LISTS, openSqlWorld, PASSWORD, type SqlWorld } from "./sql-world.ts";

const MIN_ATTACKS = 300;

let world: SqlWorld;
let attacks: readonly string[];
beforeAll(async () => {
  world = await openSqlWorld();
  const { file, outboundPort, server } = world;
  attacks = listAttacks({ file, outboundPort, port: server.port });
});
afterAll(async () => {
  await world.close();
});

describe("attacks", () => {
  it.each(["writer", "boss"])(
    "are refused for the role %s, without an effect",
    async (user) => {
      expect(attacks.length).toBeGreaterThanOrEqual(MIN_ATTACKS);
      const before = await world.readState();
      const ran: string[] = [];
      for (const attack of attacks) {
        const outcome = await world.query(attack, { user, timeoutMs: 2_000 });
        if (outcome.ok || !/^(invalid_input|not_found|permission_denied|too_large)$/.test(outcome.error.code))
          ran.push(`${attack.slice(0, 200)}: ${JSON.stringify(outcome).slice(0, 500)}`);
        expect(JSON.stringify(outcome)).not.toContain(PASSWORD);
      }
      expect(ran).toEqual([]);
      expect(await world.readState()).toBe(before);
    },
    90_000,
  );

  it("have no lasting effect in the transaction alone, without the grammar's check", async () => {
    const before = await world.readState();
    const dsn = world.server.urlOf("writer", PASSWORD);
    const order = { action: "check", dsn, tls: "off", lists: LISTS, timeout_ms: 2_000 } as const;
    for (const attack of attacks.filter((text, index) => index % 3 === 0 && !/dblink|pg_sleep/.test(text)))
      await withSession(order, world.deps, new AbortController().signal, async (session) => {
        await session.run(`DECLARE otto_rows NO SCROLL CURSOR FOR ${attack}`);
        await session.fetch("otto_rows", 10);
        return { ok: true, value: null };
      });
    expect(await world.readState()).toBe(before);
  }, 60_000);
});

describe("the transaction alone", () => {
  it.each(["select nextval('public.counter')", "select public.evil()", "select setval('public.counter', 77)"])(
    "refuses a function that writes: %s",
    async (text) => {
      const before = await world.readState();
      const dsn = world.server.urlOf("writer", PASSWORD);
      const order = { action: "check", dsn, tls: "off", lists: LISTS, timeout_ms: 5_000 } as const;
      const ran = await withSession(order, world.deps, new AbortController().signal, async (session) => {
        await session.run(text);
        return { ok: true, value: null };
      });
      expect(ran).toMatchObject({ ok: false, error: { code: "blocked_by_policy" } });
      expect(await world.readState()).toBe(before);
    },
  );
});

describe("what the attacks would do", () => {
  it.each([
    "delete from orders",
    "select evil()",
    "select o.evil from orders o",
    "select abs('x'::text)",
    "select 'a'::text + 'b'::text",
    "select 'x'::checked",
    "select nextval('counter')",
  ])("is seen when it happens: %s", async (text) => {
    const before = await world.readState();
    const { admin } = world.server;
    await admin.query("begin");
    try {
      await admin.query(text);
      expect(await world.readState()).not.toBe(before);
    } finally {
      await admin.query("rollback");
    }
  });
});

describe("names of the database's own", () => {
  it.each([
    "select abs('x'::text)",
    "select name + city from customers",
    "select name from customers where name + city = 'x'",
  ])("never take the place of built-in ones: %s", async (text) => {
    const before = await world.readState();
    // Not by the transaction: the name is unknown.
    expect(await world.query(text, { user: "writer" })).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(await world.readState()).toBe(before);
  });

  it("can be called where the record lists them, with their schema", async () => {
    const lists = { ...LISTS, functions: ["public.doubled"] };
    expect(await world.query("select public.doubled(21)", { lists })).toMatchObject({ value: { rows: [[42]] } });
    expect(await world.query("select doubled(21)", { lists })).toMatchObject({ ok: false });
    expect(await world.query("select public.evil()", { lists })).toMatchObject({ ok: false });
  });
});

describe("lists", () => {
  it.each([
    [{}, "select * from salaries", true],
    [{}, "select * from private.notes", true],
    [{}, "select * from notes", false],
    [{}, "select * from pg_catalog.pg_class", false],
    [{ schemas: ["pg_catalog"] }, "select * from pg_catalog.pg_class", false],
    [{ schemas: ["private"] }, "select * from notes", true],
    [{ schemas: ["private"] }, "select * from public.customers", false],
    [{ tables: { allow: ["customers"] } }, "select * from customers", true],
    [{ tables: { allow: ["customers"] } }, "select id from orders", false],
    [{ tables: { allow: [] } }, "select * from customers", false],
    [{ tables: { allow: ["public.*"] } }, "select * from private.notes", false],
    [{ tables: { allow: ["public.*"], deny: ["SALARIES"] } }, "select * from salaries", false],
    [{ columns: { deny: ["pay"] } }, "select pay from salaries", false],
    [{ columns: { deny: ["public.salaries.pay"] } }, "select who from salaries", true],
    [{ columns: { deny: ["customers.city"] } }, "select c.name from customers c, orders o", true],
    [{ columns: { deny: ["customers.city"] } }, "select * from (select name from customers) x", true],
  ] as const)("%j: %s runs: %s", async (lists, sql, runs) => {
    expect((await world.query(sql, { lists })).ok).toBe(runs);
  });

  it("find a table among many of its name, and name open tables after any number of closed ones", async () => {
    const { admin } = world.server;
    await admin.query(`do $$ begin for i in 1..2100 loop
      execute format('create schema tenant_%s', i);
      execute format('create table tenant_%s.visits (a int)', i);
    end loop; end $$`);
    await admin.query(
      `create schema zz; create table zz.visits (b int); grant usage on schema zz to reader; grant select on zz.visits to reader`,
    );
    try {
      const lists = { schemas: ["zz"] };
      expect(await world.query("select b from zz.visits", { lists: {} })).toMatchObject({ ok: true });
      expect(await world.query("select b from visits", { lists })).toMatchObject({ ok: true });
      expect(await world.query("select b from visit", { lists })).toMatchObject({
        error: { message: expect.stringContaining("It opens: visits.") },
      });
      expect(await world.check("reader", lists)).toMatchObject({ value: { tables: ["visits"] } });
    } finally {
      await admin.query(
        `do $$ begin for i in 1..2100 loop execute format('drop schema tenant_%s cascade', i); end loop; end $$`,
      );
      await admin.query("drop schema zz cascade");
    }
  });

  it("hold for a table after the most columns of a query", async () => {
    const { admin } = world.server;
    // In the order of names, the last table begins before the 50,000th column, and ends after it.
    await admin.query(`do $$ declare list text := (select string_agg(format('c%s int', i), ',') from generate_series(1, 1599) i); begin
      for i in 1..32 loop execute format('create table vast_%s (%s, hidden_one int)', i, list); end loop; end $$`);
    await admin.query("grant select on all tables in schema public to reader");
    try {
      const lists = { columns: { deny: ["vast_9.hidden_one"] } };
      const tables = Array.from({ length: 32 }, (_, at) => `vast_${at + 1}`);
      const read = async (names: readonly string[]) =>
        await world.query(`select vast_9.* from ${names.join(", ")} limit 0`, { lists });
      expect(await read(tables)).toMatchObject({ ok: false });
      expect(await read(["vast_9"])).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    } finally {
      await admin.query("do $$ begin for i in 1..32 loop execute format('drop table vast_%s', i); end loop; end $$");
    }
  });

  it.each([
    "select * from orders",
    "select o.* from orders o",
    "select o from orders o",
    "select secret from orders",
    "select o.secret from orders o",
    "select id from orders order by secret",
    "select 1 from orders join (select 'x' as secret) x using (secret)",
    "select 1 from orders natural join (select 'x' as secret) x",
  ])("do not name a closed column in a refusal, but the open ones: %s", async (text) => {
    const ran = await world.query(text);
    if (ran.ok) throw new Error("it ran");
    expect(ran.error).toMatchObject({ code: "permission_denied", field: "query" });
    expect(ran.error.message).not.toContain("secret");
    expect(ran.error.message).toContain("Name the columns that you need: id, customer, amount, placed_at");
  });

  it("do not name a closed column to a model, which then writes a query that runs", async () => {
    const language = fakeLanguage(({ input }, index) => {
      const columns = /Name the columns that you need: ([a-z_, ]+)/.exec(input)?.[1] ?? "*";
      return ok({ sql: `select ${columns} from orders`, explanation: `${index}`, rephrased_query: "" });
    });
    const databases = {
      facts: async () => await world.facts(true),
      query: async ({ sql }: { readonly sql: string }) => {
        const ran = await world.query(sql);
        return ran.ok ? ok({ ...ran.value, database: "sales", durationMs: 0 }) : ran;
      },
    };
    const { signal } = new AbortController();
    const plain = { database: null, question: "Show orders", answers: [], isDialogue: false, skipsNeeds: true, signal };
    const answered = await answerQuestion(plain, { databases, language });
    expect(answered).toMatchObject({
      value: { wasRepaired: true, rows: { columns: ["id", "customer", "amount", "placed_at"] } },
    });
    expect(language.asked).toHaveLength(2);
    expect(JSON.stringify(language.asked)).not.toContain("secret");
  });

  it("names the open tables to a query that names none of them", async () => {
    expect(await world.query("select * from client")).toMatchObject({
      error: { code: "not_found", message: expect.stringContaining("It opens: big_orders, customers, orders.") },
    });
  });
});

it("no function of the list is volatile in this version of Postgres, except two that have no effect", async () => {
  const { rows } = await world.server.admin.query<{ name: string }>(
    "select distinct proname as name from pg_proc where pronamespace = 'pg_catalog'::regnamespace and provolatile = 'v'",
  );
  const listed = rows.map(({ name }) => name).filter((name) => POSTGRES_FUNCTIONS.has(name));
  expect(listed.toSorted()).toEqual(["clock_timestamp", "random"]);
});
