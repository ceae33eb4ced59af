/** Where the references and the `allOf` of a JSON Schema lead. Nothing outside the schema is fetched. */
import { isJson, sameJson } from "./json-value.ts";

export type Schema = Readonly<Record<string, unknown>> | boolean;

type Json = Readonly<Record<string, unknown>>;

/** References that follow each other, and schemas of one `allOf`. */
const MAX_HOPS = 16;

/** The schema that references and `allOf` lead to; null: they lead nowhere that a form could follow. */
export function resolved(root: Schema, schema: Schema): Schema | null {
  let at: Schema = schema;
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    if (typeof at === "boolean") return at;
    const { $ref: reference, allOf, ...beside }: Json = at;
    if (typeof reference === "string") {
      const target = findTarget(root, reference);
      if (target === null) return null;
      const { $ref: _followed, ...kept }: Json = at;
      const merged = typeof target === "boolean" ? kept : mergedTwo(kept, target);
      if (merged === null) return null;
      at = merged;
    } else if (Array.isArray(allOf)) {
      const merged = mergedAll(beside, allOf);
      if (merged === null) return null;
      at = merged;
    } else return at;
  }
  return null;
}

/** What says nothing of what fits: the nearer one stands. */
const ANNOTATIONS: ReadonlySet<string> = new Set(["title", "description", "default", "examples", "$defs", "$comment"]);

/** Schemas that all hold, as one: members and names add up, and of anything else one may speak. References stay for the next hop. */
function mergedAll(beside: Json, all: readonly unknown[]): Json | null {
  if (all.length > MAX_HOPS) return null;
  let merged: Json = beside;
  for (const one of all) {
    if (one === true) continue;
    if (!isJson(one)) return null;
    const sum = mergedTwo(merged, one);
    if (sum === null) return null;
    merged = sum;
  }
  return merged;
}

function mergedTwo(one: Json, other: Json): Json | null {
  const merged: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const present = Object.hasOwn(merged, name) ? merged[name] : undefined;
    if (present === undefined) merged[name] = value;
    else if (name === "properties" && isJson(present) && isJson(value)) merged[name] = { ...present, ...value };
    else if ((name === "required" || name === "allOf") && Array.isArray(present) && Array.isArray(value))
      merged[name] = [...(present as unknown[]), ...(value as unknown[])];
    else if (!ANNOTATIONS.has(name) && !sameJson(present, value)) return null;
  }
  return merged;
}

/** What `#/…` leads to inside the root. Nothing outside is fetched. */
function findTarget(root: Schema, reference: string): Schema | null {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return null;
  let at: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const name = unescaped(part);
    if (name === null || typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return null;
    at = (at as Json)[name];
  }
  return isSchema(at) ? at : null;
}

function unescaped(part: string): string | null {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return null;
  }
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === "boolean" || isJson(value);
}
