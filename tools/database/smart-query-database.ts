import { z } from "zod";
import type { Need } from "../../core/databases/questions/answer-question.ts";
import { QUESTION_USE } from "../../core/databases/questions/limits.ts";
import { readsAsSql } from "../../core/databases/reads-as-sql.ts";
import type { DatabaseRows } from "../../core/ports/databases.ts";
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

const channel = z.object({
  field: z.string(),
  type: z.string(),
  title: z.string(),
  sort: z.null().optional(),
});
const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const chart = z.object({
  $schema: z.string(),
  mark: z.string(),
  data: z.object({ values: z.array(z.object({ x: value, y: value, series: value.optional() })) }),
  encoding: z.object({ x: channel, y: channel, color: channel.optional() }),
});
const clarification = z.object({ id: z.string(), question: z.string(), options: z.array(z.string()) });

export default defineTool({
  name: "smart_query_database",
  summary:
    "Answer a question in plain language from a database of the tenant. Asks back if it is ambiguous; adds a chart and further questions.",
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
  modelUse: ({ query }) => (readsAsSql(query) ? null : QUESTION_USE),
  // A question that was asked twice without an answer is not answered by asking it once more.
  maxCallsPerStep: 2,
  aliases: { question: "query", database: "database_name" },
  input: z.object({
    query: z.string().min(1).max(MAX_QUERY_CHARACTERS).describe("A question, or one SELECT in Postgres' SQL"),
    database_name: z.string().min(1).max(100).optional().describe("Needed if several are open to the task"),
    skip_clarification: z.boolean().default(false).describe("Assume the likeliest meaning"),
    clarification_answers: z
      .array(z.object({ id: z.string().min(1).max(160), answer: z.string().min(1).max(200) }))
      .max(10)
      .optional()
      .describe("Answers to the clarifications of an earlier call"),
    include_visualization: z.boolean().default(true),
  }),
  output: z.object({
    status: z.enum(["ok", "clarification_needed"]),
    ...answerFields,
    sql: z.string().nullable().describe("The statement that ran; null: none ran"),
    clarifications: z.array(clarification).describe("Send the answers as clarification_answers"),
    visualization: chart.nullable().describe("Vega-Lite; null: the rows have no chart"),
    follow_up_questions: z.array(z.string()),
  }),
  async run(given, { databases, language, signal }) {
    const { query, database_name: database = null, include_visualization: isDrawn } = given;
    if (readsAsSql(query)) {
      const ran = await databases.query({ database, sql: query, signal });
      return ran.ok ? await toAnswer(ran.value, { said: NOTHING_SAID, followUps: [], isDrawn }) : failWith(ran.error);
    }
    const refused = refuseQuestion(query);
    if (refused !== null) return refused;
    const { skip_clarification: skipsNeeds, clarification_answers: answers = [] } = given;
    const plain = { question: query, database, answers, isDialogue: true, skipsNeeds, signal };
    const { answerQuestion } = await import("../../core/databases/questions/answer-question.ts");
    const answered = await answerQuestion(plain, { databases, language });
    if (!answered.ok) return failWith(answered.error);
    if (answered.value.kind === "answered") {
      const { rows, explanation, rephrased, followUps } = answered.value;
      return await toAnswer(rows, { said: { explanation, rephrased }, followUps, isDrawn });
    }
    const found = await databases.find(database);
    return found.ok ? await toUnclear(found.value.name, answered.value.needs) : failWith(found.error);
  },
  show(answer) {
    const { status, rows, clarifications, visualization, follow_up_questions: followUps } = answer;
    if (status === "clarification_needed")
      return `The question is not clear. Answer with clarification_answers:\n${JSON.stringify(clarifications)}`;
    const tail = [
      ...(visualization === null ? [] : [`The result has a ${visualization.mark} chart as Vega-Lite.`]),
      ...(followUps.length === 0 ? [] : [`Further questions: ${followUps.join(" | ")}`]),
    ];
    return {
      head: writeHead(answer),
      rows: rows.map((row) => JSON.stringify(row)),
      ...(tail.length === 0 ? {} : { tail: tail.join("\n") }),
    };
  },
  examples: [
    {
      note: "count the orders of each customer",
      given: { query: "select customer, count(*) from orders group by customer order by 2 desc" },
    },
  ],
});

async function toAnswer(
  rows: DatabaseRows,
  {
    said,
    followUps,
    isDrawn,
  }: { readonly said: Said; readonly followUps: readonly string[]; readonly isDrawn: boolean },
) {
  const drawn = isDrawn ? (await import("../../core/databases/chart.ts")).drawRows(rows) : null;
  return {
    status: "ok" as const,
    ...toAnswerFields(rows, said),
    clarifications: [],
    visualization: drawn === null ? null : { ...drawn, data: { values: [...drawn.data.values] } },
    follow_up_questions: [...followUps],
  };
}

async function toUnclear(database: string, needs: readonly Need[]) {
  const { toClarifications } = await import("../../core/databases/questions/clarifications.ts");
  const nothing = { database, sql: "", columns: [], kinds: [], rows: [], truncated: false, durationMs: 0 };
  return {
    status: "clarification_needed" as const,
    ...toAnswerFields(nothing, NOTHING_SAID),
    sql: null,
    clarifications: toClarifications(needs),
    visualization: null,
    follow_up_questions: [],
  };
}
