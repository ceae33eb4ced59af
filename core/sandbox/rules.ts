/** What an agent sets for the sandbox. */

/** Rules of the sandbox that an agent sets. Patterns are fnmatch-like globs; see `core/sandbox/path.ts`. */
export interface SandboxRules {
  readonly allowedPaths: readonly string[] | null;
  readonly deniedPatterns: readonly string[];
  /** `["*"]` allows every extension. Null: the agent lists none, and each tool has its own default. */
  readonly extensions: readonly string[] | null;
  readonly allowWrite: boolean;
}

/** The extensions that `read_file` and `write_file` accept for an agent that lists none. */
export const DEFAULT_EXTENSIONS = [".txt", ".md", ".json"] as const;
