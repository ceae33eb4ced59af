/** Paths that only programs in the cage see. A file tool cannot reach them, and its refusal says what to do instead. */

const REASONS: readonly (readonly [top: string, reason: (rest: string) => string])[] = [
  ["/work", (rest) => `programs see the sandbox at /work: write ${rest === "" ? "." : rest}`],
  ["/skill", () => "only programs see /skill: read a file of a skill with load_skill"],
  ["/tmp", () => "/tmp is a program's own and ends with it: use a path in the sandbox"],
];

/** Why a path of the cage cannot work outside of a program; null for any other path. */
export function explainCagePath(path: string): string | null {
  for (const [top, reason] of REASONS) {
    if (path === top) return reason("");
    if (path.startsWith(`${top}/`)) return reason(path.slice(top.length + 1));
  }
  return null;
}
