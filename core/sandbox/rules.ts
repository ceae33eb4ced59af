/** What an agent sets for the sandbox. */

/** Rules of the sandbox that an agent sets. Patterns are fnmatch-like globs; see `core/sandbox/path.ts`. */
export interface SandboxRules {
  readonly allowedPaths: readonly string[] | null;
  readonly deniedPatterns: readonly string[];
  /** `["*"]` opens every extension. Null: the agent lists none, and each tool has its own default. */
  readonly extensions: readonly string[] | null;
  readonly allowWrite: boolean;
}

/** What `read_file` and `write_file` take of an agent that lists no extensions (document 000). */
export const DEFAULT_EXTENSIONS = [".txt", ".md", ".json"] as const;
