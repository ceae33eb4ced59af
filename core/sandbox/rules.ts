/** An agent's settings for the sandbox. */

/** The sandbox rules of an agent. Patterns are fnmatch-like globs; see `core/sandbox/path.ts`. */
export interface SandboxRules {
  readonly allowedPaths: readonly string[] | null;
  readonly deniedPatterns: readonly string[];
  /** Null or `["*"]`: every type of text. */
  readonly extensions: readonly string[] | null;
  readonly allowWrite: boolean;
}
