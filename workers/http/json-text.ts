/**
 * Text that cannot be kept as it came. JSON can write a lone surrogate (`"\ud800"`), which UTF-8 cannot, and NUL
 * (`"\u0000"`), which Postgres' jsonb and text cannot (https://www.postgresql.org/docs/current/datatype-json.html). Both
 * are refused at the door, so that whatever is taken comes back byte for byte.
 */
import { MAX_DEPTH } from "../../core/base/json-size.ts";

/** The first value of a parsed body that cannot be taken, with its dotted place; null when all of it can. Does not recurse. */
export function findBadText(root: unknown): { field: string; message: string } | null {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: root, path: "", depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, depth } = next;
    const field = path === "" ? "body" : path;
    if (typeof value === "string") {
      const message = badText(value);
      if (message !== null) return { field, message };
    } else if (typeof value === "object" && value !== null) {
      if (depth === MAX_DEPTH) return { field, message: `is nested deeper than ${MAX_DEPTH} levels` };
      for (const [name, inner] of Object.entries(value)) {
        const message = Array.isArray(value) ? null : badName(name);
        if (message !== null)
          return { field: `${field}.${name.toWellFormed().replaceAll("\0", "\\0").slice(0, 100)}`, message };
        open.push({ value: inner, path: path === "" ? name : `${path}.${name}`.slice(0, 300), depth: depth + 1 });
      }
    }
  }
  return null;
}

/** What is wrong with a text; null when it can be kept. */
export function badText(text: string): string | null {
  if (text.includes("\0")) return "holds a NUL character";
  return text.isWellFormed() ? null : "holds a lone surrogate";
}

function badName(name: string): string | null {
  return name === "__proto__" ? "is a name that cannot be used" : badText(name);
}
