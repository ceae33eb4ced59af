/** How large an upload is. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** The files, each by itself, in KiB of gzip. */
export function gzipKib(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0) / 1024;
}
