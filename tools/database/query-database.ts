import { z } from "zod";
import { QUESTION_USE } from "../../core/databases/questions/limits.ts";
import { readsAsSql } from "../../core/databases/reads-as-sql.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { DatabaseRows } from "../../core/ports/databases.ts";
import type { ToolContext } from "../../core/tool/tool.ts";
import { defineTool, failWith } from "../define-tool.ts";
import {
  answerFields,
  MAX_QUERY_CHARACTERS,
  NOTHING_SAID,
  refuseQuestion,
  type Said,
  TIMEOUT_MS,
  toAnswerFields,
  writeHead,
} from "./answer-fields.ts";

export default defineTool({
  name: "query_database",
  summary:
    "Query a database of the tenant by one SELECT or a question in plain language. Nothing can be written. A wrong table name gets the names of the tables.",
  toolbox: "database",
  category: "database",
  permissions: ["read", "network"],
  security: "cautious",
  effect: "none",
  needs: ["databases", "language"],
  // What the rows say may be a stranger's.
  yields: "outside",
  timeoutMs: TIMEOUT_MS,
  queries: ({ database_name: name = null }) => name,
  modelUse({ query, analysis_prompt: prompt }) {
    if (!readsAsSql(query)) return QUESTION_USE;
    return prompt === undefined ? null : { ...QUESTION_USE, calls: 1 };
  },
  aliases: { sql: "query", database: "database_name" },
  input: z.object({
    query: z.string().min(1).max(MAX_QUERY_CHARACTERS).describe("One SELECT in Postgres' SQL, or a question"),
    database_name: z.string().min(1).max(100).optional().describe("Needed if several are open to the task"),
    analysis_prompt: z.string().min(1).max(2_000).optional().describe("What to explain about the rows"),
  }),
  output: z.object({ ...answerFields, sql: z.string().describe("The statement that ran") }),
  async run({ query, database_name: database = null, analysis_prompt: prompt }, { databases, language, signal }) {
    const isGiven = readsAsSql(query);
    const refused = isGiven ? null : refuseQuestion(query);
    if (refused !== null) return refused;
    const found = isGiven
      ? toFound(await databases.query({ database, sql: query, signal }))
      : await ask({ question: query, database }, { databases, language, signal });
    if (!found.ok) return failWith(found.error);
    const { rows, said, wasRepaired } = found.value;
    if (prompt === undefined) return toAnswerFields(rows, said);
    if (wasRepaired) return toAnswerFields(rows, add(said, "The query had to be repaired."));
    const { explainRows } = await import("../../core/databases/questions/explain-rows.ts");
    const explained = await explainRows(prompt, rows, language, signal);
    if (explained.ok) return toAnswerFields(rows, { ...said, explanation: explained.value });
    const { error } = explained;
    return error.code === "not_available"
      ? failWith({ ...error, field: "analysis_prompt" })
      : toAnswerFields(rows, add(said, error.message));
  },
  show: (answer) => ({ head: writeHead(answer), rows: answer.rows.map((row) => JSON.stringify(row)) }),
  examples: [
    {
      note: "count the orders of each customer",
      given: { query: "select customer, count(*) from orders group by customer order by 2 desc" },
    },
  ],
});

/** The rows of a call, and what was said of them. `wasRepaired`: no question to the model is left. */
interface Found {
  readonly rows: DatabaseRows;
  readonly said: Said;
  readonly wasRepaired: boolean;
}

function toFound(ran: Result<DatabaseRows>): Result<Found> {
  return ran.ok ? ok({ rows: ran.value, said: NOTHING_SAID, wasRepaired: false }) : ran;
}

async function ask(
  { question, database }: { readonly question: string; readonly database: string | null },
  { databases, language, signal }: Pick<ToolContext<"databases" | "language">, "databases" | "language" | "signal">,
): Promise<Result<Found>> {
  const plain = { question, database, answers: [], isDialogue: false, skipsNeeds: true, signal };
  const { answerQuestion } = await import("../../core/databases/questions/answer-question.ts");
  const answered = await answerQuestion(plain, { databases, language });
  if (!answered.ok) return answered;
  if (answered.value.kind !== "answered") throw new Error("a question without a dialogue was not answered");
  const { rows, explanation, rephrased, wasRepaired } = answered.value;
  return ok({ rows, said: { explanation, rephrased }, wasRepaired });
}

/** Says why the rows were not analysed. */
function add({ explanation, rephrased }: Said, why: string): Said {
  const note = `The rows were not analysed. ${why}`;
  return { explanation: explanation === null ? note : `${explanation} ${note}`, rephrased };
}
