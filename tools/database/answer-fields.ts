/** What both tools of databases return and show of rows. */
import { z } from "zod";
import { MAX_QUESTION_CHARACTERS } from "../../core/databases/questions/limits.ts";
import type { DatabaseRows } from "../../core/ports/databases.ts";
import { failure } from "../define-tool.ts";

/** With the questions to a model. */
export const TIMEOUT_MS = 60_000;
export const MAX_QUERY_CHARACTERS = 50_000;

/** What was said of rows. Null: nothing, as for a statement that ran as given. */
export interface Said {
  readonly explanation: string | null;
  readonly rephrased: string | null;
}

export const NOTHING_SAID: Said = { explanation: null, rephrased: null };

export const answerFields = {
  database: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))).describe("In the order of columns"),
  row_count: z.int(),
  truncated: z.boolean().describe("There were more rows, or long values were cut"),
  execution_time_ms: z.number(),
  explanation: z.string().nullable().describe("What a language model says of the rows; null: it was not asked"),
  rephrased_query: z.string().nullable().describe("The question as the query answers it; null for a given statement"),
};

/** Converts the rows of a query to the fields of a result. */
export function toAnswerFields(
  { database, sql, columns, rows, truncated, durationMs }: DatabaseRows,
  { explanation, rephrased }: Said,
) {
  return {
    database,
    sql,
    columns: [...columns],
    rows: rows.map((row) => [...row]),
    row_count: rows.length,
    truncated,
    execution_time_ms: durationMs,
    explanation,
    rephrased_query: rephrased,
  };
}

/** The first lines that a model reads of an answer. The statement is among them if a model wrote it. */
export function writeHead(
  answer: Pick<
    ReturnType<typeof toAnswerFields>,
    "database" | "row_count" | "truncated" | "explanation" | "rephrased_query"
  > & { readonly sql: string | null; readonly columns: readonly string[] },
): string {
  const { database, sql, columns, row_count: count, truncated, explanation, rephrased_query: rephrased } = answer;
  return [
    `${database}: ${count}${truncated ? " or more, or values were cut" : ""} rows`,
    ...(rephrased === null ? [] : [`SQL: ${sql}`]),
    ...(explanation === null ? [] : [explanation]),
    JSON.stringify(columns),
  ].join("\n");
}

/** Why a question cannot be asked; null: it can. */
export function refuseQuestion(question: string) {
  if (question.length <= MAX_QUESTION_CHARACTERS) return null;
  const message = `A question in plain language has at most ${MAX_QUESTION_CHARACTERS} characters. Shorten it, or send one SELECT.`;
  return failure("too_large", message, { field: "query" });
}
