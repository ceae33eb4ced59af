/** What every `DatabasesPort` does. */
import { describe, expect, it } from "vitest";
import { makeId } from "../../../core/base/ids.ts";
import type { ListedUser } from "../../../core/base/user-lists.ts";
import type { DatabaseChoice } from "../../../core/databases/choose-database.ts";
import type { DatabasesPort } from "../../../core/ports/databases.ts";
import { ANALYST } from "../../fakes/databases.ts";

/** Opens the port for a user of these databases. Each has a table `orders` with two rows of a column `id`. */
export type OpenDatabases = (databases: readonly DatabaseChoice[], user: ListedUser) => DatabasesPort;

const OTHER = makeId("agent", 2, new Uint8Array(10));
const ANA: ListedUser = { agent: ANALYST, project: "books", person: "per_ana" };
const EVERYONE = { agents: [ANALYST.id], projects: null, people: null, status: "ready" } as const;

export function databasesContract(name: string, open: OpenDatabases): void {
  const { signal } = new AbortController();
  const query = async (databases: readonly DatabaseChoice[], user = ANA, database: string | null = null) =>
    await open(databases, user).query({ database, sql: " select id from orders order by id", signal });

  describe(`databases: ${name}`, () => {
    it("runs a statement on the only database, and reports its rows", async () => {
      expect(await query([{ name: "sales", ...EVERYONE }])).toEqual({
        ok: true,
        value: {
          database: "sales",
          sql: "select id from orders order by id",
          columns: ["id"],
          kinds: ["number"],
          rows: [[1], [2]],
          truncated: false,
          durationMs: expect.any(Number),
        },
      });
    });

    it("finds a database by its name, without regard to case", async () => {
      const two = ["sales", "stock"].map((one) => ({ name: one, ...EVERYONE }));
      expect(await query(two, ANA, "STOCK")).toMatchObject({ ok: true, value: { database: "stock" } });
      expect(await query(two)).toMatchObject({
        error: { code: "invalid_input", field: "database_name", message: "Name the database: sales, stock." },
      });
      expect(await query(two, ANA, "sale")).toMatchObject({
        error: { code: "not_found", message: "There is no database sale. Open to this task: sales." },
      });
    });

    it.each([
      [{ agents: null, projects: null, people: null }, false],
      [{ agents: [], projects: null, people: null }, false],
      [{ agents: [ANALYST.id], projects: null, people: null }, true],
      [{ agents: [OTHER], projects: null, people: null }, false],
      [{ agents: null, projects: ["books"], people: null }, true],
      [{ agents: null, projects: ["other"], people: null }, false],
      [{ agents: null, projects: null, people: ["per_ana"] }, true],
      [{ agents: null, projects: null, people: ["per_ben"] }, false],
      [{ agents: [ANALYST.id], projects: ["books"], people: ["per_ana"] }, true],
      [{ agents: [ANALYST.id], projects: ["books"], people: ["per_ben"] }, false],
      [{ agents: [ANALYST.id], projects: [], people: ["per_ana"] }, false],
      [{ agents: [OTHER], projects: ["books"], people: ["per_ana"] }, false],
    ])("serves its users alone: %j: %s", async (users, isOpen) => {
      const database = { name: "sales", status: "ready", ...users } as const;
      const [named, unnamed] = [await query([database], ANA, "sales"), await query([database])];
      expect([named.ok, unnamed.ok]).toEqual([isOpen, isOpen]);
      if (!isOpen) expect(named).toMatchObject({ error: { code: "permission_denied", field: "database_name" } });
      if (!isOpen) expect(unnamed).toMatchObject({ error: { code: "not_found" } });
    });

    it("gives a task without a project or a person nothing of their lists", async () => {
      const nobody = { agent: ANALYST, project: null, person: null };
      for (const users of [
        { agents: null, projects: ["books"], people: null },
        { agents: null, projects: null, people: ["per_ana"] },
      ])
        expect(await query([{ name: "sales", status: "ready", ...users }], nobody, "sales")).toMatchObject({
          error: { code: "permission_denied" },
        });
    });

    it.each(["unchecked", "rejected"] as const)("does not query a database that is %s", async (status) => {
      expect(await query([{ name: "sales", ...EVERYONE, status }])).toMatchObject({
        ok: false,
        error: { code: "not_available", message: expect.stringContaining("POST /v1/databases/sales/check") },
      });
    });

    it("finds the database of a query without running one", async () => {
      const port = open([{ name: "sales", ...EVERYONE }], ANA);
      expect(await port.find(null)).toEqual({ ok: true, value: { id: "dbs_sales", name: "sales" } });
      expect(await port.find("SALES")).toEqual({ ok: true, value: { id: "dbs_sales", name: "sales" } });
      expect(await port.find("stock")).toMatchObject({ ok: false, error: { code: "not_found" } });
    });

    it("reads the schema of a database that the task may use", async () => {
      const port = open([{ name: "sales", ...EVERYONE }], ANA);
      const facts = await port.facts("SALES", signal);
      expect(facts).toMatchObject({
        ok: true,
        value: { tables: [{ name: "orders", kind: "table" }], truncated: false },
      });
      expect(facts.ok && facts.value.tables[0]?.columns.map(({ name }) => name)).toContain("id");
      const closed = open([{ name: "sales", ...EVERYONE, agents: ["agent_2"] }], ANA);
      expect(await closed.facts(null, signal)).toMatchObject({ ok: false, error: { code: "not_found" } });
      const fresh = open([{ name: "sales", ...EVERYONE }], ANA);
      expect(await fresh.facts(null, AbortSignal.abort())).toMatchObject({ ok: false, error: { code: "timeout" } });
    });

    it("reports a statement that is refused", async () => {
      const port = open([{ name: "sales", ...EVERYONE }], ANA);
      expect(await port.query({ database: null, sql: "delete from orders", signal })).toMatchObject({
        ok: false,
        error: { code: "invalid_input", field: "query" },
      });
    });

    it("runs nothing for a call that was given up before", async () => {
      const port = open([{ name: "sales", ...EVERYONE }], ANA);
      expect(await port.query({ database: null, sql: "select 1", signal: AbortSignal.abort() })).toMatchObject({
        ok: false,
        error: { code: "timeout" },
      });
    });
  });
}
