/** Finds arguments of an action that are files. The provider marks them in the schema with `file_uploadable`. */
import { getField } from "../base/json-fields.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";

const MAX_DEPTH = 8;
const COMBINED = ["anyOf", "oneOf", "allOf"];

/** Returns the first argument that is a file, as a dotted path; null without one. */
export function findUpload(schema: JsonSchema, given: Readonly<Record<string, unknown>>): string | null {
  return find(schema, given, "", MAX_DEPTH);
}

function find(schema: unknown, value: unknown, path: string, depth: number): string | null {
  if (value === undefined || value === null || depth === 0) return null;
  if (path !== "" && getField(schema, "file_uploadable") === true) return path;
  for (const name of COMBINED) {
    const parts = getField(schema, name);
    for (const part of Array.isArray(parts) ? parts : []) {
      const found = find(part, value, path, depth - 1);
      if (found !== null) return found;
    }
  }
  if (Array.isArray(value)) return findIn(value.entries(), () => getField(schema, "items"), path, depth);
  if (typeof value !== "object") return null;
  const properties = getField(schema, "properties");
  return findIn(Object.entries(value), (name) => getField(properties, String(name)), path, depth);
}

function findIn(
  entries: Iterable<readonly [string | number, unknown]>,
  getSchema: (name: string | number) => unknown,
  path: string,
  depth: number,
): string | null {
  for (const [name, value] of entries) {
    const found = find(getSchema(name), value, path === "" ? String(name) : `${path}.${name}`, depth - 1);
    if (found !== null) return found;
  }
  return null;
}
