/**
 * Arguments of an action that are files. The provider marks them in the schema with `file_uploadable`: the model gives a path of
 * the sandbox there, and the call is sent with the uploaded file in its place.
 */
import { getField, isRecord } from "../../base/json-fields.ts";
import { getOwn } from "../../base/own-field.ts";
import { type Failure, failed, ok, type Result } from "../../base/errors.ts";
import type { JsonSchema } from "../../lib/json-schema/json-schema.ts";
import type { ReplaceFile, UploadedFile } from "../../tool/file-arguments.ts";

/** The most bytes of one file, given to an action or returned by one. */
export const MAX_APP_FILE_BYTES = 52_428_800;
/** The most files that one call gives to an action. */
export const MAX_UPLOADS = 10;

const MAX_DEPTH = 12;
/** Pairs of a schema and a value that are compared. A short schema that refers to itself unfolds to billions. */
const MAX_VISITS = 5_000;
const COMBINED = ["anyOf", "oneOf", "allOf"] as const;
const DESCRIPTION = "Path of a file in the sandbox, such as reports/june.pdf, at most 50 MB.";

/** Returns the schema with a path in the place of each file; the same object if it has no file. */
export function toPathSchema(schema: JsonSchema): JsonSchema {
  return mentionsUpload(schema, 3 * MAX_DEPTH) ? (toPaths(schema, MAX_DEPTH) as JsonSchema) : schema;
}

/** True if a schema marks a file anywhere, also under a name that no reference uses. */
function mentionsUpload(schema: unknown, depth: number): boolean {
  if (typeof schema !== "object" || schema === null || depth < 0) return false;
  if (getField(schema, "file_uploadable") === true) return true;
  return Object.values(schema).some((value) => mentionsUpload(value, depth - 1));
}

/** Keywords whose value is a schema, a list of schemas, or schemas by name. Other values are data. */
const SINGLE: ReadonlySet<string> = new Set(["items", "additionalProperties"]);
const LISTS: ReadonlySet<string> = new Set(COMBINED);
const NAMED: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);

function toPaths(schema: unknown, depth: number): unknown {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema) || depth < 0) return schema;
  if (getField(schema, "file_uploadable") === true) return toPath(schema);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]: [string, unknown]) => {
      if (SINGLE.has(keyword)) return [keyword, toPaths(value, depth - 1)];
      if (LISTS.has(keyword) && Array.isArray(value)) return [keyword, value.map((one) => toPaths(one, depth - 1))];
      if (!NAMED.has(keyword) || typeof value !== "object" || value === null) return [keyword, value];
      const parts = Object.entries(value).map(([name, one]) => [name, toPaths(one, depth - 1)]);
      return [keyword, Object.fromEntries(parts)];
    }),
  );
}

/** `file_uploadable` stays: it is how the arguments are found again. */
function toPath(schema: object): JsonSchema {
  const { title, description, type, nullable } = schema as Readonly<Record<string, unknown>>;
  const mayBeNull = nullable === true || (Array.isArray(type) && type.includes("null"));
  const about = typeof description === "string" && description !== "" ? `${DESCRIPTION} ${description}` : DESCRIPTION;
  return {
    ...(typeof title === "string" ? { title } : {}),
    type: mayBeNull ? ["string", "null"] : "string",
    description: about,
    file_uploadable: true,
  };
}

/**
 * Replaces each argument that is a file. Values that are no paths stay, and the schema refuses them. The first failure ends it.
 * `schema`: with or without paths in the place of files.
 */
export function replaceFiles(schema: JsonSchema, given: unknown, replace: ReplaceFile): Result<unknown> {
  const walk: Walk = { root: schema, replace, visits: 0, failure: null };
  const replaced = replaceIn(walk, schema, given, "", MAX_DEPTH);
  return walk.failure === null ? ok(replaced) : { ok: false, error: walk.failure };
}

/** Returns the paths among the arguments, each with the field that has it first. */
export function listFiles(schema: JsonSchema, given: unknown): { readonly path: string; readonly field: string }[] {
  const found = new Map<string, string>();
  replaceFiles(schema, given, (path, field) => {
    if (!found.has(path)) found.set(path, field);
    return ok(path);
  });
  return [...found].map(([path, field]) => ({ path, field }));
}

/** Puts the uploaded files in the place of their paths, in the provider's form. Fails if one was not uploaded. */
export function fillUploads(schema: JsonSchema, given: unknown, uploads: readonly UploadedFile[]): Result<unknown> {
  const byPath = new Map(uploads.map((file) => [file.path, file]));
  return replaceFiles(schema, given, (path, field) => {
    const file = byPath.get(path);
    if (file === undefined)
      return failed("internal", `${field}: the file was not uploaded. Nothing was sent.`, { field });
    return ok({ name: file.name, mimetype: file.contentType, s3key: file.key });
  });
}

interface Walk {
  readonly root: JsonSchema;
  readonly replace: ReplaceFile;
  visits: number;
  failure: Failure | null;
}

function replaceIn(walk: Walk, given: unknown, value: unknown, field: string, depth: number): unknown {
  walk.visits += 1;
  if (value === undefined || value === null || depth < 0) return value;
  if (walk.failure !== null || walk.visits > MAX_VISITS) return value;
  const schema = followReference(walk.root, given);
  if (typeof value === "string") {
    if (field === "" || !marksFile(walk, schema, depth)) return value;
    const replaced = walk.replace(value, field);
    if (replaced.ok) return replaced.value;
    walk.failure = replaced.error;
    return value;
  }
  if (typeof value !== "object") return value;
  let present: unknown = replaceInParts(walk, schema, value, field, depth);
  for (const name of COMBINED) {
    const parts = getField(schema, name);
    for (const part of Array.isArray(parts) ? parts : []) present = replaceIn(walk, part, present, field, depth - 1);
  }
  return present;
}

function replaceInParts(walk: Walk, schema: unknown, value: object, field: string, depth: number): unknown {
  const join = (name: string | number) => (field === "" ? String(name) : `${field}.${name}`);
  if (Array.isArray(value)) {
    const items = getField(schema, "items");
    if (items === undefined) return value;
    return value.map((one: unknown, index) => replaceIn(walk, items, one, join(index), depth - 1));
  }
  const properties = getField(schema, "properties");
  const others = getField(schema, "additionalProperties");
  const entries = Object.entries(value).map(([name, one]: [string, unknown]) => {
    const part = isRecord(properties) ? (getOwn(properties, name) ?? others) : others;
    return [name, part === undefined ? one : replaceIn(walk, part, one, join(name), depth - 1)];
  });
  return Object.fromEntries(entries);
}

/** True if a schema, or one that it combines, is a file. */
function marksFile(walk: Walk, given: unknown, depth: number): boolean {
  walk.visits += 1;
  if (depth < 0 || walk.visits > MAX_VISITS) return false;
  const schema = followReference(walk.root, given);
  if (getField(schema, "file_uploadable") === true) return true;
  return COMBINED.some((name) => {
    const parts = getField(schema, name);
    return Array.isArray(parts) && parts.some((part) => marksFile(walk, part, depth - 1));
  });
}

/** Returns the schema that a local reference names. */
function followReference(root: JsonSchema, schema: unknown): unknown {
  const reference = getField(schema, "$ref");
  if (typeof reference !== "string" || !reference.startsWith("#/")) return schema;
  let at: unknown = root;
  for (const step of reference.slice(2).split("/"))
    at = isRecord(at) ? getOwn(at, step.replaceAll("~1", "/").replaceAll("~0", "~")) : undefined;
  return at;
}
