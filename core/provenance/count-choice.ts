/**
 * Counts the bits of information that a call's arguments can carry to their receiver. A value by another author still
 * reveals which one was chosen, and so do a flag, a listed value, a number, the length of a list, and the presence and
 * order of properties. Each choice counts as the length of its code word in a universal code. Counting stops at the
 * budget.
 */
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import { countNumberBits } from "./ground.ts";

/**
 * Bits of choice that a call may have without an approval. A search with a person's words, flags, a listed order and a
 * page has 26; an issue by owner, repository and number in a long task 37. Eight random letters and digits have 41.
 */
export const MAX_CHOICE_BITS = 40;
/** The most entries of a list that no person reviews. */
export const MAX_ENTRIES = 8;
/** The most examined values of one call. */
const MAX_VALUES = 256;
/** The most examined schemas of one value. */
const MAX_SCHEMAS = 64;

/** Bits of an empty text or null, and of a flag without a boolean type in the schema. */
const EMPTY_BITS = 2;
const UNTYPED_BITS = 3;

/** `free`: the value can carry anything. `much`: the choices exceed the budget, most of them in the argument `path`. */
export type CountedChoice =
  | { readonly kind: "bounded" }
  | { readonly kind: "free"; readonly path: string; readonly text: string }
  | { readonly kind: "much"; readonly path: string }
  | { readonly kind: "long"; readonly path: string };

/** Bits of a value found in a known text; null when not found. */
export type CountVouched = (value: string) => number | null;

/**
 * Counts the choices in the arguments of a call. `schema` is the tool's input; `countVouched` knows the earlier texts.
 */
export function countChoice(values: unknown, schema: JsonSchema, countVouched: CountVouched): CountedChoice {
  return new ChoiceCounter(schema, countVouched).count(values);
}

interface ValuePosition {
  readonly path: string;
  /** The argument that contains it. */
  readonly argument: string;
  readonly value: unknown;
  readonly schemas: readonly JsonSchema[];
}

class ChoiceCounter {
  private readonly root: JsonSchema;
  private readonly words: ReadonlySet<string>;
  private readonly countVouched: CountVouched;
  private readonly bits = new Map<string, number>();
  private readonly open: ValuePosition[] = [];
  private total = 0;

  constructor(root: JsonSchema, countVouched: CountVouched) {
    this.root = root;
    this.words = listWords(root);
    this.countVouched = countVouched;
  }

  count(values: unknown): CountedChoice {
    this.open.push({ path: "", argument: "", value: values, schemas: this.expand([this.root]) });
    // Counting a value opens those inside it.
    for (const [index, place] of this.open.entries()) {
      const fault = index >= MAX_VALUES ? ({ kind: "much", path: place.path } as const) : this.countPlace(place);
      if (fault !== null) return fault;
      if (this.total > MAX_CHOICE_BITS) return { kind: "much", path: this.findFreest() };
    }
    return { kind: "bounded" };
  }

  private add({ argument }: Pick<ValuePosition, "argument">, bits: number): void {
    this.total += bits;
    this.bits.set(argument, (this.bits.get(argument) ?? 0) + bits);
  }

  private findFreest(): string {
    return [...this.bits].reduce((most, entry) => (entry[1] > most[1] ? entry : most))[0];
  }

  private countPlace(place: ValuePosition): CountedChoice | null {
    const { path, value, schemas } = place;
    if (Array.isArray(value)) return this.countList(place, value);
    if (typeof value === "object" && value !== null) return this.countObject(place, value);
    const bits = countListed(value, schemas) ?? this.countScalar(value, schemas);
    if (bits === null) return { kind: "free", path, text: String(value) };
    this.add(place, bits);
    return null;
  }

  private countScalar(value: unknown, schemas: readonly JsonSchema[]): number | null {
    if (typeof value === "boolean") return schemas.some(({ type }) => type === "boolean") ? 1 : UNTYPED_BITS;
    if (typeof value === "number") return this.countNumber(value, schemas);
    if (typeof value === "string" && value !== "") return this.countText(value);
    return EMPTY_BITS;
  }

  private countText(text: string): number | null {
    return this.words.has(text) ? Math.log2(this.words.size) : this.countVouched(text);
  }

  private countNumber(value: number, schemas: readonly JsonSchema[]): number | null {
    const vouched = this.countVouched(String(value));
    if (!Number.isSafeInteger(value)) return vouched;
    const bits = Math.min(countNumberBits(Math.abs(value)) + (value < 0 ? 1 : 0), countRange(value, schemas));
    // A number beyond the budget is reported as one that no text has, which is the clearer reason.
    return vouched === null && bits > MAX_CHOICE_BITS ? null : Math.min(bits, vouched ?? bits);
  }

  private countList(place: ValuePosition, items: readonly unknown[]): CountedChoice | null {
    const { path, argument, schemas } = place;
    if (items.length > MAX_ENTRIES) return { kind: "long", path };
    this.add(place, countNumberBits(items.length));
    for (const [index, value] of items.entries()) {
      const inner = schemas.flatMap(({ prefixItems, items: rest }) => toList(prefixItems)[index] ?? rest ?? []);
      this.open.push({ path: `${path}[${index}]`, argument, value, schemas: this.expand(inner) });
    }
    return null;
  }

