/**
 * Converts a document's schema to a self-contained one: references filled in, OpenAPI's own keywords removed. Parts
 * that are too deep, too large or recursive accept anything.
 */
import type { PatternsPort } from "../lib/patterns.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import { followReferences, isJson, type Json } from "./document.ts";

/** Limits of one argument list: its schemas, their characters, and their nesting. */
const MAX_SCHEMAS = 1_500;
const MAX_CHARACTERS = 300_000;
const MAX_DEPTH = 16;
/** Characters of a description. */
const MAX_DESCRIPTION = 1_000;

/** Keywords whose value is copied. */
const COPIED_KEYWORDS = new Set([
  "type",
  "enum",
  "const",
  "default",
  "format",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
]);
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const SCHEMAS = ["items", "not", "additionalProperties"];

export interface SchemaDeps {
  readonly root: Json;
  readonly patterns: PatternsPort;
  readonly work: ImportWork;
}

/** The work budget for a whole document's schemas: in each operation, a few characters can refer to a large schema. */
export class ImportWork {
  readonly #sizes = new WeakMap<object, number>();
  #left: number;
  #done = 0;

  /** `most`: members and schemas to visit, counted each time they are referred to. */
  constructor(most: number) {
    this.#left = most;
  }

  /** True when the budget is exceeded. */
  get isOver(): boolean {
    return this.#left < 0;
  }

  take(members: number): void {
    this.#left -= members;
    this.#done += members;
  }

  /** Returns the members taken since the last call. */
  takeStock(): number {
    const done = this.#done;
    this.#done = 0;
    return done;
  }

  /** The characters of a value as JSON. A list with many references is written once. */
  getSize(value: unknown): number {
    if (typeof value !== "object" || value === null) return (JSON.stringify(value) ?? "").length;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    const size = JSON.stringify(value).length;
    this.#sizes.set(value, size);
    this.take(size / CHARACTERS_A_MEMBER);
    return size;
  }
}

/** Characters that take the time of one member. */
const CHARACTERS_A_MEMBER = 50;

/** Creates self-contained schemas, all together within the limits. */
export class PlainSchemas {
  private readonly deps: SchemaDeps;
  private left = MAX_SCHEMAS;
  private characters = MAX_CHARACTERS;

  constructor(deps: SchemaDeps) {
    this.deps = deps;
  }

  /** `open` are the schemas around this one. */
  plain(value: unknown, open: readonly Json[] = []): JsonSchema {
    const schema = followReferences(this.deps.root, value);
    this.left -= 1;
    this.deps.work.take(1);
    const isFull = this.left < 0 || this.characters < 0 || this.deps.work.isOver;
    if (schema === null || open.includes(schema) || open.length >= MAX_DEPTH || isFull) return {};
    const inside = [...open, schema];
    const made = new Map<string, unknown>();
    const members = Object.entries(schema);
    this.deps.work.take(members.length);
    for (const [name, member] of members) {
      if (COPIED_KEYWORDS.has(name)) this.keep(made, name, member);
      else if (name === "description" && typeof member === "string")
        this.keep(made, name, member.slice(0, MAX_DESCRIPTION));
      else if (name === "pattern" && this.isUsable(member)) this.keep(made, name, member);
      else if (LISTS.includes(name) && Array.isArray(member)) {
        const list =
          name === "prefixItems" ? member : member.filter((one) => followReferences(this.deps.root, one) !== null);
        if (list.length > 0)
          made.set(
            name,
            list.map((one) => this.plain(one, inside)),
          );
      } else if (SCHEMAS.includes(name))
        made.set(name, typeof member === "boolean" ? member : this.plain(member, inside));
    }
    this.addProperties(schema, made, inside);
    return addNull(schema, Object.fromEntries(made));
  }

  /** Copies a member while there is room: many places may refer to the same list of values. */
  private keep(made: Map<string, unknown>, name: string, member: unknown): void {
    if (this.characters < 0) return;
    this.characters -= name.length + this.deps.work.getSize(member);
    if (this.characters >= 0) made.set(name, member);
  }

  /** Requests have no read-only properties. */
  private addProperties(schema: Json, made: Map<string, unknown>, inside: readonly Json[]): void {
    if (!isJson(schema["properties"])) {
      if (Array.isArray(schema["required"])) made.set("required", listNames(schema["required"]));
      return;
    }
    const all = Object.entries(schema["properties"]);
    this.deps.work.take(all.length);
    const taken = all.filter(([, one]) => followReferences(this.deps.root, one)?.["readOnly"] !== true);
    const names = new Set(taken.map(([name]) => name));
    const left = new Set(all.flatMap(([name]) => (names.has(name) ? [] : [name])));
    this.characters -= taken.reduce((sum, [name]) => sum + name.length, 0);
    made.set("properties", Object.fromEntries(taken.map(([name, one]) => [name, this.plain(one, inside)])));
    const required = Array.isArray(schema["required"]) ? listNames(schema["required"]) : [];
    this.deps.work.take(required.length);
    const wanted = required.filter((name) => !left.has(name));
    if (wanted.length > 0) made.set("required", wanted);
  }

  private isUsable(pattern: unknown): boolean {
    return typeof pattern === "string" && this.deps.patterns.compile(pattern).ok;
  }
}

function listNames(list: readonly unknown[]): string[] {
  return list.filter((name) => typeof name === "string");
}

/** Moves OpenAPI 3.0's `nullable` into the type, as in JSON Schema. */
function addNull(schema: Json, made: Record<string, unknown>): JsonSchema {
  if (schema["nullable"] !== true || typeof made["type"] !== "string") return made;
  const values = made["enum"];
  const listed = Array.isArray(values) && !values.includes(null) ? { enum: [...(values as unknown[]), null] } : {};
  return { ...made, ...listed, type: [made["type"], "null"] };
}
