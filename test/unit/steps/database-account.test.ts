import { expect, it } from "vitest";
import { failed, ok } from "../../../core/base/errors.ts";
import { findDatabaseRefusal, ruleDatabase } from "../../../core/steps/database-account.ts";
import { fakeDatabases } from "../../fakes/databases.ts";
import queryDatabase from "../../../tools/database/query-database.ts";

const given = { query: "select 1" };

it("chooses the database of a call as a shared account, which asks no owner", async () => {
  expect(await ruleDatabase(queryDatabase, given, fakeDatabases())).toEqual({
    kind: "account",
    account: {
      connection: "dbs_sales",
      app: "database",
      provider: "database",
      owner: { kind: "shared" },
      label: "sales",
      consent: 1,
      delegates: false,
    },
    askOwner: null,
  });
});

it("refuses a call whose database is not there, or cannot be reached", async () => {
  const unknown = { ...given, database_name: "stock" };
  expect(await ruleDatabase(queryDatabase, unknown, fakeDatabases())).toMatchObject({ failure: { code: "not_found" } });
  expect(await ruleDatabase(queryDatabase, given, undefined)).toMatchObject({ failure: { code: "not_available" } });
});

it("runs a call on the database alone that it was prepared for", async () => {
  const ruling = await ruleDatabase(queryDatabase, given, fakeDatabases());
  const account = ruling.kind === "account" ? ruling.account : undefined;
  const call = { ...(account === undefined ? {} : { account }), arguments: given };
  expect(await findDatabaseRefusal(queryDatabase, call, fakeDatabases())).toBeNull();
  const replaced = { find: async () => ok({ id: "dbs_other", name: "sales" }) };
  expect(await findDatabaseRefusal(queryDatabase, call, replaced)).toMatchObject({ code: "blocked_by_policy" });
  const closed = { find: async () => failed("permission_denied", "It is closed.") };
  expect(await findDatabaseRefusal(queryDatabase, call, closed)).toMatchObject({ code: "permission_denied" });
});
