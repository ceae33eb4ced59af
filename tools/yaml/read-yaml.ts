/** A YAML text as a JSON value: YAML 1.2 with the core schema, one document, names that are texts. */
import { isMap, isScalar, isSeq, type ParsedNode, parseDocument } from "yaml";
import { failed, ok, type Result } from "../../core/errors.ts";
import { positionOf } from "../../core/text-position.ts";
import { findYamlMistake, MORE_DOCUMENTS, type YamlMistake } from "./yaml-outline.ts";

/**
 * The value; `invalid_input` names the line and the column. A name that a mapping has twice is refused, and so are the
 * numbers that JSON does not have.
 */
export function readYaml(text: string): Result<unknown> {
  const refused = findYamlMistake(text);
  if (refused !== null) return failure(text, refused);
  const document = parseDocument<ParsedNode>(text, {
    version: "1.2",
    schema: "core",
    merge: false,
    resolveKnownTags: false,
    // The library compares every name of a mapping with every other.
    uniqueKeys: false,
    prettyErrors: false,
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const message = error.code === "MULTIPLE_DOCS" ? MORE_DOCUMENTS : withoutFullStop(error.message);
    return failure(text, { offset: error.pos[0], message });
  }
  try {
    return ok(valueOf(document.contents));
  } catch (thrown) {
    if (thrown instanceof Mistake) return failure(text, thrown);
    throw thrown;
  }
}

class Mistake extends Error implements YamlMistake {
  override readonly name = "Mistake";
  readonly offset: number;

  constructor(node: ParsedNode | null, message: string) {
    super(message);
    this.offset = node?.range[0] ?? 0;
  }
}

/** The JSON value of a node. Nesting was bounded before. */
function valueOf(node: ParsedNode | null): unknown {
  if (node === null) return null;
  if (isSeq<ParsedNode>(node)) return node.items.map(valueOf);
  if (isMap<ParsedNode, ParsedNode | null>(node)) {
    const names = new Set<string>();
    const members = node.items.map(({ key, value }) => {
      const name = nameOf(key);
      if (names.has(name)) throw new Mistake(key, `the name ${JSON.stringify(name.slice(0, 100))} is there twice`);
      names.add(name);
      return [name, valueOf(value)] as const;
    });
    return Object.fromEntries(members);
  }
  if (!isScalar(node)) throw new Mistake(node, "aliases are refused");
  if (typeof node.value === "number" && !Number.isFinite(node.value)) {
    throw new Mistake(node, "infinity and not-a-number are no JSON values");
  }
  return node.value;
}

/** A name: a text, or what a number, true, false or null is written as. */
function nameOf(key: ParsedNode): string {
  const value = valueOf(key);
  if (typeof value === "object" && value !== null) throw new Mistake(key, "a name has to be a text");
  return String(value);
}

function failure(text: string, { offset, message }: YamlMistake): Result<never> {
  const { line, column } = positionOf(text, offset);
  return failed("invalid_input", `The YAML cannot be read. Line ${line}, column ${column}: ${message}.`);
}

function withoutFullStop(message: string): string {
  return message.replace(/\.$/, "");
}
