/**
 * JSON Schema, for schemas of tenants, MCP servers and models. Supports drafts 4 to 2020-12, with these limits: `$ref`
 * stays inside the schema, `pattern` runs in RE2, `format` is checked for those of `formats.ts`, unknown keywords are
 * ignored. The schema and each run are bounded, so that neither nesting, nor multiplying references, nor a large list
 * can take more than a fraction of a second. docs/decisions/0025 says why it is our own.
 */
import { getOwn } from "../../base/own-field.ts";
import { failed, ok, type Result } from "../../base/errors.ts";
import { type JsonBounds, findExceededBound } from "../../base/json-size.ts";
import type { Pattern, PatternsPort } from "../patterns.ts";
import {
  createAllOfCheck,
  createAnyOfCheck,
  createConditionCheck,
  createNotCheck,
  createOneOfCheck,
  createReferenceCheck,
} from "./combined.ts";
import { createContainsCheck, createCountCheck, createItemsCheck, createUnseenItemsCheck } from "./items.ts";
import { limitPatterns, PatternBudget } from "./limit-patterns.ts";
import { isObject, type KeywordContext, type RawSchema, readObject, SchemaFault } from "./keyword.ts";
import {
  createDependentCheck,
  createMembersCheck,
  createNamesCheck,
  createRequiredCheck,
  createUnseenMembersCheck,
} from "./members.ts";
import { findTarget, type Target } from "./references.ts";
import { type Check, RunAborted, escapeStep, Run, type SchemaNode, type SchemaProblem } from "./run.ts";
import {
  createAllowedValuesCheck,
  createFormatCheck,
  createLengthCheck,
  createMultipleCheck,
  createPatternCheck,
  createRangeCheck,
  createTypeCheck,
} from "./values.ts";

/** Returns the first 20 problems of a JSON value; empty if it is valid. */
export type SchemaChecker = (value: unknown) => readonly SchemaProblem[];

const SCHEMA_BOUNDS: JsonBounds = { depth: 64, values: 20_000, characters: 400_000 };
const VALUE_BOUNDS: JsonBounds = { depth: 128, values: 200_000, characters: 4_000_000 };
/** Patterns of one schema, the work to compile them all, and the sum of their sizes. */
const MAX_PATTERNS = 100;
const MAX_PATTERN_WORK = 40_000;
const MAX_PATTERN_SIZE = 10_000;
/** The longest chain of schemas that apply to one value, by `$ref`, `allOf` and similar keywords. */
const MAX_IN_PLACE = 60;

/** Every keyword that checks something. `unevaluated…` comes last. */
const KEYWORDS: readonly ((context: KeywordContext) => Check | null)[] = [
  createTypeCheck,
  createAllowedValuesCheck,
  createRangeCheck,
  createMultipleCheck,
  createLengthCheck,
  createPatternCheck,
  createFormatCheck,
  createRequiredCheck,
  createNamesCheck,
  createMembersCheck,
  createDependentCheck,
  createCountCheck,
  createItemsCheck,
  createContainsCheck,
  createReferenceCheck,
  createAllOfCheck,
  createAnyOfCheck,
  createOneOfCheck,
  createNotCheck,
  createConditionCheck,
  createUnseenMembersCheck,
  createUnseenItemsCheck,
];

/** The drafts by `$schema`; true if `$ref` disables its sibling keywords, as up to draft 7. */
const DRAFTS: ReadonlyMap<string, boolean> = new Map([
  ["json-schema.org/draft-04/schema", true],
  ["json-schema.org/draft-06/schema", true],
  ["json-schema.org/draft-07/schema", true],
  ["json-schema.org/draft/2019-09/schema", false],
  ["json-schema.org/draft/2020-12/schema", false],
]);

/**
 * Compiles a schema. `invalid_input` says where it is invalid, or which limit it exceeds; `details.pointer` is the
 * location. `patterns` compiles its patterns.
 */
