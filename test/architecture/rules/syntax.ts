import { type Node, parseSync } from "oxc-parser";
import { lineAt, type SourceFile } from "./source-tree.ts";

/** An import of a file, in any form: import, export … from, import(), a type's import(). */
export interface ImportOf {
  readonly specifier: string;
  /** True when nothing of it is left at run time. */
  readonly typeOnly: boolean;
  readonly line: number;
}

/** A node of the syntax tree and the node that contains it. */
export interface Visited {
  readonly node: Node;
  readonly parent: Node | null;
}

const parsedFiles = new WeakMap<SourceFile, readonly Visited[]>();

/** Every node of the file, outermost first. All rules share one parse of a file. Throws when the file does not parse. */
export function nodesOf(file: SourceFile): readonly Visited[] {
  const nodes = parsedFiles.get(file) ?? parse(file);
  parsedFiles.set(file, nodes);
  return nodes;
}

function parse(file: SourceFile): Visited[] {
  const parsed = parseSync(file.path, file.text);
  if (parsed.errors[0]) throw new Error(`${file.path} does not parse: ${parsed.errors[0].message}`);
  const found: Visited[] = [];
  const visit = (value: unknown, parent: Node | null): void => {
    if (Array.isArray(value)) {
      for (const entry of value) visit(entry, parent);
    } else if (isNode(value)) {
      found.push({ node: value, parent });
      for (const child of Object.values(value)) visit(child, value);
    }
  };
  visit(parsed.program, null);
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** Every import of the file. A specifier that is computed is reported as `""`. */
export function importsOf(file: SourceFile): ImportOf[] {
  return nodesOf(file).flatMap(({ node }) => {
    const found = importOf(node);
    return found === null ? [] : [{ ...found, line: lineAt(file.text, node.start) }];
  });
}

function importOf(node: Node): Omit<ImportOf, "line"> | null {
  switch (node.type) {
    case "ImportDeclaration":
      // `import { type A }` still loads the module under verbatimModuleSyntax; `import type` does not.
      return { specifier: node.source.value, typeOnly: node.importKind === "type" };
    case "ExportAllDeclaration":
    case "ExportNamedDeclaration":
      return node.source ? { specifier: node.source.value, typeOnly: node.exportKind === "type" } : null;
    case "ImportExpression": {
      const { source } = node;
      const literal = source.type === "Literal" && typeof source.value === "string" ? source.value : "";
      return { specifier: literal, typeOnly: false };
    }
    case "TSImportType":
      return { specifier: node.source.value, typeOnly: true };
    default:
      return null;
  }
}

/** The name when the node is an identifier that stands for a value, and not a key, a member's name or a type's. */
export function freeName({ node, parent }: Visited): string | null {
  if (node.type !== "Identifier") return null;
  if (!parent) return node.name;
  if (parent.type === "MemberExpression" && !parent.computed && parent.property === node) return null;
  if ("key" in parent && parent.key === node && !("computed" in parent && parent.computed)) {
    return "shorthand" in parent && parent.shorthand === true && parent.value === node ? node.name : null;
  }
  if (parent.type.startsWith("TS")) return null;
  return node.name;
}
