#!/usr/bin/env node
/**
 * Mocks apt-get and dpkg-query, selected by the program's name. The folder APT_MOCK_FOLDER contains `installed` (one package per line) and
 * `plan.json`: lists of results `{exitCode, output, hangs}` of `update`, `fetch` (the download) and `unpack`, whose last one repeats. Calls
 * are appended to `calls.jsonl`, one per line.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const folder = process.env.APT_MOCK_FOLDER ?? "";
const words = process.argv.slice(2);
const named = words.filter((word) => !word.startsWith("-"));
const read = (name) => readFileSync(join(folder, name), "utf8");
const installed = new Set(read("installed").split("\n"));

if (basename(process.argv[1]) === "dpkg-query") {
  for (const name of named) if (installed.has(name)) console.log(`${name} installed`);
  process.exitCode = named.every((name) => installed.has(name)) ? 0 : 1;
} else {
  const [verb, ...names] = named;
  const part = verb === "update" ? "update" : words.includes("--download-only") ? "fetch" : "unpack";
  const { DEBIAN_FRONTEND, LC_ALL } = process.env;
  appendFileSync(
    join(folder, "calls.jsonl"),
    `${JSON.stringify({ part, names, words, pid: process.pid, env: { DEBIAN_FRONTEND, LC_ALL } })}\n`,
  );
  const plan = JSON.parse(read("plan.json"));
  const { exitCode = 0, output = "", hangs = false } = plan[part]?.[0] ?? {};
  if ((plan[part]?.length ?? 0) > 1) plan[part].shift();
  writeFileSync(join(folder, "plan.json"), JSON.stringify(plan));
  process.stderr.write(output);
  process.exitCode = exitCode;
  if (hangs) setInterval(() => {}, 1_000);
  else if (part === "unpack" && exitCode === 0)
    writeFileSync(join(folder, "installed"), [...installed, ...names].join("\n"));
}
