/** Reads what test runners report: the JSON of vitest, of pytest (see `runner-scripts.ts`) and of Go, and the text of the others. */
import { z } from "zod";
import type { RunnerName } from "./find-runner.ts";

export interface FailedTest {
  readonly name: string;
  readonly message: string;
  readonly file?: string;
}

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
      return readNpm(withoutColours(text));
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
    .map(({ name, message }) => ({ name: shortPath(name), message, file: shortPath(name) }));
  const failures = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(isFailed).map(({ fullName, failureMessages }) => ({
      name: fullName,
      message: (failureMessages ?? []).join("\n"),
      file: shortPath(name),
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

/** A path as the sandbox has it: the work folder of the cage is before it. */
function shortPath(path: string): string {
  return path.replace(/^\/work\//, "");
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
  const events = text.split("\n").flatMap((line) => goEventSchema.safeParse(parseJson(line)).data ?? []);
  if (events.length === 0) return null;
  const endings = new Map<string, string>();
  const output = new Map<string, string>();
  for (const { Action: action, Package: group, Test: test, Output: said } of events) {
    const name = test === undefined ? group : `${group} ${test}`;
    if (action === "output" || action === "build-output") output.set(name, (output.get(name) ?? "") + (said ?? ""));
    else if (["pass", "fail", "skip"].includes(action)) endings.set(name, action);
  }
  const names = [...endings.keys()];
  const hasInner = (name: string) =>
    names.some((other) => other.startsWith(name.includes(" ") ? `${name}/` : `${name} `));
  const tests = names.filter((name) => name.includes(" ") && !hasInner(name));
  const unbuilt = names.filter((name) => !name.includes(" ") && endings.get(name) === "fail" && !hasInner(name));
  const count = (wanted: string) => tests.filter((name) => endings.get(name) === wanted).length;
  const failedNames = [...tests.filter((name) => endings.get(name) === "fail"), ...unbuilt];
  return {
    passed: count("pass"),
    failed: failedNames.length,
    skipped: count("skip"),
    failures: failedNames.map((name) => ({ name, message: (output.get(name) ?? "").trim() })),
  };
}

/** `test result: ok. 3 passed; 1 failed; 2 ignored; …`, once for each binary of tests. */
function readCargo(text: string): TestReport | null {
  const results = [...text.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm)];
  if (results.length === 0) return null;
  const total = (group: number) => results.reduce((sum, result) => sum + Number(result[group]), 0);
  const said = new Map(
    [...text.matchAll(/^---- (.+) stdout ----\n([\s\S]*?)(?=\n\n(?:----|failures:)|$)/gm)].map(pair),
  );
  const failures = [...text.matchAll(/^test (.+) \.\.\. FAILED$/gm)].map(([, name = ""]) => ({
    name,
    message: (said.get(name) ?? "").trim(),
  }));
  return { passed: total(1), failed: total(2), skipped: total(3), failures };
}

/** ExUnit: `12 tests, 1 failure, 2 skipped`; each failure under `  1) test name (Module)`, with its file below. */
function readMix(text: string): TestReport | null {
  const counted = /^(?:\d+ doctests?, )?(?:\d+ propert(?:y|ies), )?(\d+) tests?, (\d+) failures?(.*)$/m.exec(text);
  if (counted === null) return null;
  const [, all, failed, rest = ""] = counted;
  const skipped = [...rest.matchAll(/(\d+) (?:skipped|excluded|invalid)/g)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
  const failures = [...text.matchAll(/^ {2}\d+\) (.+)\n {5}(\S+?):\d+\n([\s\S]*?)(?=\n\n|$)/gm)].map(
    ([, name = "", file = "", message = ""]) => ({ name, message: message.trim(), file }),
  );
  return { passed: Number(all) - Number(failed) - skipped, failed: Number(failed), skipped, failures };
}

/** By the last lines of what `npm test` started: node's own runner, jest and vitest, mocha. */
function readNpm(text: string): TestReport | null {
  const lines = new Map([...text.matchAll(/^(?:#|ℹ) (pass|fail|skipped|todo|cancelled) (\d+)$/gm)].map(pair));
  const summary = /^\s*Tests:?\s+(\d+ [a-z]+(?:[,| ]+\d+ [a-z]+)*)/m.exec(text)?.[1];
  const counts = new Map(
    [...(summary ?? "").matchAll(/(\d+) ([a-z]+)/g)].map(([, count = "0", word = ""]) => [word, count]),
  );
  const mocha = new Map(
    [...text.matchAll(/^\s+(\d+) (passing|failing|pending)\b/gm)].map(([, count = "0", word = ""]) => [word, count]),
  );
  const [from, words] = lines.has("pass")
    ? [lines, ["pass", "fail", "skipped"]]
    : counts.size > 0
      ? [counts, ["passed", "failed", "skipped"]]
      : [mocha, ["passing", "failing", "pending"]];
  if (from.size === 0) return null;
  const [passed, failed, skipped] = words.map((word) => Number(from.get(word) ?? 0));
  const alsoSkipped = Number(lines.get("todo") ?? 0) + Number(counts.get("todo") ?? 0);
  return {
    passed: passed ?? 0,
    failed: (failed ?? 0) + Number(lines.get("cancelled") ?? 0),
    skipped: (skipped ?? 0) + alsoSkipped,
    failures: [],
  };
}

function pair([, key = "", value = ""]: RegExpExecArray): [string, string] {
  return [key, value];
}

function withoutColours(text: string): string {
  return text.replaceAll(/\p{Cc}\[[0-9;]*m/gu, "");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