  private countObject(place: ValuePosition, object: object): CountedChoice | null {
    const { path, schemas } = place;
    const known = listProperties(schemas);
    const names = Object.keys(object);
    if (names.length > MAX_VALUES) return { kind: "much", path };
    this.add(place, countProperties(names, [...known.keys()], listRequired(schemas)));
    for (const [name, value] of Object.entries(object)) {
      const inside = path === "" ? name : `${path}.${name}`;
      const argument = place.argument === "" ? name : place.argument;
      const bits = known.has(name) ? 0 : this.countText(name);
      if (bits === null) return { kind: "free", path: inside, text: name };
      this.add({ argument }, bits);
      const more = known.get(name) ?? schemas.map(({ additionalProperties }) => additionalProperties);
      this.open.push({ path: inside, argument, value, schemas: this.expand(more) });
    }
    return null;
  }

  /** Returns the schemas with those that they combine. */
  private expand(given: readonly unknown[]): readonly JsonSchema[] {
    const found = new Set<JsonSchema>();
    const open = [...given];
    for (let next = open.shift(); next !== undefined && found.size < MAX_SCHEMAS; next = open.shift()) {
      if (!isObject(next) || found.has(next)) continue;
      found.add(next);
      const { anyOf, oneOf, allOf, $ref } = next;
      open.push(...[anyOf, oneOf, allOf].flatMap(toList), ...(typeof $ref === "string" ? [this.follow($ref)] : []));
    }
    return [...found];
  }

  /** Resolves a reference inside the schema. Ignores any other. */
  private follow(reference: string): unknown {
    if (!reference.startsWith("#/")) return undefined;
    let at: unknown = this.root;
    for (const step of reference.slice(2).split("/")) {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      if (!isObject(at) || !Object.hasOwn(at, key)) return undefined;
      at = at[key];
    }
    return at;
  }
}

/** Counts the bits of a value that its schema lists; null if it is not listed. */
function countListed(value: unknown, schemas: readonly JsonSchema[]): number | null {
  const listed = new Set(schemas.flatMap((schema) => [...toList(schema["enum"]), ...listConstant(schema)]));
  return listed.has(value) ? Math.log2(listed.size) : null;
}

function listConstant(schema: JsonSchema): readonly unknown[] {
  return Object.hasOwn(schema, "const") ? [schema["const"]] : [];
}

/** Counts the bits of an integer between the bounds of its schema; infinite without bounds. */
function countRange(value: number, schemas: readonly JsonSchema[]): number {
  const [least] = schemas.flatMap(({ minimum, exclusiveMinimum }) => [minimum, exclusiveMinimum].filter(isNumber));
  const [most] = schemas.flatMap(({ maximum, exclusiveMaximum }) => [maximum, exclusiveMaximum].filter(isNumber));
  if (least === undefined || most === undefined || value < least || value > most) return Number.POSITIVE_INFINITY;
  return Math.log2(most - least + 1);
}

function listProperties(schemas: readonly JsonSchema[]): ReadonlyMap<string, readonly unknown[]> {
  const known = new Map<string, unknown[]>();
  for (const { properties } of schemas) {
    for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
      const same = known.get(name);
      if (same === undefined) known.set(name, [schema]);
      else same.push(schema);
    }
  }
  return known;
}

/** Returns the required properties of the first schema only, because combined ones may be alternatives. */
function listRequired([first]: readonly JsonSchema[]): readonly unknown[] {
  return first === undefined ? [] : toList(first["required"]);
}

/**
 * Counts the bits of the presence of optional properties, and of their order if it differs from the schema's. Arguments
 * without a required property were not checked by this schema, so each property counts as optional.
 */
function countProperties(names: readonly string[], known: readonly string[], required: readonly unknown[]): number {
  const given = new Set<unknown>(names);
  const needed = new Set(required.every((name) => given.has(name)) ? required : []);
  const optional = known.filter((name) => !needed.has(name));
  const present = optional.filter((name) => given.has(name));
  const chosen = Math.log2(optional.length + 1) + countSubsets(optional.length, present.length);
  const order = new Map(known.map((name, at) => [name, at]));
  const places = names.map((name) => order.get(name) ?? -1);
  const isInOrder = places.every((at, index) => at > (places[index - 1] ?? -1));
  return chosen + (isInOrder ? 0 : countOrders(names.length));
}

/** log2 of the number of ways to choose `chosen` of `all`. */
function countSubsets(all: number, chosen: number): number {
  return countOrders(all) - countOrders(chosen) - countOrders(all - chosen);
}

/** Base-2 logarithm of the factorial of `things`: the bits of an order. */
function countOrders(things: number): number {
  let bits = 0;
  for (let factor = 2; factor <= things; factor += 1) bits += Math.log2(factor);
  return bits;
}

/** Cached by schema, which is the same for all calls of a tool. */
const wordCache = new WeakMap<JsonSchema, ReadonlySet<string>>();

/** Returns every text in a schema, including property names, which its owner wrote. */
function listWords(schema: JsonSchema): ReadonlySet<string> {
  const known = wordCache.get(schema);
  if (known !== undefined) return known;
  const words = new Set<string>();
  const open: unknown[] = [schema];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === "string") words.add(next);
    else if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (isObject(next)) {
      for (const [name, item] of Object.entries(next)) {
        words.add(name);
        open.push(item);
      }
    }
  }
  wordCache.set(schema, words);
  return words;
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
