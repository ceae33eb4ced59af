/**
 * Objects that are keyed by text. `record[key]` also finds what every object inherits: a caller who names `__proto__` or
 * `constructor` gets a value that nobody stored, and an assignment to `__proto__` stores nothing.
 *
 * Judged by what a file itself says of a name: a variable, a parameter or a cast of the type `Record<string, …>`, and a member that
 * some interface of the tree declares so.
 */
import type { Node } from "oxc-parser";
import { isCode, lineAt, type SourceFile, type Violation } from "./source-tree.ts";
import { nodesOf } from "./syntax.ts";

/** Where requests, documents and replies of others arrive. */
const JUDGED = /^(core|tools|adapters|durable-objects|workers|sidecar|scripts)\//;
/** The one file that reads such an object by a name: it asks for an own field first. */
const READER = "core/base/own-field.ts";
const MESSAGE = "a record that is keyed by text is read by getOwn (core/base/own-field.ts), or is a Map";

/** Reads, writes and `in` tests of records by a name that the code does not write out. */
export function callerKeys(files: readonly SourceFile[]): Violation[] {
  const judged = files
    .filter(({ path }) => JUDGED.test(path) && isCode(path) && path !== READER)
    .map((file) => ({ file, visited: nodesOf(file) }));
  const find = (nameOf: (node: Node) => string | null, within = judged) =>
    new Set(within.flatMap(({ visited }) => visited.flatMap(({ node }) => nameOf(node) ?? [])));
  const aliases = find((node) => recordAlias(node));
  const members = find((node) => recordMember(node, aliases));
  return judged.flatMap(({ file, visited }) => {
    const known: Known = { aliases, members, names: find((node) => recordName(node, aliases), [{ file, visited }]) };
    return visited
      .filter(({ node }) => {
        const record = recordOfAccess(node);
        return record !== null && isRecord(record, known);
      })
      .map(({ node }) => ({ path: file.path, line: lineAt(file.text, node.start), message: MESSAGE }));
  });
}

/** The object that a node reads or writes by a computed name, or tests for one. */
function recordOfAccess(node: Node): Node | null {
  if (node.type === "MemberExpression" && node.computed && !isWritten(node.property)) return node.object;
  if (node.type === "BinaryExpression" && node.operator === "in" && !isWritten(node.left)) return node.right;
  return null;
}

/** True for a name that stands in the code itself, and for an index. */
function isWritten(key: Node): boolean {
  return key.type === "Literal" || key.type === "PrivateIdentifier" || key.type === "UnaryExpression";
}

/** Names that stand for a record or for its type: `names` in one file, the others in the whole tree. */
interface Known {
  readonly aliases: ReadonlySet<string>;
  readonly members: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

function isRecord(node: Node, known: Known): boolean {
  switch (node.type) {
    case "Identifier":
      return known.names.has(node.name);
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return isRecordType(node.typeAnnotation, known.aliases);
    case "ParenthesizedExpression":
    case "ChainExpression":
      return isRecord(node.expression, known);
    case "MemberExpression":
      return !node.computed && node.property.type === "Identifier" && known.members.has(node.property.name);
    default:
      return false;
  }
}

/** The type that a node declares as a record. */
function recordAlias(node: Node): string | null {
  if (node.type !== "TSTypeAliasDeclaration") return null;
  return isRecordType(node.typeAnnotation, new Set()) ? node.id.name : null;
}

/** The variable or parameter that a node gives the type of a record. */
function recordName(node: Node, aliases: ReadonlySet<string>): string | null {
  if (node.type !== "Identifier" || !("typeAnnotation" in node)) return null;
  return isRecordType(node.typeAnnotation?.typeAnnotation, aliases) ? node.name : null;
}

/** The member of an interface that has the type of a record. */
function recordMember(node: Node, aliases: ReadonlySet<string>): string | null {
  if (node.type !== "TSPropertySignature" || node.key.type !== "Identifier") return null;
  return isRecordType(node.typeAnnotation?.typeAnnotation, aliases) ? node.key.name : null;
}

function isRecordType(type: Node | null | undefined, aliases: ReadonlySet<string>): boolean {
  if (type == null) return false;
  if (type.type === "TSUnionType") return type.types.some((one) => isRecordType(one, aliases));
  if (type.type === "TSParenthesizedType") return isRecordType(type.typeAnnotation, aliases);
  if (type.type === "TSTypeLiteral") return type.members.some((member) => member.type === "TSIndexSignature");
  if (type.type !== "TSTypeReference" || type.typeName.type !== "Identifier") return false;
  const [first] = type.typeArguments?.params ?? [];
  if (type.typeName.name === "Record") return first?.type === "TSStringKeyword";
  if (["Readonly", "Partial"].includes(type.typeName.name)) return isRecordType(first, aliases);
  return aliases.has(type.typeName.name);
}
