/** Lists the files of a folder that an index may have. Runs in the cage. */
import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { MAX_BYTES, MAX_FILE_BYTES, MAX_FILES } from "../../core/codebases/limits.ts";
import type { SkipReason } from "../../core/codebases/indexed-file.ts";
import { isSecretName } from "../../core/codebases/secret-files.ts";
import { judgePath } from "../../core/sandbox/path.ts";
import type { SandboxRules } from "../../core/sandbox/rules.ts";
import type { ReadRefusal } from "./places.ts";

const MAX_LIST_BYTES = 64 * 1024 ** 2;
const LIST_MS = 60_000;
const GIT_ENV = { PATH: "/usr/bin:/bin", HOME: "/tmp", GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };

/** A canonical path and its size. */
export interface ListedFile {
  readonly path: string;
  readonly size: number;
}

export type Skipped = Record<SkipReason, number>;

export class Refused extends Error {
  readonly refusal: ReadRefusal;

  constructor(code: ReadRefusal["code"], message: string) {
    super(message);
    this.name = "Refused";
    this.refusal = { code, message };
  }
}

export function noneSkipped(): Skipped {
  return { binary: 0, too_large: 0, ignored: 0, denied: 0, secret: 0, link: 0 };
}

/** Why a path is not read by its name alone; null if it may be. */
export function judgeName(path: string, rules: SandboxRules): SkipReason | null {
  const judged = judgePath(path, rules, "read");
  if (!judged.ok || judged.value !== path || path.split("/").includes(".git")) return "denied";
  return isSecretName(path) ? "secret" : null;
}

/** Reads every file unless `denied` matches it. */
export function toRules(denied: readonly string[]): SandboxRules {
  return { allowedPaths: null, deniedPatterns: denied, extensions: null, allowWrite: false };
}

/** The files below `folder` that are read, by path, and counts of those that are not. Throws `Refused`. */
export function listFiles(folder: string, rules: SandboxRules, skipped: Skipped): readonly ListedFile[] {
  const paths = walk(folder, skipped);
  const ignored = findIgnored(folder);
  const listed: ListedFile[] = [];
  let bytes = 0;
  for (const path of paths.toSorted()) {
    const reason = ignored.has(path) ? "ignored" : judgeName(path, rules);
    const { size } = lstatSync(join(folder, path));
    const skip = reason ?? (size > MAX_FILE_BYTES ? "too_large" : null);
    if (skip !== null) {
      skipped[skip] += 1;
      continue;
    }
    listed.push({ path, size });
    bytes += size;
  }
  if (listed.length > MAX_FILES) throw tooManyFiles(listed.length);
  if (bytes > MAX_BYTES) throw tooManyBytes();
  return listed;
}

export function tooManyFiles(count: number): Refused {
  return new Refused(
    "too_large",
    `The codebase has ${count} files to index, and ${MAX_FILES} are the most. Leave folders out with .gitignore, or index a part of it.`,
  );
}

export function tooManyBytes(): Refused {
  return new Refused(
    "too_large",
    `The files of the codebase have more than ${MAX_BYTES / 1024 ** 2} MB. Leave folders out with .gitignore, or index a part of it.`,
  );
}

/** The regular files below a folder. Follows no link. */
function walk(folder: string, skipped: Skipped): string[] {
  const found: string[] = [];
  const folders = [""];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.name === ".git") continue;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) found.push(path);
      else skipped.link += 1;
    }
  }
  return found;
}

/** The paths that its `.gitignore` files leave out, also of files that are committed. Makes the folder a repository unless it is one. */
function findIgnored(folder: string): ReadonlySet<string> {
  git(folder, ["init", "--quiet"]);
  const others = git(folder, ["ls-files", "-z", "--others", "--ignored", "--exclude-standard"]);
  const committed = git(folder, ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"]);
  return new Set([...others, ...committed]);
}

function git(folder: string, args: readonly string[]): readonly string[] {
  const ran = spawnSync("git", ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", ...args], {
    cwd: folder,
    env: GIT_ENV,
    maxBuffer: MAX_LIST_BYTES,
    timeout: LIST_MS,
  });
  if (ran.status !== 0)
    throw new Error(`git ${args[0] ?? ""} failed: ${ran.stderr?.toString().slice(0, 500) ?? "no reason"}`);
  return ran.stdout
    .toString("utf8")
    .split("\0")
    .filter((path) => path !== "");
}
