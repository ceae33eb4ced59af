/** Every file of a sandbox below a directory, by path, in pages. */
import { failed, ok, type Result } from "../core/errors.ts";
import type { DirectoryEntry, FilesPort } from "../core/ports.ts";

/** Directories that one listing looks into. */
const MAX_DIRECTORIES = 1000;

/** The files below `top` that follow the path `after`, in the order of their paths. `next` is the `after` of the next page. */
export async function listFiles(
  files: FilesPort,
  top: string,
  after: string | null,
  limit: number,
): Promise<Result<{ readonly files: readonly DirectoryEntry[]; readonly next: string | null }>> {
  const found: DirectoryEntry[] = [];
  const open = [top];
  let looked = 0;
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    looked += 1;
    if (looked > MAX_DIRECTORIES) {
      return failed("too_large", `There are more than ${MAX_DIRECTORIES} directories here. Name one by \`path\`.`, {
        field: "path",
      });
    }
    const listed = await files.list(directory);
    if (!listed.ok) return listed;
    for (const entry of listed.value) {
      if (entry.kind === "directory") open.push(entry.path);
      else found.push(entry);
    }
  }
  const rest = found
    .filter(({ path }) => after === null || path > after)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const page = rest.slice(0, limit);
  return ok({ files: page, next: rest.length > limit ? (page.at(-1)?.path ?? null) : null });
}
