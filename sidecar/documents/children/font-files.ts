/** Finds the installed fonts for documents and pictures (`sidecar/packages.txt`). */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDERS = ["/usr/share/fonts", "/usr/local/share/fonts"];

/** Returns the existing font folders. */
export function findFontFolders(): string[] {
  return FOLDERS.filter((folder) => existsSync(folder));
}

/** Reads the font files with these names, in this order, from anywhere below the folders. */
export function readFonts(names: readonly string[]): Uint8Array[] {
  const paths = findFontFolders().flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  return names.flatMap((name) => {
    const path = paths.find((one) => one.endsWith(`/${name}`));
    return path === undefined ? [] : [readFileSync(path)];
  });
}
