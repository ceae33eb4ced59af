import { expect, test } from "vitest";
import { closingLine, countSuite, type Report } from "../../scripts/test-report.ts";

const FILE = "/otto/test/unit/a.test.ts";
const PASSED: Report = {
  numPassedTests: 2,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [{ name: FILE, assertionResults: [{ status: "passed" }, { status: "passed" }] }],
};

test("a suite counts what its runner reported", () => {
  expect(countSuite(0, PASSED)).toEqual({ passed: 2, failed: 0, skipped: 0, notes: [] });
  const mixed = { ...PASSED, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 };
  expect(countSuite(1, mixed)).toMatchObject({ passed: 2, failed: 1, skipped: 3 });
});

test.each([
  ["wrote no report", 0, null],
  ["ran no test", 0, { ...PASSED, numPassedTests: 0 }],
  ["skipped every test", 0, { ...PASSED, numPassedTests: 0, numPendingTests: 2 }],
  ["ended badly though every test passed", 1, PASSED],
  ["was killed", null, PASSED],
])("a runner that %s is a failure", (_, exitCode, report) => {
  expect(countSuite(exitCode, report)).toMatchObject({ failed: 1, notes: [expect.any(String)] });
});

test("names each test that failed, if only at first, with the first line of why", () => {
  const assertionResults = [
    { status: "passed", fullName: "a task begins", failureMessages: [] },
    { status: "failed", fullName: "a task ends", failureMessages: ["Error: it did not\n    at task.ts:3"] },
    { status: "passed", fullName: "a task waits", failureMessages: ["Error: it was late"] },
  ];
  const report = { ...PASSED, numFailedTests: 1, testResults: [{ name: FILE, assertionResults }] };
  expect(countSuite(1, report).notes).toEqual([
    `${FILE} · a task ends · Error: it did not`,
    `passed when it was tried again: ${FILE} · a task waits · Error: it was late`,
  ]);
});

test("a failure that holds a program's output is named with the end of it, and without its stack", () => {
  const output = Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n");
  const message = `Error: it was not restarted:\n${output}\n    at task.ts:3`;
  const assertionResults = [{ status: "failed", fullName: "a task ends", failureMessages: [message] }];
  const [note] = countSuite(1, { ...PASSED, numFailedTests: 1, testResults: [{ name: FILE, assertionResults }] }).notes;
  expect(note).toMatch(/ · Error: it was not restarted: … .*line 198 \| line 199$/);
  expect(note?.length).toBeLessThan(1100);
});

test("the closing line sums the suites and names skipped tests only when there are some", () => {
  const count = { passed: 3, failed: 0, skipped: 0, notes: [] };
  expect(closingLine([count, { ...count, failed: 1 }])).toBe("6 passed, 1 failed");
  expect(closingLine([count, { ...count, skipped: 2 }])).toBe("6 passed, 0 failed, 2 skipped");
});
