/**
 * Writes `tools/catalogue.generated.ts`, the list of every tool, from the files in `tools/`.
 * With `--check` it writes nothing and fails when the file is stale.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { declarationOf, readToolFiles, type ToolFile } from "./tool-files.ts";

const CATALOGUE_PATH = "tools/catalogue.generated.ts";

/** The catalogue's source for these files, sorted by tool name. Throws when a tool cannot be read or two share a name. */
export function renderCatalogue(files: readonly ToolFile[]): string {
  const tools: { name: string; local: string; specifier: string }[] = [];
  for (const file of files) {
    const declared = declarationOf(file);
    if (declared.kind === "helper") continue;
    if (declared.kind === "unreadable") throw new Error(`${file.path}: ${declared.reason}`);
    tools.push({
      name: declared.name,
      local: localName(file.path),
      specifier: file.path.replace(/^tools\//, "./"),
    });
  }
  tools.sort((a, b) => (a.name < b.name ? -1 : 1));
  tools.forEach((tool, index) => {
    const next = tools[index + 1];
    if (next?.name === tool.name) throw new Error(`${next.specifier}: the name ${tool.name} is used twice`);
  });
  return [
    "/** Every tool of Otto, by name. Written by `npm run catalogue` from the files in tools/; not edited by hand. */",
    'import type { Tool } from "../core/tool/tool.ts";',
    ...tools.map((tool) => `import ${tool.local} from "${tool.specifier}";`),
    "",
    tools.length === 0
      ? "export const catalogue: readonly Tool[] = [];"
      : `export const catalogue: readonly Tool[] = [\n${tools.map((tool) => `  ${tool.local},\n`).join("")}];`,
    "",
  ].join("\n");
}

/** `tools/files/read-file.ts` → `filesReadFile`: the family keeps two tools of one file name apart. */
function localName(path: string): string {
  const words = path
    .replace(/^tools\//, "")
    .replace(/\.ts$/, "")
    .split(/[/-]/);
  return words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("");
}

function committedCatalogue(root: string): string | null {
  try {
    return readFileSync(join(root, CATALOGUE_PATH), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** Whether the committed catalogue is what the files in `tools/` make. */
function catalogueIsFresh(root: string): boolean {
  return committedCatalogue(root) === renderCatalogue(readToolFiles(root));
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  if (process.argv.includes("--check")) {
    if (!catalogueIsFresh(root)) {
      console.error(`${CATALOGUE_PATH} is stale: run \`npm run catalogue\`.`);
      process.exitCode = 1;
    }
  } else {
    writeFileSync(join(root, CATALOGUE_PATH), renderCatalogue(readToolFiles(root)));
    console.log(`Wrote ${CATALOGUE_PATH}.`);
  }
}
