/** Finds a codebase of the tenant for a route, and writes it into a reply. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { raise } from "../../core/base/errors.ts";
import { isId } from "../../core/base/ids.ts";
import type { Codebase } from "../../core/codebases/codebase.ts";
import { readListNames } from "../agents/user-lists.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { toCodebaseView } from "./view.ts";

/** Raises `not_found` for an unknown id. */
export async function findCodebase(c: AppContext, id: string): Promise<Codebase> {
  if (!isId("codebase", id)) raise("not_found", "There is no such codebase.");
  return unwrap(await databaseFromEnv(c.env).codebases.get(getTenant(c), id));
}

export async function showCodebase(c: AppContext, one: Codebase) {
  return toCodebaseView(one, await readListNames(c, [one]));
}
