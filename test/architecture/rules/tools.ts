import { declarationOf, namesForPath } from "../../../scripts/tool-files.ts";
import type { SourceFile, Violation } from "./source-tree.ts";

/** Files at the top of tools/; everything else stands in a family's folder. */
const TOP_FILES = new Set(["tools/define-tool.ts", "tools/catalogue.generated.ts"]);

/** True for `tools/<family>/<file>.ts` with a default export. */
export function isTool(file: SourceFile): boolean {
  return inFamily(file.path) && declarationOf({ path: file.path, source: file.text }).kind !== "helper";
}

function inFamily(path: string): boolean {
  return /^tools\/[^/]+\/[^/]+\.ts$/.test(path);
}

/** Tools whose name does not equal their path, and files of tools/ that stand where no tool belongs. */
export function toolNameViolations(files: readonly SourceFile[]): Violation[] {
  const violations: Violation[] = [];
  for (const file of files) {
    if (!file.path.startsWith("tools/") || !file.path.endsWith(".ts") || TOP_FILES.has(file.path)) continue;
    if (!inFamily(file.path)) {
      violations.push({ path: file.path, message: "a tool lives at tools/<family>/<tool>.ts" });
      continue;
    }
    const declared = declarationOf({ path: file.path, source: file.text });
    if (declared.kind === "unreadable") violations.push({ path: file.path, message: declared.reason });
    if (declared.kind !== "tool") continue;
    const names = namesForPath(file.path);
    if (!names.includes(declared.name)) {
      violations.push({ path: file.path, message: `is called ${declared.name}; its path says ${names.join(" or ")}` });
    }
  }
  return violations;
}
