/** Resolves `$ref`: the schema itself, a JSON pointer into it, or an anchor in it. Nothing outside. */
import { getOwn } from "../../base/own-field.ts";
import { isObject, type RawSchema, SchemaFault } from "./keyword.ts";
import { escapeStep } from "./run.ts";

/** A schema inside the whole one, and its location. */
export interface Target {
  readonly raw: unknown;
  readonly pointer: string;
}

/** Finds the target of a reference from the schema at `from`. `anchors` are by name. */
export function findTarget(
  root: unknown,
  anchors: ReadonlyMap<string, Target>,
  reference: string,
  from: string,
): Target {
  const fragment = getLocalFragment(root, reference);
  if (fragment === null) throw new SchemaFault(from, `$ref leads outside, to ${reference}: only #… can be followed`);
  const decoded = decode(fragment);
  if (decoded === null) throw new SchemaFault(from, `$ref is badly encoded: ${reference}`);
  const target = decoded === "" || decoded.startsWith("/") ? followPointer(root, decoded) : anchors.get(decoded);
  if (target === undefined) throw new SchemaFault(from, `$ref leads to nothing: ${reference}`);
  return target;
}

/** Returns the fragment of a reference to the schema itself; null for another. */
function getLocalFragment(root: unknown, reference: string): string | null {
  const id = isObject(root) && typeof root["$id"] === "string" ? root["$id"].replace(/#.*$/s, "") : "";
  const hash = reference.indexOf("#");
  const base = hash < 0 ? reference : reference.slice(0, hash);
  if (base !== "" && base !== id) return null;
  return hash < 0 ? "" : reference.slice(hash + 1);
}

function decode(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}

function followPointer(root: unknown, path: string): Target | undefined {
  let raw = root;
  let pointer = "";
  for (const step of path.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof raw !== "object" || raw === null || !Object.hasOwn(raw, key)) return undefined;
    raw = getOwn(raw as RawSchema, key);
    pointer += escapeStep(key);
  }
  return { raw, pointer };
}
