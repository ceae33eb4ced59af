/** Tests which statements the grammar lets pass, without a database. */
import { beforeAll, expect, it } from "vitest";
import { loadPostgresParser, parseQuery } from "../../../sidecar/sql/postgres/statement.ts";

beforeAll(async () => {
  await loadPostgresParser();
});

it.each([
  ["values (default)", /The construct SetToDefault is not supported/],
  ["select $1", /Parameters/],
  ["select 1; select 2", /several statements/],
  ["delete from orders", /Only SELECT/],
  ["with x as (delete from orders returning 1) select 1", /WITH may contain SELECT only/],
  ["select 1 into x", /INTO is not allowed/],
  ["select 1 from x for update", /FOR UPDATE/],
  ["select * from a.b.c", /another database/],
  ["select pg_sleep(1)", /The function pg_sleep is not allowed/],
  ["select public.own()", /An administrator can list it/],
  ["select 'x'::regclass", /The type regclass is not allowed/],
  ["select 1 operator(public.+) 2", /built-in operators/],
  ["select (a).b from c", /composite/],
  ["selec 1", /does not parse/],
  ["", /does not parse/],
  ["--", /empty/],
])("%j is refused: %s", (text, why) => {
  expect(parseQuery(text, [])).toMatchObject({
    ok: false,
    error: { code: "invalid_input", field: "query", message: expect.stringMatching(why) },
  });
});

it("returns the statement alone", () => {
  expect(parseQuery("/* a */ select 1 ; ", [])).toMatchObject({
    ok: true,
    value: { text: expect.stringMatching(/^[^;]*select 1 ?$/) },
  });
  expect(parseQuery(`select ${"1,".repeat(30_000)}1`, [])).toMatchObject({ ok: false, error: { code: "too_large" } });
});
