/** An OpenAPI document as data, and its references. Nothing about its form is taken for granted: others wrote it. */
import { getOwn } from "../base/own-field.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { findExceededBound } from "../base/json-size.ts";
import { splitPointer } from "../gateway/outside-tool.ts";

export type Json = Readonly<Record<string, unknown>>;

const BOUNDS = { depth: 100, values: 500_000, characters: 5_000_000 };
/** References that lead to references. */
const MAX_HOPS = 20;

/** A document of version 3.0 or 3.1 (and what follows them compatibly). */
export interface ApiDocument {
  readonly root: Json;
  readonly title: string;
}

/** Refuses what is no OpenAPI 3 document, or is too large. */
export function readApiDocument(value: unknown): Result<ApiDocument> {
  const refuse = (message: string) => failed("invalid_input", message, { field: "openapi" });
  const tooLarge = findExceededBound(value, BOUNDS);
  if (tooLarge !== null) return refuse(`openapi: ${tooLarge}`);
  if (!isJson(value)) return refuse("openapi: is no object");
  const version = value["openapi"];
  if (typeof version !== "string" || !/^3\.\d/.test(version))
    return refuse('openapi: is no document of OpenAPI 3 (its field "openapi" says 3.0 or 3.1)');
  if (!isJson(value["paths"])) return refuse("openapi: has no paths");
  return ok({ root: value, title: textAt(jsonAt(value, "info"), "title") ?? "api" });
}

/** What a value is after its references were followed; null: they lead nowhere, outside, or in a circle. */
export function follow(root: Json, value: unknown): Json | null {
  let at = value;
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    if (!isJson(at)) return null;
    const reference = at["$ref"];
    if (typeof reference !== "string") return at;
    at = target(root, reference);
  }
  return null;
}

/** What a local reference names; undefined: nothing. */
function target(root: Json, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let at: unknown = root;
  for (const step of splitPointer(decode(reference.slice(1)))) {
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, step)) return undefined;
    at = getOwn(at as Json, step);
  }
  return at;
}

export function isJson(value: unknown): value is Json {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** A member that is an object; `{}` when it is none. */
export function jsonAt(value: Json, name: string): Json {
  const member = getOwn(value, name);
  return isJson(member) ? member : {};
}

/** A member that is a list; empty when it is none. */
export function listAt(value: Json, name: string): readonly unknown[] {
  const member = getOwn(value, name);
  return Array.isArray(member) ? member : [];
}

/** A member that is a text which is not blank; null when it is none. */
export function textAt(value: Json, name: string): string | null {
  const member = getOwn(value, name);
  return typeof member === "string" && member.trim() !== "" ? member.trim() : null;
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
