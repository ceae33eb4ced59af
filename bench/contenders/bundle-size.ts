/** How large an upload is. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** Sum of the files' sizes in KiB, each compressed on its own with gzip. */
export function gzipKib(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0) / 1024;
}
