/** The client of Neon's SQL over HTTP that the Worker's bundle holds, and the package that it stands for: one behaviour. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as library from "@neondatabase/serverless";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/neon-http";
import { pgTable, text } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import * as bundled from "../../../workers/bundle/neon.ts";

/** The bundled one has no tagged templates and knows the types of Otto's columns; its type is the package's for the rest. */
const CLIENTS: [string, typeof library][] = [
  ["the package", library],
  ["the bundle's", bundled as unknown as typeof library],
];

let database: TestDatabase;
/** Answers every request with status 502 and a page. */
let broken: Server;
let brokenAt: string;

beforeAll(async () => {
  for (const [, { neonConfig }] of CLIENTS)
    neonConfig.fetchFunction = (target: string, init: RequestInit) => fetch(target, init);
  database = await startTestDatabase();
  broken = createServer((_, response) => response.writeHead(502).end("<h1>Bad gateway</h1>"));
  await new Promise<void>((listening) => broken.listen(0, "127.0.0.1", listening));
  brokenAt = `http://127.0.0.1:${(broken.address() as AddressInfo).port}/sql`;
});
afterAll(async () => {
  broken.close();
  await database.close();
});

describe.each(CLIENTS)("%s", (_, { neon, neonConfig, NeonDbError }) => {
  test("passes its fetchOptions on to single queries and to transactions", async () => {
    const { fetchFunction } = neonConfig;
    const seen: unknown[] = [];
    neonConfig.fetchEndpoint = database.endpoint;
    neonConfig.fetchFunction = (target: string, { timeoutMs, ...init }: RequestInit & { timeoutMs?: unknown }) => {
      seen.push(timeoutMs);
      return fetch(target, init);
    };
    const client = neon(database.ownerUrl, { fetchOptions: { timeoutMs: 7 } });
    await client.query("select 1");
    await client.transaction([client.query("select 1"), client.query("select 2")]);
    await neon(database.ownerUrl).query("select 1");
    neonConfig.fetchFunction = fetchFunction;
    expect(seen).toEqual([7, 7, undefined]);
  });

  /** Runs one statement as the owner of the database, and gives its rows. */
  const ask = (statement: string, params: unknown[] = [], options = {}) => {
    neonConfig.fetchEndpoint = database.endpoint;
    return neon(database.ownerUrl).query(statement, params, options);
  };

  test.each([
    ["a number", "7::int", 7],
    ["a small one", "7::smallint", 7],
    ["one with a fraction", "0.5::float8", 0.5],
    ["a big one, as text", "9007199254740993::bigint", "9007199254740993"],
    ["an exact one, as text", "1.10::numeric", "1.10"],
    ["truth", "true", true],
    ["falsehood", "false", false],
    ["nothing", "null::int", null],
    ["text", "'é\u{1F600}'::text", "é\u{1F600}"],
    ["JSON", `'{"x": [1, null, "ü"]}'::jsonb`, { x: [1, null, "ü"] }],
    ["JSON that is null", "'null'::jsonb", null],
    ["a list of numbers", "array[1, null, -2]", [1, null, -2]],
    ["a list of truths", "array[true, false]", [true, false]],
    [
      "a list of lists",
      "array[array[1, 2], array[3, 4]]",
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ["an empty list", "'{}'::text[]", []],
    [
      "a list of odd texts",
      String.raw`array['', 'a,b', '{c}', 'd"e', E'f\\g', ' h ', 'NULL', null, 'null']`,
      ["", "a,b", "{c}", 'd"e', "f\\g", " h ", "NULL", null, "null"],
    ],
  ])("reads %s", async (_, written, value) => {
    expect(await ask(`select ${written} as v`)).toEqual([{ v: value }]);
  });

  test.each([
    ["text", "text", "it's $1"],
    ["a number", "int", 7],
    ["truth", "bool", true],
    ["nothing", "text", null],
    ["a list of odd texts", "text[]", ["", "a,b", "{c}", 'd"e', "f\\g", " h ", "NULL", null]],
    [
      "a list of lists",
      "int[]",
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ["an empty list", "text[]", []],
    ["an object as JSON", "jsonb", { x: ["ü"] }],
  ])("writes %s", async (_, type, value) => {
    expect(await ask(`select $1::${type} as v`, [value])).toEqual([{ v: value }]);
  });

  test("returns rows as lists, and the full result, on request", async () => {
    expect(await ask("select 1 as a, 2 as a", [], { arrayMode: true })).toEqual([[1, 2]]);
    expect(await ask("select 1 as one where false", [], { fullResults: true })).toMatchObject({
      command: "SELECT",
      rowCount: 0,
      rows: [],
      fields: [{ name: "one", dataTypeID: 23 }],
    });
  });

  test("sends nothing before it is awaited, and a transaction's parts together", async () => {
    await ask("create table if not exists parts (text text unique)");
    const client = neon(database.ownerUrl);
    const forgotten = client.query("insert into parts values ('forgotten')");
    const twice = () => client.query("insert into parts values ($1)", ["twice"]);
    await expect(client.transaction([twice(), twice()])).rejects.toMatchObject({ code: "23505" });
    const all = await client.transaction(
      [
        client.query("select set_config('app.tenant', 'ten_x', true)"),
        client.query("select current_setting('app.tenant') as t"),
      ],
      { isolationLevel: "Serializable", fullResults: true },
    );
    expect(all[1]).toMatchObject({ rows: [{ t: "ten_x" }] });
    expect(await ask("select text from parts")).toEqual([]);
    expect(await forgotten).toEqual([]);
    expect(await ask("delete from parts returning text")).toEqual([{ text: "forgotten" }]);
  });

  test("throws what Postgres said, with its code", async () => {
    const thrown = await ask("select 1 from nowhere").then(null, (error: unknown) => error);
    expect(thrown).toBeInstanceOf(NeonDbError);
    expect(thrown).toMatchObject({ code: "42P01", severity: "ERROR", message: 'relation "nowhere" does not exist' });
  });

  test("throws without a code when the database is not reached, or something else answers", async () => {
    for (const endpoint of ["http://127.0.0.1:9/sql", brokenAt]) {
      neonConfig.fetchEndpoint = endpoint;
      const thrown = await neon(database.url)
        .query("select 1")
        .then(null, (error: unknown) => error);
      expect(thrown).toBeInstanceOf(NeonDbError);
      expect(Reflect.get(thrown as object, "code")).toBeUndefined();
    }
  });

  test("carries drizzle, single and in a batch", async () => {
    await ask("create table if not exists lists (name text, tags text[])");
    const lists = pgTable("lists", { name: text("name"), tags: text("tags").array() });
    const query = drizzle({ client: neon(database.ownerUrl) });
    const row = { name: "one", tags: ["a", "b,c"] };
    const [made, found] = await query.batch([
      query.insert(lists).values(row).returning(),
      query.execute(sql`select tags, '2026-01-02T03:04:05Z'::timestamptz at time zone 'UTC' as at from lists`),
    ]);
    expect(made).toEqual([row]);
    expect(found.rows).toEqual([{ tags: row.tags, at: "2026-01-02 03:04:05" }]);
    expect(await query.delete(lists).returning({ tags: lists.tags })).toEqual([{ tags: row.tags }]);
  });
});

test("the bundle's client uses Neon's own endpoint by default", async () => {
  const queries: string[] = [];
  const { fetchFunction } = bundled.neonConfig;
  bundled.neonConfig.fetchEndpoint = null;
  bundled.neonConfig.fetchFunction = async (target) => {
    queries.push(new Request(target).url);
    return Response.json({ command: "SELECT", rowCount: 0, fields: [], rows: [] });
  };
  await bundled.neon("postgres://u:p@ep-cool-1.eu-central-1.aws.neon.tech/otto").query("select 1");
  bundled.neonConfig.fetchFunction = fetchFunction;
  expect(queries).toEqual(["https://api.eu-central-1.aws.neon.tech/sql"]);
});
