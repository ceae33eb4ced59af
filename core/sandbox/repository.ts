/** The files of git repositories (`.git`), which a program gets although no file tool reads them by default. */

/** Returns the path of the repository's own folder that a file is in, such as `src/.git`; null outside of one. */
export function findRepository(path: string): string | null {
  const segments = path.split("/");
  const at = segments.indexOf(".git");
  return at < 0 || at === segments.length - 1 ? null : segments.slice(0, at + 1).join("/");
}
