/** An agent's settings for the sandbox. */

/** The sandbox rules of an agent. Patterns are fnmatch-like globs; see `core/sandbox/path.ts`. */
export interface SandboxRules {
  readonly allowedPaths: readonly string[] | null;
  readonly deniedPatterns: readonly string[];
  /**
   * The patterns for the files that a program gets and changes. Absent: `deniedPatterns`. The defaults let programs have
   * repositories, since otherwise a repository would end with the command that made it; an agent's own patterns apply to both.
   */
  readonly deniedToPrograms?: readonly string[];
  /** Null or `["*"]`: every type of text. */
  readonly extensions: readonly string[] | null;
  readonly allowWrite: boolean;
}

/** Returns the rules for the files that a program gets and changes. A path that a call names is judged by the others. */
export function getProgramRules(rules: SandboxRules): SandboxRules {
  return { ...rules, deniedPatterns: rules.deniedToPrograms ?? rules.deniedPatterns };
}
