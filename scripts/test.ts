/**
 * `npm test`: the static checks and every suite, or the ones that are named (`npm test -- unit workerd`). Suites that
 * wait more than they work run at the same time as the others, see `lanesOf`; their output is shown when they have ended.
 * It ends with what failed, and the last line sums up the runners' own reports; the exit code is not 0 when anything
 * failed, or when a suite is missing, reported nothing or ran nothing.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ended, lanesOf, runLanes } from "./lanes.ts";
import { keepPackages, packageLists } from "./packages/keep-packages.ts";
import { type CommandEnd, projectRoot, runCommand, stopCommandsOnSignal } from "./project-command.ts";
import { SUITES, type Suite, VITEST_CONFIG } from "./suites.ts";
import { buildConsole } from "./supervisor/console-build.ts";
import { allWell, closingLine, countMissing, countSuite, type SuiteCount, type SuiteRun } from "./test-report.ts";

const STATIC_CHECKS = "check";
const STATIC_CHECKS_TIMEOUT_MS = 600_000;
const KNOWN: string[] = [STATIC_CHECKS, ...SUITES.map(({ name }) => name)];

/** The test files of a suite, as absolute paths. */
function testFiles(suite: Suite): string[] {
  const folder = join(projectRoot, "test", suite.name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(folder, name));
}

function runChecks(report: string, show: boolean): Promise<CommandEnd> {
  const args = ["scripts/check.ts", "--static", "--report", report];
  return runCommand("node", args, { show, timeoutMs: STATIC_CHECKS_TIMEOUT_MS });
}

function runVitest(suite: Suite, report: string, show: boolean): Promise<CommandEnd> {
  const args = ["run", "--config", VITEST_CONFIG[suite.runtime], "--project", suite.name];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  return runCommand("vitest", [...args, ...reporters], { show, timeoutMs: suite.suiteTimeoutMs });
}

interface EndedSuite extends Ended {
  readonly count: SuiteCount;
  readonly seconds: number;
}

async function runSuite(name: string, folder: string, show: boolean): Promise<EndedSuite> {
  const started = performance.now();
  const report = join(folder, `${name}.json`);
  const suite = SUITES.find((known) => known.name === name);
  // A runner that cannot be started fails its suite, and the others go on.
  const failed = (error: unknown): CommandEnd => ({ exitCode: null, output: String(error) });
  const end = await (suite ? runVitest(suite, report, show) : runChecks(report, show)).catch(failed);
  const run: SuiteRun = {
    suite: name,
    exitCode: end.exitCode,
    report: existsSync(report) ? readFileSync(report, "utf8") : null,
    expectedFiles: suite ? testFiles(suite) : [],
  };
  const seconds = (performance.now() - started) / 1000;
  return { name, output: end.output, count: countSuite(run), seconds };
}

/** Installs what the suites need; what stays missing fails the run where nobody reads along, and is only said elsewhere. */
async function prepare(names: readonly string[]): Promise<SuiteCount | null> {
  if (!SUITES.some(({ name, packages }) => packages && names.includes(name))) return null;
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
  return missing.length === 0 || isAttended ? null : countMissing(missing.map(({ name }) => name));
}

/** Builds the console. When it cannot be built, the suites that need it fail by themselves. */
async function makeConsole(): Promise<void> {
  const say = (line: unknown): void => console.log(line instanceof Error ? line.message : line);
  await buildConsole(projectRoot, say).catch(say);
}

/** The suites to run, in their order; null when a name is unknown. */
function chosen(names: readonly string[]): string[] | null {
  if (!names.every((name) => KNOWN.includes(name))) return null;
  return names.length === 0 ? KNOWN : KNOWN.filter((name) => names.includes(name));
}

async function runAll(names: readonly string[]): Promise<void> {
  const reports = mkdtempSync(join(tmpdir(), "otto-test-"));
  const summary: string[] = [];
  const counts: SuiteCount[] = [];
  const unprepared = await prepare(names);
  if (unprepared !== null) {
    counts.push(unprepared);
    summary.push("packages", ...unprepared.problems.map((problem) => `  ${problem}`));
  }
  const lanes = lanesOf(names);
  // The first system beside would build it while the checks read the tree that it builds in.
  if (lanes.beside.length > 0) await makeConsole();
  try {
    const run = (name: string, show: boolean): Promise<EndedSuite> => runSuite(name, reports, show);
    const ended = await runLanes(lanes, run, (text) => console.log(text));
    const inOrder = ended.toSorted((a, b) => KNOWN.indexOf(a.name) - KNOWN.indexOf(b.name));
    for (const { name, count, seconds } of inOrder) {
      counts.push(count);
      summary.push(`${name.padEnd(14)} ${closingLine([count])} in ${seconds.toFixed(1)} s`);
      summary.push(...[...count.problems, ...count.failures].map((line) => `  ${line}`));
      summary.push(...count.secondTries.map((line) => `  passed when it was tried again: ${line}`));
    }
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
  process.exitCode = allWell(counts) ? 0 : 1;
  console.log(["", ...summary, "", closingLine(counts)].join("\n"));
}

stopCommandsOnSignal();
const names = chosen(process.argv.slice(2));
if (names) {
  await runAll(names);
} else {
  console.error(`There is no such suite. There are: ${KNOWN.join(", ")}.`);
  process.exitCode = 2;
}
