import { z } from "zod";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { FileEntry, FilesPort } from "../../core/ports/files.ts";
import { runCopy, takeCopy } from "../../core/sandbox/working-copy.ts";
import type { ScriptRun } from "../../core/ports/scripts.ts";
import { defineTool, failWith } from "../define-tool.ts";
import { findProject, type Project, RUNNERS } from "./find-runner.ts";
import { type FailedTest, readReport } from "./read-report.ts";
import { NO_RUNNER, runnerArgv } from "./runner-scripts.ts";

const MAX_TIMEOUT_MS = 300_000;
/** For the files to go in and for the run's turn. */
const MARGIN_MS = 60_000;
/** Of a report. */
const MAX_REPORT_BYTES = 4_194_304;
const MAX_FAILURES = 50;
const MAX_MESSAGE_CHARACTERS = 2_000;
const MAX_PACKAGE_BYTES = 1_048_576;
/** The cage's own. */
const RESERVED_NAMES = ["PATH", "HOME", "LANG", "TMPDIR"];

export default defineTool({
  name: "test.run",
  summary:
    "Run the project's tests on a copy of the sandbox, without network: vitest, npm, node, pytest, mix, go or cargo. Says what failed.",
  toolbox: "tests",
  category: "developer",
  permissions: ["exec"],
  security: "dangerous",
  effect: "none",
  needs: ["files", "scripts"],
  refersTo: { path: "directory" },
  copies: () => ({ cwd: "", only: null }),
  timeoutMs: ({ timeout_ms }) => timeout_ms + MARGIN_MS,
  input: z.object({
    path: z
      .string()
      .max(1_024)
      .regex(/^(?!-)\P{Cc}*$/u, "must not begin with - or hold control characters")
      .optional()
      .describe("A test file, directory or pattern, as the runner takes it; without it, all tests"),
    timeout_ms: z.int().min(1).max(MAX_TIMEOUT_MS).default(60_000),
    env: z
      .record(
        z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/),
        z
          .string()
          .max(10_000)
          .refine((value) => !value.includes("\0")),
      )
      .refine((env) => Object.keys(env).length <= 100, "has more than 100 variables")
      .refine((env) => !RESERVED_NAMES.some((name) => name in env), `must not set ${RESERVED_NAMES.join(", ")}`)
      .optional()
      .describe("Environment variables"),
  }),
  output: z.object({
    runner: z.enum(RUNNERS),
    directory: z.string().describe("Where the project is; empty at the top"),
    passed: z.int(),
    failed: z.int(),
    skipped: z.int(),
    duration_ms: z.number(),
    failures: z.array(z.object({ name: z.string(), message: z.string(), file: z.string().optional() })),
    exit_code: z.int().describe("-1 when a signal ended the runner"),
    note: z.string().nullable().describe("What the numbers alone do not say"),
  }),
  async run({ path: given, timeout_ms, env }, context) {
    // The topmost directory means all tests.
    const path = given === "" ? undefined : given;
    const copy = await takeCopy({ cwd: "", only: null }, context);
    if (!copy.ok) return failWith(copy.error);
    const { entries } = copy.value;
    const readText = async (wanted: string) => await textOf(context.files, entries.get(wanted));
    const project = await findProject([...entries.keys()], path ?? null, readText);
    if (!project.ok) return failWith(project.error);
    const { runner, directory } = project.value;
    const request = {
      argv: runnerArgv(runner, path === undefined ? null : insideProject(path, directory)),
      env: { CI: "1", NO_COLOR: "1", ...env },
      timeoutMs: timeout_ms,
      maxOutputBytes: MAX_REPORT_BYTES,
      network: null,
      skill: [],
      cwd: directory,
      only: null,
      savesChanges: false,
    };
    const ran = await runCopy({ ...copy.value, cwd: directory }, request, context);
    if (!ran.ok) return failWith(ran.error);
    const result = resultOf(project.value, ran.value.run, timeout_ms);
    if (!result.ok) return failWith(result.error);
    const failures = result.value.failures.map((one) => namingFile(one, directory, [...entries.keys()]));
    return { ...result.value, failures };
  },
  show({ runner, passed, failed: failedTests, skipped, failures, note }) {
    const rows = failures.map(
      ({ name, message, file }) => `- ${name}${file === undefined ? "" : ` (${file})`}\n${message}`,
    );
    const counts = `${runner}: ${passed} passed, ${failedTests} failed, ${skipped} skipped`;
    return { head: note === null ? counts : `${counts}\n${note}`, rows };
  },
  examples: [{ note: "the tests of one file", given: { path: "src/main.test.ts", timeout_ms: 30_000 } }],
});

interface TestResult extends Project {
  passed: number;
  failed: number;
  skipped: number;
  duration_ms: number;
  failures: FailedTest[];
  exit_code: number;
  note: string | null;
}

function resultOf({ runner, directory }: Project, run: ScriptRun, timeoutMs: number): Result<TestResult> {
  if (run.timedOut) return failed("timeout", `The tests did not end within ${timeoutMs} ms.`);
  if (run.exitCode === 127 && run.stdout.trim() === NO_RUNNER) {
    return failed("not_available", `${runner} is not installed in the container, and the project does not bring it.`);
  }
  const report = readReport(runner, run.stdout);
  const said = lastOf(run.stderr.trim() === "" ? run.stdout : run.stderr);
  const isGood = run.exitCode === 0;
  const whole = report ?? { passed: 0, failed: isGood ? 0 : 1, skipped: 0, failures: [] };
  const failures = whole.failed > 0 && whole.failures.length === 0 ? [{ name: runner, message: said }] : whole.failures;
  return ok({
    runner,
    directory,
    passed: whole.passed,
    failed: whole.failed,
    skipped: whole.skipped,
    duration_ms: run.durationMs,
    failures: failures
      .slice(0, MAX_FAILURES)
      .map((one) => ({ ...one, message: one.message.slice(0, MAX_MESSAGE_CHARACTERS) })),
    exit_code: run.exitCode ?? -1,
    note: noteOf(report !== null, whole.failed, run, said),
  });
}

function noteOf(isRead: boolean, failedTests: number, { exitCode, signal }: ScriptRun, said: string): string | null {
  if (!isRead && exitCode === 0) return "The runner ended well and did not say how many tests ran.";
  if (!isRead) return "The runner ended before it reported. Its last words stand as the failure.";
  if (exitCode === 0 || failedTests > 0) return null;
  const ending = exitCode === null ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${exitCode}`;
  return `No test failed, and the runner ${ending}: ${said}`;
}

/** The file of a failure as the sandbox knows it; runners tell it from their own folder, or from the top of the cage. */
function namingFile({ file, ...failure }: FailedTest, directory: string, paths: readonly string[]): FailedTest {
  if (file === undefined) return failure;
  const inProject = directory === "" ? file : `${directory}/${file}`;
  const path = paths.find((one) => one === inProject) ?? paths.find((one) => file.endsWith(`/${one}`));
  return { ...failure, file: path ?? file };
}

/** The end of a text, where runners say what went wrong. */
function lastOf(text: string): string {
  return text.trim().slice(-MAX_MESSAGE_CHARACTERS);
}

/** A path of the sandbox as the project's own. */
function insideProject(path: string, directory: string): string {
  return directory !== "" && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}

async function textOf(files: FilesPort, entry: FileEntry | undefined): Promise<string | null> {
  if (entry === undefined || entry.size > MAX_PACKAGE_BYTES) return null;
  const read = await files.readEntry(entry);
  return read.ok ? new TextDecoder().decode(read.value) : null;
}
