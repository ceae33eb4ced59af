/** The name, signature and comment of a symbol's node. */
import type { Node } from "web-tree-sitter";
import type { CodeSymbol, SymbolKind } from "../../core/codebases/indexed-file.ts";
import { MAX_DOC_CHARACTERS, MAX_SIGNATURE_CHARACTERS } from "../../core/codebases/limits.ts";
import type { SymbolRule } from "./grammar-rules.ts";

/** Nodes that only surround a declaration. A comment stands before them. */
const WRAPPERS = new Set([
  "ambient_declaration",
  "const_declaration",
  "decorated_definition",
  "export_statement",
  "expression_statement",
  "lexical_declaration",
  "template_declaration",
  "type_declaration",
  "var_declaration",
  "variable_declaration",
]);
const FUNCTIONS = new Set(["arrow_function", "function_expression", "generator_function"]);
const NAMES = /^(?:identifier|.*_identifier|name|constant|word|function_name|simple_name|qualified_identifier)$/;
const MAX_NAME_CHARACTERS = 120;
const MAX_DECLARATORS = 8;
const MAX_COMMENTS = 50;

export interface FoundName {
  readonly name: string;
  readonly kind: SymbolKind | null;
  /** True if the name contains its container (`A::m` of C++, a method of Go). */
  readonly isComplete: boolean;
}

/** Null for a node that is no symbol after all: a destructuring, a variable of C, a reference to a type. */
export function findName(node: Node, rule: SymbolRule): FoundName | null {
  const { kind } = rule;
  const isTypeOfC = node.type.endsWith("_specifier");
  if (isTypeOfC && node.childForFieldName("body") === null) return null;
  if (node.type === "type_spec") return toName(node.childForFieldName("name"), findGoKind(node));
  if (node.type === "method_declaration" && node.childForFieldName("receiver") !== null) return findGoMethod(node);
  if (/^(?:variable_declarator|field_definition|public_field_definition)$/.test(node.type))
    return findAssigned(node, rule);
  if (node.type === "declaration" || node.type === "field_declaration") return findPrototype(node, kind);
  if (node.type === "function_definition" && node.childForFieldName("declarator") !== null)
    return findPrototype(node, kind);
  if (node.type === "assignment") return findAssignment(node, rule);
  const named = node.childForFieldName(rule.name ?? "name") ?? node.childForFieldName("declarator");
  if (named !== null) return toName(rule.kind === null ? stripArguments(named) : named, kind);
  return toName(node.namedChildren.find((child) => child !== null && NAMES.test(child.type)) ?? null, kind);
}

function toName(node: Node | null, kind: SymbolKind | null, isComplete = false): FoundName | null {
  if (node === null) return null;
  const { text } = node;
  if (text === "" || text.length > MAX_NAME_CHARACTERS || /[\s{}[\]()]/.test(text)) return null;
  return { name: text.replaceAll("::", "."), kind, isComplete };
}

/** `A<T>` → `A`. */
function stripArguments(node: Node): Node {
  return node.childForFieldName("type") ?? node;
}

function findGoKind(node: Node): SymbolKind {
  const type = node.childForFieldName("type")?.type;
  return type === "struct_type" ? "struct" : type === "interface_type" ? "interface" : "type";
}

function findGoMethod(node: Node): FoundName | null {
  const name = toName(node.childForFieldName("name"), "method", true);
  const receiver = /([\p{L}\p{N}_]+)(?:\[[^\]]*\])?\s*\)$/u.exec(node.childForFieldName("receiver")?.text ?? "")?.[1];
  if (name === null || receiver === undefined) return name;
  return { ...name, name: `${receiver}.${name.name}` };
}

/** A variable or a field: a function if that is its value. */
function findAssigned(node: Node, { kind }: SymbolRule): FoundName | null {
  const value = node.childForFieldName("value");
  const name = node.childForFieldName("name") ?? node.childForFieldName("property");
  if (value !== null && FUNCTIONS.has(value.type))
    return toName(name, node.type === "variable_declarator" ? "function" : "method");
  if (value?.type === "class") return toName(name, "class");
  return toName(name, node.parent?.child(0)?.type === "const" ? "constant" : kind);
}

