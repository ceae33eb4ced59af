/** An OpenAPI document as data, and its references. Its form is untrusted. */
import { getOwn } from "../base/own-field.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { findExceededBound } from "../base/json-size.ts";
import { splitPointer } from "../gateway/outside-tool.ts";

export type Json = Readonly<Record<string, unknown>>;

const BOUNDS = { depth: 100, values: 500_000, characters: 5_000_000 };
/** Longest chain of references. */
const MAX_HOPS = 20;

/** A document of version 3.0 or 3.1 (and compatible later ones). */
export interface ApiDocument {
  readonly root: Json;
  readonly title: string;
}

/** Rejects other documents and those that are too large. */
export function readApiDocument(value: unknown): Result<ApiDocument> {
  const refuse = (message: string) => failed("invalid_input", message, { field: "openapi" });
  const tooLarge = findExceededBound(value, BOUNDS);
  if (tooLarge !== null) return refuse(`openapi: ${tooLarge}`);
  if (!isJson(value)) return refuse("openapi: is not an object");
  const version = value["openapi"];
  if (typeof version !== "string" || !/^3\.\d/.test(version))
    return refuse('openapi: is not an OpenAPI 3 document (its field "openapi" says 3.0 or 3.1)');
  if (!isJson(value["paths"])) return refuse("openapi: has no paths");
  return ok({ root: value, title: getText(getObject(value, "info"), "title") ?? "api" });
}

/** Follows a value's references; null when they lead nowhere, outside, or in a circle. */
export function followReferences(root: Json, value: unknown): Json | null {
  let at = value;
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    if (!isJson(at)) return null;
    const reference = at["$ref"];
    if (typeof reference !== "string") return at;
    at = findTarget(root, reference);
  }
  return null;
}

/** The value that a local reference names; undefined without one. */
function findTarget(root: Json, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let at: unknown = root;
  for (const step of splitPointer(decodeFragment(reference.slice(1)))) {
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, step)) return undefined;
    at = getOwn(at as Json, step);
  }
  return at;
}

export function isJson(value: unknown): value is Json {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** An object member; `{}` for another value. */
export function getObject(value: Json, name: string): Json {
  const member = getOwn(value, name);
  return isJson(member) ? member : {};
}

/** A list member; empty for another value. */
export function getList(value: Json, name: string): readonly unknown[] {
  const member = getOwn(value, name);
  return Array.isArray(member) ? member : [];
}

/** A non-blank text member; null for another value. */
export function getText(value: Json, name: string): string | null {
  const member = getOwn(value, name);
  return typeof member === "string" && member.trim() !== "" ? member.trim() : null;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
