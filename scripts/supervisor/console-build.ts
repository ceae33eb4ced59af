/** The console as the Worker serves it: built by Vite into `web/dist`, again only when its sources changed. */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../project-command.ts";
import { CannotRun } from "./cannot-run.ts";
import { hashFiles } from "./hash-files.ts";

/** Where the build is, from the project's root; wrangler.toml names it too. */
export const CONSOLE_FOLDER = "web/dist";

const SOURCES = [
  "web/src",
  "web/public",
  "web/index.html",
  "web/vite.config.ts",
  "web/pdf-data.ts",
  "package-lock.json",
];
/** Next to the build: the hash of its sources, and of its files, so that a damaged build is made again. */
const MARK_FILE = "web/dist.hash";
/** Vite takes the library for developers, half as large again and slower, where this says anything else: a test runner says `test`. */
const BUILD_ENV = { NODE_ENV: "production" };
const BUILD_TIMEOUT_MS = 120_000;

/** Builds the console if its sources changed. Calls `onProgress` when a build begins. */
export async function buildConsole(root: string, onProgress: (message: string) => void): Promise<void> {
  const hash = hashFiles(root, SOURCES);
  const mark = join(root, MARK_FILE);
  const folder = join(root, CONSOLE_FOLDER);
  const isMade = (): boolean =>
    existsSync(folder) && existsSync(mark) && readFileSync(mark, "utf8") === `${hash} ${hashFiles(folder, [""])}`;
  if (isMade()) return;
  onProgress("building the console");
  // In a new folder: the last build is served until this one is complete.
  const made = mkdtempSync(`${folder}-`);
  try {
    const args = ["build", join(root, "web"), "--outDir", made, "--emptyOutDir", "--logLevel", "error"];
    const { exitCode, output } = await runCommand("vite", args, {
      show: false,
      timeoutMs: BUILD_TIMEOUT_MS,
      env: BUILD_ENV,
    });
    if (exitCode !== 0) throw new CannotRun(`the console could not be built:\n${output.trim()}`);
    // Another one that started meanwhile may serve the same build already.
    if (isMade()) return;
    rmSync(mark, { force: true });
    rmSync(folder, { recursive: true, force: true });
    put(made, folder);
    writeFileSync(mark, `${hash} ${hashFiles(folder, [""])}`);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Two starts beside each other build the same: the one that put its build there first is as good. */
function put(made: string, folder: string): void {
  try {
    renameSync(made, folder);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  }
}
