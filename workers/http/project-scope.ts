/** The projects of a list or search: those that the request names, within those of its key. */
import { raise } from "../../core/base/errors.ts";
import type { MemoryScope } from "../../core/memory/memory.ts";
import { checkProject } from "../../core/tenant/key-bounds.ts";
import type { AppContext } from "./context.ts";
import { getBounds } from "./middleware/key-bounds.ts";
import { unwrap } from "./unwrap.ts";

interface AskedScope {
  readonly project?: string | undefined;
  /** `tenant`: what belongs to no project. */
  readonly scope?: string | undefined;
}

/** The projects of the caller's key; null: all of the tenant, with what belongs to no project. */
export function getKeyScope(c: AppContext): MemoryScope {
  return getBounds(c)?.projects ?? null;
}

/**
 * Throws `invalid_input` if both are given, `forbidden` for a key of projects that asks for `tenant`, and `not_found` for a
 * project outside its key. `things`: what is listed, in the plural.
 */
export function readProjectScope(c: AppContext, { project, scope }: AskedScope, things: string): MemoryScope {
  if (scope !== "tenant") {
    if (project === undefined) return getKeyScope(c);
    unwrap(checkProject(getBounds(c), project));
    return [project];
  }
  if (project !== undefined)
    raise("invalid_input", `scope: \`tenant\` selects ${things} without a project; omit project`, { field: "scope" });
  if (getKeyScope(c) !== null)
    raise("forbidden", "This key is bound to projects. Name one of them in project.", { field: "scope" });
  return [null];
}
