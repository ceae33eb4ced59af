/**
 * `npm test`: the static checks and every suite, or the ones that are named (`npm test -- unit workerd`), some of them at the
 * same time. A suite that runs alone is shown while it runs, else each when it has ended. The last line sums up the runners'
 * own reports; the exit code is not 0 when anything failed.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runAtMost } from "./at-most.ts";
import { keepPackages, packageLists } from "./packages/keep-packages.ts";
import { projectRoot, runCommand, stopCommandsOnSignal } from "./project-command.ts";
import { SUITES, type Suite, VITEST_CONFIG } from "./suites.ts";
import { buildConsole } from "./supervisor/console-build.ts";
import { closingLine, countSuite, type Report, type SuiteCount } from "./test-report.ts";

const STATIC_CHECKS = "check";
const STATIC_CHECKS_TIMEOUT_MS = 600_000;
/** Two keep two cores busy. Three delay each other until tests exceed their times. */
const SUITES_AT_ONCE = 2;
const KNOWN: string[] = [STATIC_CHECKS, ...SUITES.map(({ name }) => name)];

interface EndedSuite {
  readonly name: string;
  readonly count: SuiteCount;
  readonly seconds: number;
}

/** What a runner printed and was not shown while it ran, and its count. */
interface RunnerEnd {
  readonly output: string;
  readonly count: SuiteCount;
}

async function runChecks(show: boolean): Promise<RunnerEnd> {
  const end = await runCommand("node", ["scripts/check.ts", "--static"], { show, timeoutMs: STATIC_CHECKS_TIMEOUT_MS });
  const failed = end.exitCode === 0 ? 0 : 1;
  return { output: end.output, count: { passed: 1 - failed, failed, skipped: 0, notes: [] } };
}

async function runVitest(suite: Suite, folder: string, show: boolean): Promise<RunnerEnd> {
  const report = join(folder, `${suite.name}.json`);
  const args = ["run", "--config", VITEST_CONFIG[suite.runtime], "--project", suite.name];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const end = await runCommand("vitest", [...args, ...reporters], { show, timeoutMs: suite.suiteTimeoutMs });
  return { output: end.output, count: countSuite(end.exitCode, readReport(report)) };
}

function readReport(path: string): Report | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Report;
  } catch {
    return null;
  }
}

/** Never rejects: a runner that cannot be started fails its suite, and the others continue. */
async function runSuite(name: string, folder: string, show: boolean): Promise<EndedSuite> {
  const started = performance.now();
  const suite = SUITES.find((known) => known.name === name);
  console.log(show ? `\n── ${name}` : `── ${name} starts`);
  const run = suite ? runVitest(suite, folder, show) : runChecks(show);
  const { output, count } = await run.catch((thrown: unknown) => ({
    output: "",
    count: failedCount([String(thrown)]),
  }));
  if (!show) console.log(`\n── ${name}\n${output.trimEnd()}`);
  return { name, count, seconds: (performance.now() - started) / 1000 };
}

function failedCount(notes: readonly string[]): SuiteCount {
  return { passed: 0, failed: notes.length, skipped: 0, notes };
}

/** Installs what the suites need. In CI what stays missing is a failure: the tests that need it would be skipped. */
async function prepare(names: readonly string[]): Promise<SuiteCount> {
  if (!SUITES.some(({ name, packages }) => packages && names.includes(name))) return failedCount([]);
  const missing = await keepPackages({
    lists: packageLists(projectRoot).test,
    env: process.env,
    isRoot: process.getuid?.() === 0,
    mayInstall: process.env["OTTO_INSTALL_PACKAGES"] !== "no",
    say: (line) => console.log(line),
    signal: AbortSignal.any([]),
  });
  // The suites start systems of their own: what could not be installed now is not tried again by each of them.
  process.env["OTTO_INSTALL_PACKAGES"] = "no";
  const isAttended = !["true", "1"].includes(process.env["CI"] ?? "");
  return failedCount(isAttended ? [] : missing.map(({ name }) => `the package ${name} is missing`));
}

/** Builds the console. When it cannot be built, the suites that need it fail. */
async function makeConsole(): Promise<void> {
  const say = (line: unknown): void => console.log(line instanceof Error ? line.message : line);
  await buildConsole(projectRoot, say).catch(say);
}

async function runAll(names: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "otto-test-"));
  try {
    const packages = await prepare(names);
    // The first system would build it while the checks read the tree that it builds in.
    if (names.length > 1) await makeConsole();
    const ended = await runAtMost(SUITES_AT_ONCE, names, (name) => runSuite(name, folder, names.length === 1));
    const counts = [packages, ...ended.map(({ count }) => count)];
    const lines = ended.flatMap(({ name, count, seconds }) => [
      `${name.padEnd(14)} ${closingLine([count])} in ${seconds.toFixed(1)} s`,
      ...count.notes.map((note) => `  ${note}`),
    ]);
    console.log(["", ...packages.notes, ...lines, "", closingLine(counts)].join("\n"));
    process.exitCode = counts.some(({ failed }) => failed > 0) ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

stopCommandsOnSignal();
const given = process.argv.slice(2);
if (given.every((name) => KNOWN.includes(name))) {
  await runAll(given.length === 0 ? KNOWN : KNOWN.filter((name) => given.includes(name)));
} else {
  console.error(`There is no such suite. There are: ${KNOWN.join(", ")}.`);
  process.exitCode = 2;
}
