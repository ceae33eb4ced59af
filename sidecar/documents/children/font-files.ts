/** Finds the fonts for documents and pictures: installed ones (`sidecar/packages.txt`), and the package of emoji. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDERS = ["/usr/share/fonts", "/usr/local/share/fonts"];

/** Returns the folder of the emoji font, which comes with a package: systems rarely have one that prints. */
export function findEmojiFolder(): string {
  return dirname(
    fileURLToPath(import.meta.resolve("@expo-google-fonts/noto-emoji/400Regular/NotoEmoji_400Regular.ttf")),
  );
}

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
