/** The fonts of the machine that documents and pictures are set with: those of `sidecar/packages.txt`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDERS = ["/usr/share/fonts", "/usr/local/share/fonts"];

/** Those that are there. */
export function fontFolders(): string[] {
  return FOLDERS.filter((folder) => existsSync(folder));
}

/** The bytes of the font files that have these names, in this order, wherever below the folders they stand. */
export function readFonts(names: readonly string[]): Uint8Array[] {
  const paths = fontFolders().flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  return names.flatMap((name) => {
    const path = paths.find((one) => one.endsWith(`/${name}`));
    return path === undefined ? [] : [readFileSync(path)];
  });
}
