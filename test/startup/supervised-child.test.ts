/** A child of the supervisor that cannot go on: one that has worked is started again, and one that never did ends the start. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { openLog } from "../../scripts/supervisor/capped-log.ts";
import { type SupervisedChild, superviseChild } from "../../scripts/supervisor/child.ts";
import { until } from "../drill/started-system.ts";

const TIMEOUT_MS = 20_000;
const folder = mkdtempSync(join(tmpdir(), "otto-child-"));
const started: SupervisedChild[] = [];

afterEach(async () => {
  for (const child of started.splice(0)) await child.stop();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Supervises a program of these lines. `env` may change between two starts. */
function supervise(name: string, lines: readonly string[], env: Record<string, string> = {}) {
  const script = join(folder, `${name}.mjs`);
  writeFileSync(script, lines.join("\n"));
  const said: string[] = [];
  const fatal: string[] = [];
  const pids: number[] = [];
  const log = openLog(join(folder, `${name}.log`));
  const child = superviseChild(
    { name, script, env, log },
    {
      onProcess: (running) => running !== null && pids.push(running.pid),
      onProgress: () => undefined,
      onProblem: (message) => said.push(message),
      onFatal: (message) => fatal.push(message),
    },
  );
  started.push(child);
  const reached = async (holds: () => boolean) =>
    await until(holds, TIMEOUT_MS, () => `it did not come to that: ${JSON.stringify({ said, fatal, pids })}`);
  return { child, said, fatal, pids, reached };
}

const SAY_FATAL =
  'process.send({ type: "fatal", message: "its port is taken" }, undefined, undefined, () => process.exit(1));';

test("a child that says that it can never work, and never did, ends the start", async () => {
  const { fatal, pids, reached } = supervise("never", [SAY_FATAL]);
  await reached(() => fatal.length > 0);
  expect([fatal, pids.length]).toEqual([["never: its port is taken"], 1]);
});

test("a child that has worked is started again, also when it says that it cannot work", async () => {
  const mark = join(folder, "worked");
  rmSync(mark, { force: true });
  const { child, said, fatal, pids, reached } = supervise("worked", [
    'import { existsSync, writeFileSync } from "node:fs";',
    `if (existsSync(${JSON.stringify(mark)})) ${SAY_FATAL}`,
    `else { writeFileSync(${JSON.stringify(mark)}, ""); process.send({ type: "ready" }); setInterval(() => {}, 1_000); }`,
  ]);
  await child.ready;
  process.kill(pids[0] ?? Number.NaN, "SIGKILL");
  await reached(() => pids.length >= 3);
  expect(fatal).toEqual([]);
  expect(said).toContain("worked: its port is taken");
  rmSync(mark);
  await reached(() => existsSync(mark));
});

test("a system that refuses to start a child is no reason to end once the child has worked", async () => {
  const env: Record<string, string> = {};
  const lines = ['process.send({ type: "ready" });', "setInterval(() => {}, 1_000);"];
  const { child, said, fatal, pids, reached } = supervise("refused", lines, env);
  await child.ready;
  // More than the system takes for one variable (MAX_ARG_STRLEN of execve(2)): the start throws.
  env["MUCH"] = "x".repeat(3_000_000);
  process.kill(pids[0] ?? Number.NaN, "SIGKILL");
  await reached(() => said.some((line) => line.startsWith("refused could not be started (spawn E2BIG)")));
  delete env["MUCH"];
  await reached(() => pids.length === 2);
  expect(fatal).toEqual([]);
});

test("a system that refuses to start a child the first time ends the start", async () => {
  const { fatal, pids } = supervise("large", [""], { MUCH: "x".repeat(3_000_000) });
  expect([fatal, pids]).toEqual([["large cannot be started: spawn E2BIG"], []]);
});
