/** Wrangler as a program: what it is asked, what it prints, and what it reports for programs to read. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WRANGLER_ENV } from "../supervisor/wrangler.ts";

export interface WranglerEnd {
  /** Null when it was killed. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What it wrote to WRANGLER_OUTPUT_FILE_PATH, an object a line; `type` says what of. */
  readonly reports: readonly Readonly<Record<string, unknown>>[];
}

/** Runs wrangler with these arguments. Never rejects for a bad exit code. `show` also prints what it prints. */
export type Wrangler = (args: readonly string[], options?: { readonly show?: boolean }) => Promise<WranglerEnd>;

/** What it printed, to be shown below a refusal. */
export function wordsOf({ stdout, stderr }: WranglerEnd): string {
  return `wrangler says:\n${`${stdout}\n${stderr}`.trim()}`;
}

/** The wrangler of a script, run in the folder `root`. The owner's connection string is kept from it. */
export function wranglerAt(script: string, root: string): Wrangler {
  return async (args, { show = false } = {}) => {
    const folder = mkdtempSync(join(tmpdir(), "otto-wrangler-"));
    const reportFile = join(folder, "reports");
    const { DATABASE_URL: _owner, ...env } = process.env;
    try {
      const child = spawn(process.execPath, [script, ...args], {
        cwd: root,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...env, ...WRANGLER_ENV, WRANGLER_OUTPUT_FILE_PATH: reportFile },
      });
      const printed = { stdout: "", stderr: "" };
      for (const stream of ["stdout", "stderr"] as const) {
        child[stream].on("data", (chunk: Buffer) => {
          printed[stream] += chunk.toString();
          if (show) process[stream].write(chunk);
        });
      }
      const exitCode = await new Promise<number | null>((resolve, reject) => {
        child.once("error", reject);
        child.once("close", resolve);
      });
      return { exitCode, ...printed, reports: readReports(reportFile) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}

function readReports(file: string): Record<string, unknown>[] {
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch {
    // It ended before it had anything to report.
  }
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
