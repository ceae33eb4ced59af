import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A file of the repository. `path` is from its root, with `/`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A broken rule: where, and what to do about it. */
export interface Violation {
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}

const TEXT =
  /\.(ts|tsx|mts|js|mjs|json|jsonc|toml|md|sql|css|html|sh|yaml|yml|txt)$|(^|\/)(Dockerfile|run|LICENSE|\.[a-z]+)$/;

/** Whether a folder, by its path from the root, is kept out of the repository: git's own, and those of .gitignore's lines that end in `/`. */
export function ignoredFolders(gitignore: string): (path: string) => boolean {
  const patterns = gitignore
    .split("\n")
    .filter((line) => /^[^#!].*\/$/.test(line))
    .map((line) => {
      const name = line.slice(0, -1);
      const pattern = name.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*");
      return new RegExp(name.includes("/") ? `^${pattern}$` : `(^|/)${pattern}$`);
    });
  return (path) => path === ".git" || patterns.some((pattern) => pattern.test(path));
}

/** Every text file of the repository below `root`, whether or not git knows it yet. */
export function readTree(root: string): SourceFile[] {
  const isIgnored = ignoredFolders(readFileSync(join(root, ".gitignore"), "utf8"));
  const files: SourceFile[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !isIgnored(path)) visit(path);
      else if (entry.isFile() && TEXT.test(path)) files.push({ path, text: readFileSync(join(root, path), "utf8") });
    }
  };
  visit("");
  return files;
}

/** Hand-written TypeScript and JavaScript; what is generated answers to its generator. */
export function isCode(path: string): boolean {
  return /\.(ts|tsx|mts|js|mjs)$/.test(path) && !path.endsWith(".generated.ts");
}

/** The line, counted from 1, that holds the offset. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** One line per violation, for a failed test's message. */
export function show(violations: readonly Violation[]): string[] {
  return violations.map(({ path, line, message }) => `${path}${line === undefined ? "" : `:${line}`}: ${message}`);
}
