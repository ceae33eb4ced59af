/**
 * Wrangler's command line, as far as a deployment asks it. The folder WRANGLER_STAND_IN holds `plan.json`: the end of each
 * command by the words that it begins with, `{exitCode, stdout, stderr, report}`; what was asked is added to `calls.jsonl`.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.WRANGLER_STAND_IN ?? "";
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
