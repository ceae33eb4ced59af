/** Reads what test runners report: the JSON of vitest, of pytest (see `runner-scripts.ts`) and of Go, and the text of the others. */
import { z } from "zod";
import type { RunnerName } from "./find-runner.ts";
import { parseJson } from "../../core/base/parse-json.ts";

export interface FailedTest {
  readonly name: string;
  readonly message: string;
  readonly file?: string;
}

const MAX_LINE_CHARACTERS = 1_000;
const MAX_UNREAD_LINES = 100;

/** What a runner reported. */
export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly FailedTest[];
}

/** Null when the text is no report of this runner. */
export function readReport(runner: RunnerName, text: string): TestReport | null {
  switch (runner) {
    case "vitest":
      return readVitest(parseJson(text));
    case "pytest":
      return readCases(parseJson(text));
    case "go":
      return readGo(text);
    case "cargo":
      return readCargo(withoutColours(text));
    case "mix":
      return readMix(withoutColours(text));
    case "npm":
    case "node":
      return readCases(parseJson(text)) ?? readNpm(withoutColours(text));
  }
}

const vitestSchema = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int().default(0),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(""),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
});

/** A file that could not be loaded counts as a test that failed. */
function readVitest(given: unknown): TestReport | null {
  const parsed = vitestSchema.safeParse(given);
  if (!parsed.success) return null;
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = parsed.data;
  const unloaded = testResults
    .filter(({ status, assertionResults }) => status === "failed" && !assertionResults.some(isFailed))
    .map(({ name, message }) => ({ name, message, file: name }));
  const failures = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(isFailed).map(({ fullName, failureMessages }) => ({
      name: fullName,
      message: (failureMessages ?? []).join("\n"),
      file: name,
    })),
  );
  return {
    passed: numPassedTests,
    failed: numFailedTests + unloaded.length,
    skipped: numPendingTests + numTodoTests,
    failures: [...failures, ...unloaded],
  };
}

function isFailed({ status }: { readonly status: string }): boolean {
  return status === "failed";
}

const casesSchema = z.object({
  cases: z.array(
    z.object({
      name: z.string(),
      file: z.string().nullish(),
      status: z.enum(["passed", "failed", "skipped"]),
      message: z.string(),
    }),
  ),
});

function readCases(given: unknown): TestReport | null {
  const parsed = casesSchema.safeParse(given);
  if (!parsed.success) return null;
  const { cases } = parsed.data;
  const count = (wanted: string) => cases.filter(({ status }) => status === wanted).length;
  const failures = cases
    .filter(({ status }) => status === "failed")
    .map(({ name, message, file }) => ({ name, message, ...(file == null ? {} : { file }) }));
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped"), failures };
}

const goEventSchema = z.object({
  Action: z.string(),
  Package: z.string().default(""),
  Test: z.string().optional(),
  Output: z.string().optional(),
});

/** One event a line. A test with subtests counts by them; a package that does not build counts as one that failed. */
function readGo(text: string): TestReport | null {
  const events = eventsIn(text);
  if (events.length === 0) return null;
  const endings = new Map<string, string>();
  const output = new Map<string, string>();
  for (const { Action: action, Package: group, Test: test, Output: said } of events) {
    const name = test === undefined ? group : `${group} ${test}`;
    if (action === "output" || action === "build-output") output.set(name, (output.get(name) ?? "") + (said ?? ""));
    else if (["pass", "fail", "skip"].includes(action)) endings.set(name, action);
  }
  const names = [...endings.keys()];
  const parents = new Set(names.flatMap(parentsOfTest));
  const tests = names.filter((name) => name.includes(" ") && !parents.has(name));
  const unbuilt = names.filter((name) => !name.includes(" ") && endings.get(name) === "fail" && !parents.has(name));
  const count = (wanted: string) => tests.filter((name) => endings.get(name) === wanted).length;
  const failedNames = [...tests.filter((name) => endings.get(name) === "fail"), ...unbuilt];
  return {
    passed: count("pass"),
    failed: failedNames.length,
    skipped: count("skip"),
    failures: failedNames.map((name) => ({ name, message: (output.get(name) ?? "").trim() })),
  };
}

/** Lines that are no events are passed over, up to as many as any honest report has. */
function eventsIn(text: string): z.infer<typeof goEventSchema>[] {
  const events: z.infer<typeof goEventSchema>[] = [];
  let unread = 0;
  for (const line of text.split("\n")) {
    if (!line.startsWith("{")) continue;
    const event = goEventSchema.safeParse(parseJson(line));
    if (event.success) events.push(event.data);
    else if ((unread += 1) > MAX_UNREAD_LINES) break;
  }
  return events;
}

