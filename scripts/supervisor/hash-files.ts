/** Names the state of source files, so that what is made of them is made only when they changed. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";

/** A hash over the files and folders of `sources`, with their names; what is not there counts as empty. Differs by platform. */
export function hashFiles(root: string, sources: readonly string[]): string {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  for (const source of sources) {
    const path = join(root, source);
    if (!existsSync(path)) continue;
    for (const file of listFiles(path))
      hash
        .update(`${relative(root, file)}\n`)
        .update(readFileSync(file))
        .update("\n");
  }
  return hash.digest("hex").slice(0, 32);
}

function listFiles(path: string): string[] {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return [path];
    throw error;
  }
}
