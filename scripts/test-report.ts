/**
 * Counts what a test runner reports. Nothing here trusts that a suite which said nothing went well: no report,
 * no test, a file that was not run and a bad exit code each count as a failure.
 */

/** How a suite's run ended. */
export interface SuiteRun {
  readonly suite: string;
  /** The runner's exit code; null when it was killed. */
  readonly exitCode: number | null;
  /** The text of the runner's JSON report; null when it wrote none. */
  readonly report: string | null;
  /** Test files, as absolute paths, that the report must speak of. */
  readonly expectedFiles: readonly string[];
}

export interface SuiteCount {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What was wrong beside failed tests, each counted as one failure. */
  readonly problems: readonly string[];
  /** The tests that failed: their file, their name, and why in a line. */
  readonly failures: readonly string[];
  /** The tests that failed and passed when they were tried again, in the same words. */
  readonly secondTries: readonly string[];
}

/** The part of vitest's JSON report that is read; the static checks write the same form. */
export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName?: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

/** Counts a suite's own report, with a failure for each reason why it proves nothing. */
export function countSuite(run: SuiteRun): SuiteCount {
  const report = run.report === null ? null : readReport(run.report);
  if (!report) {
    const problem = run.report === null ? "produced no report" : "produced a report that cannot be read";
    return { passed: 0, failed: 1, skipped: 0, problems: [problem], failures: [], secondTries: [] };
  }
  const problems: string[] = [];
  if (report.numPassedTests + report.numFailedTests === 0) problems.push("ran no test");
  for (const file of report.testResults) {
    const explained = file.assertionResults.some(({ status }) => status === "failed");
    if (file.status === "failed" && !explained) problems.push(`${file.name} failed outside its tests`);
  }
  const reported = new Set(report.testResults.map(({ name }) => name));
  for (const file of run.expectedFiles) {
    if (!reported.has(file)) problems.push(`${file} was not run`);
  }
  if (run.exitCode !== 0 && report.numFailedTests + problems.length === 0) {
    problems.push(run.exitCode === null ? "was stopped" : `ended with exit code ${run.exitCode} though no test failed`);
  }
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + problems.length,
    skipped: report.numPendingTests + report.numTodoTests,
    problems,
    failures: report.testResults.flatMap((file) => listFailed(file, "failed")),
    secondTries: report.testResults.flatMap((file) => listFailed(file, "passed")),
  };
}

/** The most characters of a reason that stand in the closing summary; the runner's own output says all of it. */
const REASON_CHARACTERS = 300;

/** What failed in a file, if only at first, and ended with this status. */
function listFailed({ name, assertionResults }: Report["testResults"][number], status: "failed" | "passed"): string[] {
  const ended = assertionResults.filter((one) => one.status === status);
  const failed = ended.filter(({ failureMessages }) => status === "failed" || (failureMessages ?? []).length > 0);
  return failed.map(({ fullName = "", failureMessages }) => {
    const [reason = ""] = (failureMessages?.[0] ?? "").split("\n");
    return [name, fullName, reason.slice(0, REASON_CHARACTERS)].filter((part) => part !== "").join(" · ");
  });
}

/** A failure for each Debian package that is missing: the tests that need it were skipped, and nobody chose that. */
export function countMissing(packages: readonly string[]): SuiteCount {
  const problems = packages.map((name) => `the package ${name} is missing`);
  return { passed: 0, failed: problems.length, skipped: 0, problems, failures: [], secondTries: [] };
}

/** `12 passed, 0 failed`, and `, 1 skipped` when there was one: the sum over all suites. */
export function closingLine(counts: readonly SuiteCount[]): string {
  const sum = (pick: (count: SuiteCount) => number): number => counts.reduce((total, count) => total + pick(count), 0);
  const skipped = sum((count) => count.skipped);
  const line = `${sum((count) => count.passed)} passed, ${sum((count) => count.failed)} failed`;
  return skipped > 0 ? `${line}, ${skipped} skipped` : line;
}

/** True when at least one test passed and none failed. */
export function allWell(counts: readonly SuiteCount[]): boolean {
  return counts.some(({ passed }) => passed > 0) && counts.every(({ failed }) => failed === 0);
}

function readReport(text: string): Report | null {
  try {
    const value: unknown = JSON.parse(text);
    return isReport(value) ? value : null;
  } catch {
    return null;
  }
}

function isReport(value: unknown): value is Report {
  if (typeof value !== "object" || value === null) return false;
  const report = value as Record<string, unknown>;
  const counts = ["numPassedTests", "numFailedTests", "numPendingTests", "numTodoTests"];
  return counts.every((key) => Number.isSafeInteger(report[key])) && Array.isArray(report["testResults"]);
}