/** Of `package Test/inner`: the package, and the tests that it is part of. */
function parentsOfTest(name: string): string[] {
  const [group = "", test] = name.split(" ");
  if (test === undefined) return [];
  const parts = test.split("/");
  return [group, ...parts.slice(1).map((_, index) => `${group} ${parts.slice(0, index + 1).join("/")}`)];
}

/** `test result: ok. 3 passed; 1 failed; 2 ignored; …`, once for each binary of tests. */
function readCargo(text: string): TestReport | null {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const said = new Map<string, string[]>();
  let [results, teller]: [number, string[] | null] = [0, null];
  for (const line of linesOf(text)) {
    const [, name] = /^---- (.+) stdout ----$/.exec(line) ?? [];
    const result = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/.exec(line);
    const [, failedName] = /^test (.+) \.\.\. FAILED$/.exec(line) ?? [];
    if (failedName !== undefined) said.set(failedName, said.get(failedName) ?? []);
    if (name !== undefined) teller = said.get(name) ?? null;
    else if (line === "failures:" || result !== null) teller = null;
    else teller?.push(line);
    if (result === null) continue;
    results += 1;
    total.passed += Number(result[1]);
    total.failed += Number(result[2]);
    total.skipped += Number(result[3]);
  }
  const failures = Array.from(said, ([name, lines]) => ({ name, message: lines.join("\n").trim() }));
  return results === 0 ? null : { ...total, failures };
}

/** ExUnit: `12 tests, 1 failure, 2 skipped`; each failure under `  1) test name (Module)`, with its file below. */
function readMix(text: string): TestReport | null {
  let counts: RegExpExecArray | null = null;
  const failures: { name: string; file: string; lines: string[] }[] = [];
  let present: { name: string; file: string; lines: string[] } | null = null;
  for (const line of linesOf(text)) {
    counts = /^(?:\d+ doctests?, )?(?:\d+ propert(?:y|ies), )?(\d+) tests?, (\d+) failures?(.*)$/.exec(line) ?? counts;
    const [, name] = /^ {2}\d+\) (.+)$/.exec(line) ?? [];
    if (name !== undefined) {
      present = { name, file: "", lines: [] };
      failures.push(present);
    } else if (line === "") present = null;
    else if (present?.file === "") present.file = line.trim().replace(/:\d+$/, "");
    else present?.lines.push(line);
  }
  if (counts === null) return null;
  const [all, failed] = [Number(counts[1]), Number(counts[2])];
  const skipped = numbersBefore(counts[3] ?? "", ["skipped", "excluded", "invalid"]);
  return {
    passed: all - failed - skipped,
    failed,
    skipped,
    failures: failures.map(({ name, file, lines }) => ({ name, file, message: lines.join("\n").trim() })),
  };
}

/** What node's own runner, jest and vitest, and mocha call what passed, failed and was left out. */
const NPM_SUMMARIES = [
  {
    line: /^(?:#|ℹ) (pass|fail|skipped|todo|cancelled) (\d+)$/,
    words: [["pass"], ["fail", "cancelled"], ["skipped", "todo"]],
  },
  { line: /^ *Tests:? +\d/, words: [["passed"], ["failed"], ["skipped", "todo", "pending"]] },
  { line: /^ +\d+ (?:passing|failing|pending)\b/, words: [["passing"], ["failing"], ["pending"]] },
] as const;

/** By the lines that sum up what `npm test` started. */
function readNpm(text: string): TestReport | null {
  const lines = linesOf(text);
  for (const { line: form, words } of NPM_SUMMARIES) {
    const summary = lines
      .filter((line) => form.test(line))
      .map((line) => line.replace(/^(?:#|ℹ) (\w+) (\d+)$/, "$2 $1"));
    if (summary.length === 0) continue;
    const [passed = 0, failed = 0, skipped = 0] = words.map((some) => numbersBefore(summary.join(" "), some));
    return { passed, failed, skipped, failures: [] };
  }
  return null;
}

/** The sum of the numbers that stand before one of these words. */
function numbersBefore(text: string, words: readonly string[]): number {
  return [...text.matchAll(/\b(\d{1,9}) ([a-z]+)/g)]
    .filter(([, , word = ""]) => words.includes(word))
    .reduce((sum, [, count]) => sum + Number(count), 0);
}

/** A report is what tests made it: no expression is let loose on more than the beginning of one line. */
function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.slice(0, MAX_LINE_CHARACTERS));
}

function withoutColours(text: string): string {
  return text.replaceAll(/\p{Cc}\[[0-9;]*m/gu, "");
}
