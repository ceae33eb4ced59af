import { z } from "zod";
import { readsAsSql } from "../../core/databases/reads-as-sql.ts";
import { defineTool, failure, failWith } from "../define-tool.ts";

const TIMEOUT_MS = 60_000;
const MAX_QUERY_CHARACTERS = 50_000;

export default defineTool({
  name: "query_database",
  summary:
    "Run one SELECT on a database of the tenant. Nothing can be written. A wrong table name gets the names of the tables.",
  toolbox: "database",
  category: "database",
  permissions: ["read", "network"],
  security: "cautious",
  effect: "none",
  needs: ["databases"],
  // What the rows say may be a stranger's.
  yields: "outside",
  timeoutMs: TIMEOUT_MS,
  queries: ({ database_name: name = null }) => name,
  aliases: { sql: "query", database: "database_name" },
  input: z.object({
    query: z.string().min(1).max(MAX_QUERY_CHARACTERS).describe("One SELECT in Postgres' SQL"),
    database_name: z.string().min(1).max(100).optional().describe("Needed if several are open to the task"),
    analysis_prompt: z.string().max(4_000).optional().describe("Needs a language model; without one it is refused"),
  }),
  output: z.object({
    database: z.string(),
    sql: z.string().describe("The statement that ran"),
    columns: z.array(z.string()),
    rows: z
      .array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])))
      .describe("In the order of columns"),
    row_count: z.int(),
    truncated: z.boolean().describe("There were more rows, or long values were cut"),
    execution_time_ms: z.number(),
    explanation: z.string().nullable().describe("Null for a statement that ran as given"),
    rephrased_query: z.string().nullable().describe("Null for a statement that ran as given"),
  }),
  async run({ query, database_name: database = null, analysis_prompt }, { databases, signal }) {
    if (!readsAsSql(query))
      return failure(
        "not_available",
        "A question in plain language needs a language model, which this tool does not have here. Send one SELECT.",
        { field: "query" },
      );
    if (analysis_prompt !== undefined)
      return failure(
        "not_available",
        "An analysis needs a language model, which this tool does not have here. Leave out analysis_prompt and read the rows.",
        { field: "analysis_prompt" },
      );
    const ran = await databases.query({ database, sql: query, signal });
    if (!ran.ok) return failWith(ran.error);
    const { durationMs, columns, rows, ...rest } = ran.value;
    return {
      ...rest,
      columns: [...columns],
      rows: rows.map((row) => [...row]),
      row_count: rows.length,
      execution_time_ms: durationMs,
      explanation: null,
      rephrased_query: null,
    };
  },
  show({ database, columns, rows, row_count, truncated }) {
    const count = `${row_count}${truncated ? " or more, or values were cut" : ""}`;
    return {
      head: `${database}: ${count} rows\n${JSON.stringify(columns)}`,
      rows: rows.map((row) => JSON.stringify(row)),
    };
  },
  examples: [
    {
      note: "count the orders of each customer",
      given: { query: "select customer, count(*) from orders group by customer order by 2 desc" },
    },
  ],
});