export function compileSchema(schema: unknown, patterns: PatternsPort): Result<SchemaChecker> {
  const tooLarge = findExceededBound(schema, SCHEMA_BOUNDS);
  if (tooLarge !== null) return failed("invalid_input", `The schema is too large: ${tooLarge}.`);
  try {
    const compiler = new Compiler(schema, patterns);
    const node = compiler.compileAll();
    refuseLoops(compiler.nodes);
    return ok((value) => findProblems(node, value, compiler.tracks));
  } catch (thrown) {
    if (!(thrown instanceof SchemaFault)) throw thrown;
    const where = thrown.pointer === "" ? "" : ` at ${thrown.pointer}`;
    return failed("invalid_input", `The schema is not valid${where}: ${thrown.message}.`, {
      details: { pointer: thrown.pointer },
    });
  }
}

function findProblems(node: SchemaNode, value: unknown, tracks: boolean): readonly SchemaProblem[] {
  const tooLarge = findExceededBound(value, VALUE_BOUNDS);
  if (tooLarge !== null) return [{ pointer: "", message: `Is too large to be checked: ${tooLarge}` }];
  const run = new Run(tracks);
  try {
    run.holds(node, value, null, null);
    return run.problems;
  } catch (thrown) {
    if (!(thrown instanceof RunAborted)) throw thrown;
    return [{ pointer: "", message: thrown.message }];
  }
}

/** Compiles every schema inside of one, each once, without recursion. */
class Compiler {
  readonly nodes: SchemaNode[] = [];
  tracks = false;
  private readonly root: unknown;
  private readonly patterns: PatternsPort;
  private readonly known = new Map<RawSchema, SchemaNode>();
  private readonly raws = new Map<SchemaNode, RawSchema>();
  private readonly compiled = new Map<string, Pattern>();
  private readonly anchors = new Map<string, Target>();
  private readonly references: { node: SchemaNode; reference: string; target: SchemaNode }[] = [];
  private patternSize = 0;
  private refHides = false;

  constructor(root: unknown, patterns: PatternsPort) {
    this.root = root;
    this.patterns = limitPatterns(patterns, new PatternBudget(MAX_PATTERN_WORK));
  }

  compileAll(): SchemaNode {
    this.refHides = doesRefHideSiblings(this.root);
    const node = this.nodeOf(this.root, "");
    this.compileOpen(0);
    // A pointer may lead to a schema that no known keyword contains, and that has references of its own.
    for (let next = this.references.shift(); next !== undefined; next = this.references.shift()) {
      const { raw, pointer } = findTarget(this.root, this.anchors, next.reference, next.node.pointer);
      const before = this.nodes.length;
      next.target.inPlace.push(this.nodeOf(raw, pointer));
      this.compileOpen(before);
    }
    return node;
  }

  private compileOpen(from: number): void {
    for (let index = from; index < this.nodes.length; index += 1) {
      const node = this.nodes[index];
      const raw = node === undefined ? undefined : this.raws.get(node);
      if (node !== undefined && raw !== undefined) this.fill(node, raw);
    }
  }

  /** Creates the node of a schema; its checks follow. */
  private nodeOf(raw: unknown, pointer: string): SchemaNode {
    if (raw === true || raw === false) return this.add(pointer, raw ? [] : [NOTHING_FITS]);
    if (!isObject(raw)) throw new SchemaFault(pointer, "expected a schema, which is an object, true or false");
    const known = this.known.get(raw);
    if (known !== undefined) return known;
    const node = this.add(pointer, []);
    this.known.set(raw, node);
    this.raws.set(node, raw);
    return node;
  }

  private add(pointer: string, checks: Check[]): SchemaNode {
    const node: SchemaNode = { pointer, checks, inPlace: [] };
    this.nodes.push(node);
    return node;
  }

  private fill(node: SchemaNode, schema: RawSchema): void {
    const { pointer } = node;
    this.noteIdentity(schema, pointer);
    for (const keyword of ["$defs", "definitions"]) {
      const raw = readObject(getOwn(schema, keyword), `${pointer}/${keyword}`) ?? {};
      for (const [name, inside] of Object.entries(raw)) this.nodeOf(inside, `${pointer}/${keyword}${escapeStep(name)}`);
    }
    if ("unevaluatedProperties" in schema || "unevaluatedItems" in schema) this.tracks = true;
    const isAlone = this.refHides && Object.hasOwn(schema, "$ref");
    const context = this.contextOf(node, schema);
    for (const compile of isAlone ? [createReferenceCheck] : KEYWORDS) {
      const check = compile(context);
      if (check !== null) node.checks.push(check);
    }
  }

