/** Which files two versions do not share. */

interface VersionFile {
  readonly path: string;
  /** Equal for equal bytes. */
  readonly hash: string;
}

export interface ChangedFile {
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
}

/** SKILL.md first, the others by their path. */
export function changedFiles(before: readonly VersionFile[], after: readonly VersionFile[]): readonly ChangedFile[] {
  const [old, now] = [hashes(before), hashes(after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])];
  const changed = paths.flatMap((path): ChangedFile[] => {
    if (old.get(path) === now.get(path)) return [];
    return [{ path, kind: !old.has(path) ? "added" : !now.has(path) ? "removed" : "changed" }];
  });
  return changed.sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
}

function rank({ path }: ChangedFile): number {
  return path === "SKILL.md" ? 0 : 1;
}

function hashes(files: readonly VersionFile[]): ReadonlyMap<string, string> {
  return new Map(files.map(({ path, hash }) => [path, hash]));
}
