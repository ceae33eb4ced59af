/** Counts what a suite's runner reported. A suite that ran no test, or whose runner ended badly, is a failure. */

export interface SuiteCount {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed and why, and the tests that passed when they were tried again: a line each. */
  readonly notes: readonly string[];
}

/** The part of vitest's JSON report that is read. */
export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName?: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

/** The most characters of a reason's first line, and of its end, in the summary; the runner's own output has all of it. */
const REASON_CHARACTERS = 300;
const REASON_END_CHARACTERS = 900;
const NO_REPORT: Report = {
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
};

/** `exitCode` is null when the runner was killed, `report` when it wrote none. */
export function countSuite(exitCode: number | null, report: Report | null): SuiteCount {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = report ?? NO_REPORT;
  const problems: string[] = [];
  if (numPassedTests + numFailedTests === 0) problems.push("ran no test");
  else if (exitCode !== 0 && numFailedTests === 0)
    problems.push(exitCode === null ? "was stopped" : `ended with exit code ${exitCode} though no test failed`);
  return {
    passed: numPassedTests,
    failed: numFailedTests + problems.length,
    skipped: numPendingTests + numTodoTests,
    notes: [...problems, ...testResults.flatMap(describeFailures)],
  };
}

/** The tests of a file that failed, if only at first. */
function describeFailures({ name, assertionResults }: Report["testResults"][number]): string[] {
  return assertionResults.flatMap(({ status, fullName = "", failureMessages }) => {
    const isRetried = status === "passed" && (failureMessages ?? []).length > 0;
    if (status !== "failed" && !isRetried) return [];
    const reason = describeReason(failureMessages?.[0] ?? "");
    const line = [name, fullName, reason].filter((part) => part !== "").join(" · ");
    return isRetried ? `passed when it was tried again: ${line}` : line;
  });
}

/** The first line of a failure's message and, where it holds the output of a program, the end of that, in one line and without the stack. */
function describeReason(message: string): string {
  const stackAt = message.search(/\n\s+at /);
  const [first = "", ...more] = (stackAt < 0 ? message : message.slice(0, stackAt)).split("\n");
  const end = more.join(" | ").slice(-REASON_END_CHARACTERS);
  return `${first.slice(0, REASON_CHARACTERS)}${end === "" ? "" : ` … ${end}`}`;
}

/** `12 passed, 0 failed`, and `, 1 skipped` when there was one: the sum over all suites. */
export function closingLine(counts: readonly SuiteCount[]): string {
  const sum = (field: "passed" | "failed" | "skipped") => counts.reduce((total, count) => total + count[field], 0);
  const line = `${sum("passed")} passed, ${sum("failed")} failed`;
  return sum("skipped") > 0 ? `${line}, ${sum("skipped")} skipped` : line;
}
