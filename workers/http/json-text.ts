/**
 * Refuses text that cannot be stored. JSON can write a lone surrogate (`"\ud800"`), which UTF-8 cannot, and NUL
 * (`"\u0000"`), which Postgres' jsonb and text cannot (https://www.postgresql.org/docs/current/datatype-json.html).
 * Everything that is accepted returns byte for byte.
 */
import { MAX_DEPTH } from "../../core/base/json-size.ts";

/**
 * Returns the first value of a parsed body that cannot be stored, with its dotted path; null if every value can be stored. Does
 * not recurse.
 */
export function findBadText(root: unknown): { field: string; message: string } | null {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: root, path: "", depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, depth } = next;
    const field = path === "" ? "body" : path;
    if (typeof value === "string") {
      const message = findTextProblem(value);
      if (message !== null) return { field, message };
    } else if (typeof value === "object" && value !== null) {
      if (depth === MAX_DEPTH) return { field, message: `is nested deeper than ${MAX_DEPTH} levels` };
      for (const [name, inner] of Object.entries(value)) {
        const message = Array.isArray(value) ? null : findNameProblem(name);
        if (message !== null)
          return { field: `${field}.${name.toWellFormed().replaceAll("\0", "\\0").slice(0, 100)}`, message };
        open.push({ value: inner, path: path === "" ? name : `${path}.${name}`.slice(0, 300), depth: depth + 1 });
      }
    }
  }
  return null;
}

/** Explains why a text cannot be stored; null if it can. */
export function findTextProblem(text: string): string | null {
  if (text.includes("\0")) return "holds a NUL character";
  return text.isWellFormed() ? null : "contains a lone surrogate";
}

function findNameProblem(name: string): string | null {
  return name === "__proto__" ? "is a name that cannot be used" : findTextProblem(name);
}
