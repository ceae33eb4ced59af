/** An agent's settings for the sandbox. */

/** The sandbox rules of an agent. Patterns are fnmatch-like globs; see `core/sandbox/path.ts`. */
export interface SandboxRules {
  readonly allowedPaths: readonly string[] | null;
  readonly deniedPatterns: readonly string[];
  /** `["*"]` allows every extension. Null: the agent lists none, and each tool has its own default. */
  readonly extensions: readonly string[] | null;
  readonly allowWrite: boolean;
}

/** The default extensions of `read_file` and `write_file` (document 000). */
export const DEFAULT_EXTENSIONS = [".txt", ".md", ".json"] as const;
