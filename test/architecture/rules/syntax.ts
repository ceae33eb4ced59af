import { type Node, parseSync } from "oxc-parser";
import { lineAt, type SourceFile } from "./source-tree.ts";

/** An import of a file, in any form: import, export … from, import(), a type's import(). */
export interface ImportOf {
  readonly specifier: string;
  /** True when nothing of it is left at run time. */
  readonly typeOnly: boolean;
  readonly line: number;
}

/** A node of the syntax tree with the chain of nodes that it stands in, nearest last. */
export interface Visited {
  readonly node: Node;
  readonly parents: readonly Node[];
}

/** Every node of the file, outermost first. Throws when the file does not parse. */
export function nodesOf(file: SourceFile): Visited[] {
  const parsed = parseSync(file.path, file.text);
  if (parsed.errors[0]) throw new Error(`${file.path} does not parse: ${parsed.errors[0].message}`);
  const found: Visited[] = [];
  const visit = (value: unknown, parents: readonly Node[]): void => {
    if (Array.isArray(value)) {
      for (const entry of value) visit(entry, parents);
    } else if (isNode(value)) {
      found.push({ node: value, parents });
      const inside = [...parents, value];
      for (const child of Object.values(value)) visit(child, inside);
    }
  };
  visit(parsed.program, []);
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** Every import of the file. A specifier that is computed is reported as `""`. */
export function importsOf(file: SourceFile): ImportOf[] {
  const imports: ImportOf[] = [];
  for (const { node } of nodesOf(file)) {
    const line = lineAt(file.text, node.start);
    if (node.type === "ImportDeclaration") {
      // `import { type A }` still loads the module under verbatimModuleSyntax; `import type` does not.
      imports.push({ specifier: node.source.value, typeOnly: node.importKind === "type", line });
    } else if (node.type === "ExportAllDeclaration" || node.type === "ExportNamedDeclaration") {
      if (node.source) imports.push({ specifier: node.source.value, typeOnly: node.exportKind === "type", line });
    } else if (node.type === "ImportExpression") {
      const literal = node.source.type === "Literal" && typeof node.source.value === "string" ? node.source.value : "";
      imports.push({ specifier: literal, typeOnly: false, line });
    } else if (node.type === "TSImportType") {
      imports.push({ specifier: node.source.value, typeOnly: true, line });
    }
  }
  return imports;
}

/** The name when the node is an identifier that stands for a value, and not a key, a member's name or a type's. */
export function freeName({ node, parents }: Visited): string | null {
  if (node.type !== "Identifier") return null;
  const parent = parents.at(-1);
  if (!parent) return node.name;
  if (parent.type === "MemberExpression" && !parent.computed && parent.property === node) return null;
  if ("key" in parent && parent.key === node && !("computed" in parent && parent.computed)) {
    return "shorthand" in parent && parent.shorthand === true && parent.value === node ? node.name : null;
  }
  if (parent.type.startsWith("TS")) return null;
  return node.name;
}
