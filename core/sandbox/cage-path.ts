/**
 * Paths that only programs in the cage see. A file tool cannot reach them, and its refusal says what to do instead. `/tmp`
 * is not one: document 003 reads `/tmp/test.txt`, which is `tmp/test.txt` in the sandbox.
 */

const REASONS: readonly (readonly [top: string, reason: (rest: string) => string])[] = [
  ["/work", (rest) => `programs see the sandbox at /work: write ${rest === "" ? "." : rest}`],
  ["/skill", () => "only programs see /skill: read a file of a skill with load_skill"],
];

/** Why a path of the cage cannot work outside of a program; null for any other path. */
export function explainCagePath(path: string): string | null {
  for (const [top, reason] of REASONS) {
    if (path === top) return reason("");
    if (path.startsWith(`${top}/`)) return reason(path.slice(top.length + 1));
  }
  return null;
}