  private contextOf(node: SchemaNode, schema: RawSchema): KeywordContext {
    const { pointer } = node;
    const child = (raw: unknown, below: string) => this.nodeOf(raw, pointer + below);
    return {
      schema,
      pointer,
      node,
      child,
      inPlace(raw, below) {
        const inside = child(raw, below);
        node.inPlace.push(inside);
        return inside;
      },
      refer: (reference) => this.refer(node, reference),
      pattern: (source, at) => this.pattern(source, at),
    };
  }

  /** Creates a node that forwards to the referenced schema once it is found. */
  private refer(node: SchemaNode, reference: string): SchemaNode {
    const target = this.add(node.pointer, []);
    target.checks.push((value, place, run, seen) => {
      const [found] = target.inPlace;
      return found === undefined || run.holds(found, value, place, seen);
    });
    node.inPlace.push(target);
    this.references.push({ node, reference, target });
    return target;
  }

  private pattern(source: string, pointer: string): Pattern {
    const known = this.compiled.get(source);
    if (known !== undefined) return known;
    const compiled = this.patterns.compile(source);
    if (!compiled.ok) throw new SchemaFault(pointer, stripFullStop(compiled.error.message));
    this.compiled.set(source, compiled.value);
    this.patternSize += compiled.value.size;
    if (this.compiled.size > MAX_PATTERNS || this.patternSize > MAX_PATTERN_SIZE) {
      throw new SchemaFault(pointer, "its patterns are too many or too large");
    }
    return compiled.value;
  }

  /** Reads `$anchor` and `$id`. Refuses a nested `$id` beyond an anchor, which would change the target of `#`. */
  private noteIdentity(schema: RawSchema, pointer: string): void {
    const id = schema["$id"];
    if (typeof id === "string" && pointer !== "" && !id.startsWith("#")) {
      throw new SchemaFault(pointer, "a schema inside another cannot have an $id of its own here");
    }
    const names = [
      schema["$anchor"],
      schema["$dynamicAnchor"],
      typeof id === "string" ? /^#(.+)$/.exec(id)?.[1] : null,
    ];
    for (const name of names) {
      if (typeof name !== "string") continue;
      if (this.anchors.has(name)) throw new SchemaFault(pointer, `the anchor ${name} is there twice`);
      this.anchors.set(name, { raw: schema, pointer });
    }
  }
}

const NOTHING_FITS: Check = (_, place, run) => run.report(place, "Nothing is allowed here");

/** Whether `$ref` disables its siblings in the schema's draft. Refuses an unknown draft. */
function doesRefHideSiblings(root: unknown): boolean {
  const named = isObject(root) ? root["$schema"] : undefined;
  if (named === undefined) return false;
  const hides = typeof named === "string" ? DRAFTS.get(named.replace(/^https?:\/\/|#$/g, "")) : undefined;
  if (hides !== undefined) return hides;
  throw new SchemaFault("/$schema", "expected one of the drafts 4, 6, 7, 2019-09 and 2020-12");
}

/** Refuses schemas that apply to the same value in a loop or in too long a chain. */
function refuseLoops(nodes: readonly SchemaNode[]): void {
  const heights = new Map<SchemaNode, number>();
  const heightOf = (node: SchemaNode, above: ReadonlySet<SchemaNode>): number => {
    const known = heights.get(node);
    if (known !== undefined) return known;
    if (above.has(node)) throw new SchemaFault(node.pointer, "it refers to itself without end");
    if (above.size >= MAX_IN_PLACE) throw new SchemaFault(node.pointer, "its references follow each other too far");
    const inside = new Set([...above, node]);
    let height = 0;
    for (const next of node.inPlace) height = Math.max(height, 1 + heightOf(next, inside));
    if (above.size + height >= MAX_IN_PLACE) {
      throw new SchemaFault(node.pointer, "its references follow each other too far");
    }
    heights.set(node, height);
    return height;
  };
  for (const node of nodes) heightOf(node, new Set());
}

function stripFullStop(text: string): string {
  return text.replace(/\.$/, "");
}
