/** Where files stand, what folders are called, how long a file may be. */
import { isCode, type SourceFile, type Violation } from "./source-tree.ts";

const MAX_LINES = 400;
const MAX_OBJECT_LINES = 300;

/** The folders at the top of the repository, as docs/architecture.md lists them. */
const TOP_FOLDERS: ReadonlySet<string> = new Set([
  ".ci",
  ".github",
  "adapters",
  "bench",
  "core",
  "docs",
  "durable-objects",
  "migrations",
  "scripts",
  "sidecar",
  "skills",
  "test",
  "tools",
  "web",
  "workers",
]);

/** Names that say nothing about what is inside. */
const EMPTY_NAMES = new Set(["utils", "util", "helpers", "helper", "common", "misc", "manager"]);

/** Files that are too long to be read as one thing. */
export function lengthViolations(files: readonly SourceFile[]): Violation[] {
  const violations: Violation[] = [];
  for (const { path, text } of files) {
    if (!isCode(path) && !/\.(sql|css)$/.test(path)) continue;
    const lines = text.replace(/\n$/, "").split("\n").length;
    const ceiling = path.startsWith("durable-objects/") ? MAX_OBJECT_LINES : MAX_LINES;
    if (lines > ceiling) violations.push({ path, message: `has ${lines} lines; the ceiling is ${ceiling}` });
  }
  return violations;
}

/** Folders outside the documented list, folders and files with an empty name, file names that are not kebab-case. */
export function nameViolations(files: readonly SourceFile[]): Violation[] {
  const violations: Violation[] = [];
  for (const { path } of files) {
    const parts = path.split("/");
    const top = parts[0] ?? "";
    if (parts.length > 1 && !TOP_FOLDERS.has(top)) {
      violations.push({ path, message: `${top}/ is not a folder of docs/architecture.md` });
    }
    const file = parts.at(-1) ?? "";
    const stem = file.split(".")[0] ?? "";
    const empty = [...parts.slice(0, -1), stem].find((name) => EMPTY_NAMES.has(name) || name.endsWith("-manager"));
    if (empty) violations.push({ path, message: `${empty} says nothing; name it by what it is or answers` });
    if (isCode(path) && !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)+$/.test(file)) {
      violations.push({ path, message: "file names are kebab-case" });
    }
  }
  return violations;
}

/** Test files that no suite runs. `suites` are the names that `npm test` knows. */
export function orphanTests(files: readonly SourceFile[], suites: readonly string[]): Violation[] {
  return files
    .filter(({ path }) => /\.test\.tsx?$/.test(path))
    .filter(({ path }) => !suites.some((suite) => path.startsWith(`test/${suite}/`)))
    .map(({ path }) => ({ path, message: "no suite of `npm test` runs it: put it below test/<suite>/" }));
}
