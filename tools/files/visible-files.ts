/** The files that an agent may see, by its rules: what a search looks through. */
import type { Result } from "../../core/base/errors.ts";
import type { FileEntry, FilesPort } from "../../core/ports/files.ts";
import { isVisibleFile } from "../../core/sandbox/path.ts";
import { MAX_WALK_PAGE } from "../../core/sandbox/write.ts";
import type { SandboxRules } from "../../core/sandbox/rules.ts";

/** A file and the segments of its path from where the search began. */
export interface VisibleFile {
  readonly entry: FileEntry;
  readonly segments: readonly string[];
}

/**
 * Every file below `top` that the rules admit, in the order of paths, or the one file that `top` names. A failure is the
 * last thing that it yields.
 */
export async function* visibleFiles(
  files: FilesPort,
  top: string,
  rules: SandboxRules,
): AsyncGenerator<Result<VisibleFile>> {
  const prefix = top === "" ? 0 : top.length + 1;
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<FilesPort["walk"]>> = await files.walk(top, after, MAX_WALK_PAGE);
    if (!page.ok) {
      yield page.error.code === "not_found" && top !== "" ? await fileAt(files, top, rules) : page;
      return;
    }
    for (const entry of page.value.files) {
      if (!isVisibleFile(entry.path, rules)) continue;
      yield { ok: true, value: { entry, segments: entry.path.slice(prefix).split("/") } };
    }
    after = page.value.next;
    if (after === null) return;
  }
}

async function fileAt(files: FilesPort, path: string, rules: SandboxRules): Promise<Result<VisibleFile>> {
  const found = await files.stat(path);
  if (found.ok && isVisibleFile(path, rules)) {
    return { ok: true, value: { entry: found.value, segments: path.split("/").slice(-1) } };
  }
  if (!found.ok && found.error.code !== "not_found") return found;
  return { ok: false, error: { code: "not_found", message: `File not found: ${path}` } };
}