function findAssignment(node: Node, rule: SymbolRule): FoundName | null {
  const left = node.childForFieldName("left");
  if (left === null || !/^(?:identifier|constant)$/.test(left.type)) return null;
  if (rule.kind === "constant") return left.type === "constant" ? toName(left, "constant") : null;
  return toName(left, /^[A-Z][A-Z0-9_]*$/.test(left.text) ? "constant" : rule.kind);
}

/** The function that a declaration of C or C++ declares. */
function findPrototype(node: Node, kind: SymbolKind | null): FoundName | null {
  let declarator = node.childForFieldName("declarator");
  for (let level = 0; declarator !== null && level < MAX_DECLARATORS; level += 1) {
    const inner: Node | null = declarator.childForFieldName("declarator");
    if (declarator.type === "function_declarator") return toName(inner, kind, inner?.type === "qualified_identifier");
    declarator = inner;
  }
  return null;
}

/** Where it is, how it begins, and the comment before it or the text at its start. Lines count from 1. */
export function describeSymbol(
  node: Node,
  text: string,
): Pick<CodeSymbol, "signature" | "doc" | "start_line" | "end_line"> {
  const outer = findOuter(node);
  return {
    signature: readSignature(node, outer, text),
    doc: cleanComment(findDocstring(node) ?? findComment(outer)),
    start_line: outer.startPosition.row + 1,
    end_line: Math.max(outer.startPosition.row, outer.endPosition.row) + 1,
  };
}

function findOuter(node: Node): Node {
  let outer = node;
  for (let { parent } = outer; parent !== null && WRAPPERS.has(parent.type); { parent } = outer) {
    // The second of two declarations has its own place.
    if (parent.firstNamedChild?.id !== outer.id && parent.type !== "export_statement" && !isLastOf(outer, parent))
      break;
    outer = parent;
  }
  return outer;
}

function isLastOf(node: Node, parent: Node): boolean {
  return /^(?:decorated_definition|template_declaration)$/.test(parent.type) && parent.lastNamedChild?.id === node.id;
}

function readSignature(node: Node, outer: Node, text: string): string {
  const value = node.childForFieldName("value");
  const body = node.childForFieldName("body") ?? value?.childForFieldName("body") ?? null;
  const block = body ?? node.namedChildren.find((child) => child?.type === "script_block") ?? null;
  const end = block === null ? outer.endIndex : block.startIndex;
  const start = outer.startIndex;
  const raw = text.slice(start, Math.min(end, start + MAX_SIGNATURE_CHARACTERS * 4));
  const line = raw
    .replaceAll(/\s+/g, " ")
    .replace(/[\s{:=]+$/, "")
    .replace(/=>$/, "")
    .trim();
  return cut(line, MAX_SIGNATURE_CHARACTERS);
}

/** The text at the start of a function or class of Python. */
function findDocstring(node: Node): string | null {
  const body = /^(?:function|class)_definition$/.test(node.type) ? node.childForFieldName("body") : null;
  const first = body?.firstNamedChild ?? null;
  const string = first?.type === "expression_statement" ? first.firstNamedChild : null;
  if (string?.type !== "string") return null;
  return string.namedChildren.find((child) => child?.type === "string_content")?.text ?? null;
}

/** The comments directly before a node. */
function findComment(outer: Node): string {
  const lines: string[] = [];
  let row = outer.startPosition.row;
  for (let before = outer.previousSibling; before !== null; before = before.previousSibling) {
    const endRow = before.endPosition.column === 0 ? before.endPosition.row - 1 : before.endPosition.row;
    if (!before.type.includes("comment") || endRow < row - 1 || lines.length >= MAX_COMMENTS) break;
    lines.unshift(before.text);
    row = before.startPosition.row;
  }
  return lines.join("\n");
}

function cleanComment(comment: string): string {
  const text = comment
    .slice(0, MAX_DOC_CHARACTERS * 4)
    .split("\n")
    .map((line) => line.replace(/^\s*(?:\/\*+!?|\/\/+!?|#+|\*(?!\/)|--+|;+)?\s?/, "").replace(/\s*\*\/\s*$/, ""))
    .join("\n");
  return cut(text.trim(), MAX_DOC_CHARACTERS);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).toWellFormed();
}
