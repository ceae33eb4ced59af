import { join } from "node:path";
import { readTree, type SourceFile } from "./rules/source-tree.ts";

export const root: string = join(import.meta.dirname, "../..");

/** The repository as it stands, read once for all rules. */
export const tree: readonly SourceFile[] = readTree(root);
