import { describe, expect, test } from "vitest";
import {
  allWell,
  closingLine,
  countMissing,
  countSuite,
  type Report,
  type SuiteRun,
} from "../../scripts/test-report.ts";

const FILE = "/otto/test/unit/a.test.ts";

function report(over: Partial<Report> = {}): Report {
  return {
    numPassedTests: 2,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [{ name: FILE, status: "passed", assertionResults: [{ status: "passed" }, { status: "passed" }] }],
    ...over,
  };
}

function count(over: Partial<SuiteRun> = {}): ReturnType<typeof countSuite> {
  const run = { suite: "unit", exitCode: 0, report: JSON.stringify(report()), expectedFiles: [FILE] };
  return countSuite({ ...run, ...over });
}

describe("the count of a suite", () => {
  test("is what its report says", () => {
    expect(count()).toEqual({ passed: 2, failed: 0, skipped: 0, problems: [], failures: [], secondTries: [] });
    const mixed = report({ numPassedTests: 5, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 });
    expect(count({ report: JSON.stringify(mixed), exitCode: 1 })).toMatchObject({ passed: 5, failed: 1, skipped: 3 });
  });

  test("names each test that failed, with the first line of why", () => {
    const assertionResults = [
      { status: "passed", fullName: "a task begins", failureMessages: [] },
      { status: "failed", fullName: "a task ends", failureMessages: ["Error: it did not\n    at task.ts:3", "later"] },
      { status: "failed" },
    ];
    const mixed = report({ numFailedTests: 2, testResults: [{ name: FILE, status: "failed", assertionResults }] });
    const { failures, failed } = count({ report: JSON.stringify(mixed), exitCode: 1 });
    expect(failed).toBe(2);
    expect(failures).toEqual([`${FILE} · a task ends · Error: it did not`, FILE]);
  });

  test("names what passed only when it was tried again", () => {
    const assertionResults = [
      { status: "passed", fullName: "a task begins", failureMessages: [] },
      { status: "passed", fullName: "a task ends", failureMessages: ["Error: it was late"] },
    ];
    const all = report({ testResults: [{ name: FILE, status: "passed", assertionResults }] });
    const { failures, failed, secondTries } = count({ report: JSON.stringify(all) });
    expect([failed, failures, secondTries]).toEqual([0, [], [`${FILE} · a task ends · Error: it was late`]]);
  });

  test("is a failure when there is no report", () => {
    expect(count({ report: null })).toMatchObject({ passed: 0, failed: 1, problems: ["produced no report"] });
    expect(count({ report: null, exitCode: 1 }).failed).toBe(1);
  });

  test.each(["", "{", "null", "[]", "{}", '{"numPassedTests":"3"}'])("is a failure when the report is %j", (text) => {
    expect(count({ report: text })).toMatchObject({ passed: 0, failed: 1 });
  });

  test("is a failure when nothing ran, also when everything was skipped", () => {
    const nothing = report({ numPassedTests: 0, testResults: [] });
    expect(count({ report: JSON.stringify(nothing), expectedFiles: [] })).toMatchObject({
      failed: 1,
      problems: ["ran no test"],
    });
    expect(count({ report: JSON.stringify({ ...nothing, numPendingTests: 3 }), expectedFiles: [] }).failed).toBe(1);
  });

  test("is a failure when a file broke before its first test", () => {
    const broken = report({ testResults: [{ name: FILE, status: "failed", assertionResults: [] }] });
    expect(count({ report: JSON.stringify(broken), exitCode: 1 })).toMatchObject({ passed: 2, failed: 1 });
  });

  test("is a failure when a file of the suite was not run", () => {
    const other = "/otto/test/unit/b.test.ts";
    expect(count({ expectedFiles: [FILE, other] }).problems).toEqual([`${other} was not run`]);
  });

  test("is a failure when the runner ended badly though every test passed", () => {
    expect(count({ exitCode: 1 }).failed).toBe(1);
    expect(count({ exitCode: null }).failed).toBe(1);
  });
});

test("packages that are missing where nobody reads along are failures that name them", () => {
  const counted = countMissing(["bubblewrap", "poppler-utils"]);
  expect(counted).toMatchObject({ passed: 0, failed: 2 });
  expect(counted.problems.join()).toBe("the package bubblewrap is missing,the package poppler-utils is missing");
  expect(allWell([{ passed: 3, failed: 0, skipped: 0, problems: [], failures: [], secondTries: [] }, counted])).toBe(
    false,
  );
});

describe("the closing line", () => {
  const ok = { passed: 3, failed: 0, skipped: 0, problems: [], failures: [], secondTries: [] };

  test("sums the suites and names skipped tests only when there are some", () => {
    expect(closingLine([ok, { ...ok, failed: 1 }])).toBe("6 passed, 1 failed");
    expect(closingLine([ok, { ...ok, skipped: 2 }])).toBe("6 passed, 0 failed, 2 skipped");
  });

  test("goes with success only when something passed and nothing failed", () => {
    expect(allWell([ok])).toBe(true);
    expect(allWell([ok, { ...ok, failed: 1 }])).toBe(false);
    expect(allWell([])).toBe(false);
  });
});
