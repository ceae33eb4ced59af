/** Postgres errors become failures: the database is unavailable, or Otto has a defect. */
import { sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { asTenant, openConnection } from "../../../adapters/database/connection.ts";

afterEach(() => vi.unstubAllGlobals());

async function codeOf(sqlstate: string): Promise<string | null> {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.stubGlobal("fetch", async () => Response.json({ message: "no", code: sqlstate }, { status: 400 }));
  const connection = openConnection("postgres://otto:otto@database.invalid/otto", null);
  const read = await asTenant(connection, "ten_1", (query) => [query.execute(sql`select 1`)]);
  return read.ok ? null : read.error.code;
}

test.each([
  ["08006", "a lost connection"],
  ["53300", "too many connections"],
  ["57P01", "a shutdown"],
  ["40001", "a transaction that was rolled back"],
  ["25006", "a replica that took over and cannot be written yet"],
  ["28P01", "a password that was changed"],
  ["55P03", "a lock that was held too long"],
  ["58030", "a disk that fails"],
  ["XX000", "a server that fails inside, or whose host cannot start it"],
])("%s, %s, is a database that is away", async (sqlstate) => {
  expect(await codeOf(sqlstate)).toBe("upstream_failed");
});

test.each(["42703", "42601", "23502"])("%s is a defect", async (sqlstate) => {
  expect(await codeOf(sqlstate)).toBe("internal");
});
