/**
 * The files of git repositories (`.git`). By default no file tool reads or writes them, but programs get them and store
 * them again: without them a repository would end with the command that made it.
 */
import type { SandboxRules } from "./rules.ts";

/** The denied patterns that name repositories and nothing else. */
const REPOSITORY_PATTERNS: ReadonlySet<string> = new Set([".git", ".git/**", "**/.git", "**/.git/**"]);

/** Returns the rules for programs, which may use the repositories that file tools may not. */
export function allowRepositories(rules: SandboxRules): SandboxRules {
  return { ...rules, deniedPatterns: rules.deniedPatterns.filter((pattern) => !REPOSITORY_PATTERNS.has(pattern)) };
}

/** Whether a path is inside a repository's own folder. */
export function isRepositoryPath(path: string): boolean {
  return path.split("/").slice(0, -1).includes(".git");
}
