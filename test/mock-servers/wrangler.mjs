/**
 * Mocks the commands of Wrangler that a deployment uses. The folder WRANGLER_MOCK_FOLDER contains `plan.json`: results `{exitCode, stdout,
 * stderr, report}` by the first words of a command. Calls are appended to `calls.jsonl`.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.WRANGLER_MOCK_FOLDER ?? "";
const words = process.argv.slice(2).join(" ");
appendFileSync(
  join(folder, "calls.jsonl"),
  `${JSON.stringify({ words, databaseUrl: process.env.DATABASE_URL ?? null })}\n`,
);
const plan = JSON.parse(readFileSync(join(folder, "plan.json"), "utf8"));
const [, end] = Object.entries(plan).find(([begin]) => words.startsWith(begin)) ?? ["", { exitCode: 9 }];
const { exitCode = 0, stdout = "", stderr = "", report } = end;
if (report !== undefined) appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH ?? "", `${JSON.stringify(report)}\n`);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
