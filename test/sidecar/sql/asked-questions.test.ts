/**
 * A hundred questions over three schemas, with a scripted model that writes its query only if the tables that it needs are in its input.
 * The rows equal those of the expected query, which runs on the server directly.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ok, type Result } from "../../../core/base/errors.ts";
import { answerQuestion } from "../../../core/databases/questions/answer-question.ts";
import type { SchemaFacts } from "../../../core/databases/facts.ts";
import type { DatabaseRows, DatabasesPort } from "../../../core/ports/databases.ts";
import { fakeLanguage } from "../../fakes/language.ts";
import { type AskedQuestion, QUESTIONS } from "./asked-questions.ts";
import { type AskedSchema, SCHEMAS, SETUP } from "./asked-schemas.ts";
import { openSqlWorld, type SqlWorld } from "./sql-world.ts";

const MIN_QUESTIONS = 100;
/** For one question of this many, the model first writes a column that does not exist. */
const WRONG_EVERY = 8;

let world: SqlWorld;
beforeAll(async () => {
  world = await openSqlWorld();
  await world.server.admin.query(SETUP);
});
afterAll(async () => {
  await world.close();
});

function openSchema(schema: AskedSchema): Pick<DatabasesPort, "facts" | "query"> {
  const lists = { schemas: [schema, "noise"] };
  let facts: Promise<Result<SchemaFacts>> | null = null;
  return {
    facts: async () => await (facts ??= world.facts(false, { lists })),
    async query({ sql }) {
      const ran = await world.query(sql, { lists });
      return ran.ok ? ok({ ...ran.value, database: schema, durationMs: ran.value.duration_ms }) : ran;
    },
  };
}

/** A model that knows the answer, and reads the tables of its input alone. */
function scriptModel({ question, expected, written = expected }: AskedQuestion, isWrongFirst: boolean) {
  const needed = new Set(Array.from(written.matchAll(/\b(?:from|join)\s+([a-z_]+)/g), ([, name]) => name));
  return fakeLanguage(({ input }, index) => {
    const { tables } = JSON.parse(input) as { readonly tables: readonly string[] };
    const shown = new Set(tables.map((text) => text.split(/\s/)[1]));
    const missing = [...needed].filter((name) => isTable(name ?? "") && !shown.has(name));
    if (missing.length > 0)
      return ok({ sql: null, explanation: `not in the input: ${missing.join()}`, rephrased_query: "" });
    const sql = isWrongFirst && index === 0 ? `select no_such_column from (${written}) q` : written;
    return ok({ sql, explanation: "As asked.", rephrased_query: question });
  });
}

/** The other names after `from` are those of common table expressions, columns and parts of a date. */
function isTable(name: string): boolean {
  return new RegExp(`create table \\w+\\.${name} `).test(SETUP);
}

/** The rows as a server sends them, without regard to their order unless the query gives one. */
function toComparable(rows: readonly (readonly unknown[])[], sql: string): readonly string[] {
  const texts = rows.map((row) => JSON.stringify(row));
  return /order by[^()]*(?:\([^()]*\)[^()]*)*$/i.test(sql) ? texts : texts.toSorted();
}

async function readExpected(schema: AskedSchema, sql: string, kinds: DatabaseRows["kinds"]) {
  const { admin } = world.server;
  await admin.query(`set search_path = ${schema}`);
  const types = { getTypeParser: () => (value: string) => value };
  const { rows } = await admin.query<(string | null)[]>({ text: sql, rowMode: "array", types });
  return rows.map((row) => row.map((value, at) => (value === null ? null : toNumber(value, kinds[at]))));
}

/** Numbers have one form: `1.50` of the server is the number or the text 1.50 in the rows. */
function toNumber(value: unknown, kind: string | undefined): unknown {
  if (kind === "boolean") return value === "t" || value === true;
  return kind === "number" ? Number(value) : value;
}

describe.each(SCHEMAS)("questions to %s", (schema) => {
  it("are answered with the rows of the expected query", async () => {
    const databases = openSchema(schema);
    const wrong: string[] = [];
    for (const [index, asked] of QUESTIONS[schema].entries()) {
      const { question, expected } = asked;
      const isWrongFirst = index % WRONG_EVERY === 0;
      const language = scriptModel(asked, isWrongFirst);
      const { signal } = new AbortController();
      const plain = { database: null, question, answers: [], isDialogue: false, skipsNeeds: true, signal };
      const answered = await answerQuestion(plain, { databases, language });
      if (!answered.ok || answered.value.kind !== "answered") {
        wrong.push(`${question} ${JSON.stringify(answered)}`);
        continue;
      }
      const { rows, wasRepaired } = answered.value;
      expect(wasRepaired, question).toBe(isWrongFirst);
      const own = rows.rows.map((row) =>
        row.map((value, at) => (value === null ? null : toNumber(value, rows.kinds[at]))),
      );
      const theirs = await readExpected(schema, expected, rows.kinds);
      if (theirs.length === 0) wrong.push(`no rows say nothing: ${question}`);
      const [one, other] = [toComparable(own, expected), toComparable(theirs, expected)];
      if (JSON.stringify(one) !== JSON.stringify(other))
        wrong.push(`${question}\n${one.slice(0, 5).join()}\n${other.slice(0, 5).join()}`);
    }
    expect(wrong).toEqual([]);
  });
});

it("are a hundred, and the tables of each are chosen among many", async () => {
  expect(SCHEMAS.flatMap((schema) => QUESTIONS[schema]).length).toBeGreaterThanOrEqual(MIN_QUESTIONS);
  const facts = await world.facts(false, { lists: { schemas: ["shop", "noise"] } });
  expect(facts.ok && facts.value.tables.length).toBeGreaterThan(80);
});
