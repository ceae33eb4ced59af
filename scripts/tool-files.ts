/** Reads the tools' sources without running them: which files declare a tool, and under which name. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

export interface ToolFile {
  /** Path from the project's root, with `/`, e.g. `tools/files/read-file.ts`. */
  readonly path: string;
  readonly source: string;
}

/** What a file of a tool family declares; `helper` is a named helper of the family, without a default export. */
export type Declaration =
  | { readonly kind: "tool"; readonly name: string }
  | { readonly kind: "helper" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Every `tools/<family>/<file>.ts` below `root`, sorted by path. */
export function readToolFiles(root: string): ToolFile[] {
  const files: ToolFile[] = [];
  for (const family of readdirSync(join(root, "tools"), { withFileTypes: true })) {
    if (!family.isDirectory()) continue;
    for (const name of readdirSync(join(root, "tools", family.name))) {
      if (!name.endsWith(".ts")) continue;
      const path = `tools/${family.name}/${name}`;
      files.push({ path, source: readFileSync(join(root, path), "utf8") });
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Reads the declaration `export default defineTool({ name: "…", … })`. The name must be a plain string there. */
export function declarationOf(file: ToolFile): Declaration {
  const parsed = parseSync(file.path, file.source);
  const failed = parsed.errors[0];
  if (failed) return { kind: "unreadable", reason: failed.message };
  const exported = parsed.program.body.find((node) => node.type === "ExportDefaultDeclaration");
  if (!exported) return { kind: "helper" };
  const call = exported.declaration;
  if (call.type !== "CallExpression" || call.callee.type !== "Identifier" || call.callee.name !== "defineTool") {
    return { kind: "unreadable", reason: "the default export is not a call of defineTool" };
  }
  const spec = call.arguments[0];
  if (spec?.type !== "ObjectExpression") {
    return { kind: "unreadable", reason: "defineTool is not given an object literal" };
  }
  for (const property of spec.properties) {
    if (property.type !== "Property" || property.key.type !== "Identifier" || property.key.name !== "name") continue;
    if (property.value.type === "Literal" && typeof property.value.value === "string") {
      return { kind: "tool", name: property.value.value };
    }
  }
  return { kind: "unreadable", reason: "defineTool is given no name as a plain string" };
}

/** The two names that a path allows: `read_file`, or `fs.read`, with `_` for `-`. */
export function namesForPath(path: string): readonly [plain: string, dotted: string] {
  const [, family = "", file = ""] = path.split("/");
  const plain = file.replace(/\.ts$/, "").replaceAll("-", "_");
  return [plain, `${family.replaceAll("-", "_")}.${plain}`];
}
