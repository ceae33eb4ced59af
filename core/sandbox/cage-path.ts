/**
 * Paths that only programs in the cage see. A file tool cannot reach them, and its refusal says what to do instead. `/tmp`
 * is not one: document 003 reads `/tmp/test.txt`, which is `tmp/test.txt` in the sandbox.
 */
import { getOwn } from "../base/own-field.ts";

const REASONS: Readonly<Record<string, (rest: string) => string>> = {
  work: (rest) => `programs see the sandbox at /work: write ${rest === "" ? "." : rest}`,
  skill: () => "only programs see /skill: read a file of a skill with load_skill",
};
/** The most characters of a path that a reason repeats. */
const MAX_REPEATED = 200;

/** Why a path of the cage, in any spelling, cannot work outside of a program; null for any other path. */
export function explainCagePath(path: string): string | null {
  if (!path.startsWith("/")) return null;
  const [top = "", ...rest] = path.split("/").filter((one) => one !== "" && one !== ".");
  return getOwn(REASONS, top)?.(rest.join("/").slice(0, MAX_REPEATED)) ?? null;
}
