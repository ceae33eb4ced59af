/** Databases in memory: each answers a statement by a function. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import type { ColumnKind } from "../../core/databases/column-kinds.ts";
import { chooseDatabase, type DatabaseChoice } from "../../core/databases/choose-database.ts";
import type { ListedUser } from "../../core/base/user-lists.ts";
import type { SchemaFacts } from "../../core/databases/facts.ts";
import type { DatabaseRows, DatabasesPort } from "../../core/ports/databases.ts";

/** What a statement returns; null: it is refused. */
export type FakeAnswer = (sql: string) => Pick<DatabaseRows, "columns" | "rows"> | null;

/** The agent whose tasks use the databases. */
export const ANALYST = { id: makeId("agent", 1, new Uint8Array(10)), name: "analyst" } as const;

/** A database that this agent may use. */
const OPEN: DatabaseChoice = {
  name: "sales",
  agents: [ANALYST.id],
  projects: null,
  people: null,
  status: "ready",
};
const USER: ListedUser = { agent: ANALYST, project: null, person: null };

/** The facts about one table of orders. */
const FACTS: SchemaFacts = {
  tables: [
    {
      name: "orders",
      kind: "table",
      comment: null,
      columns: ["id", "customer"].map((name) => ({ name, type: "text", comment: null, values: null })),
      primary_key: ["id"],
      references: [],
    },
  ],
  truncated: false,
};

export function fakeDatabases(
  answer: FakeAnswer = () => ({ columns: ["customer", "count"], rows: [["Ana", 2]] }),
  databases: readonly DatabaseChoice[] = [OPEN],
  user: ListedUser = USER,
  facts: SchemaFacts = FACTS,
): DatabasesPort {
  return {
    find: async (name) => {
      const chosen = chooseDatabase(databases, name, user);
      return chosen.ok ? ok({ id: `dbs_${chosen.value.name}`, name: chosen.value.name }) : chosen;
    },

    facts: async (name, signal) => {
      const chosen = chooseDatabase(databases, name, user);
      if (!chosen.ok) return chosen;
      return signal.aborted ? failed("timeout", "It was cancelled before it was sent.") : ok(facts);
    },

    query: async ({ database, sql, signal }): Promise<Result<DatabaseRows>> => {
      const chosen = chooseDatabase(databases, database, user);
      if (!chosen.ok) return chosen;
      if (signal.aborted) return failed("timeout", "It was cancelled before it was sent.");
      const rows = answer(sql);
      if (rows === null) return failed("invalid_input", "The query was not run. It is refused.", { field: "query" });
      const kinds = rows.columns.map((_, at) => findKind(rows.rows.map((row) => row[at] ?? null)));
      return ok({ database: chosen.value.name, sql: sql.trim(), kinds, ...rows, truncated: false, durationMs: 1 });
    },
  };
}

const DATE = /^\d{4}-\d{2}-\d{2}/;

function findKind(values: readonly unknown[]): ColumnKind {
  const [first] = values.filter((value) => value !== null);
  if (typeof first === "number" || typeof first === "boolean") return typeof first === "number" ? "number" : "boolean";
  return typeof first === "string" && DATE.test(first) ? "time" : "text";
}
