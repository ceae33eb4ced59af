/** Which triggers a caller may see and change. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { raise } from "../../core/base/errors.ts";
import { isId } from "../../core/base/ids.ts";
import { mayUseTrigger, type Trigger } from "../../core/triggers/trigger.ts";
import type { AppContext, MiddlewareContext } from "../http/context.ts";
import { getPerson, getTenant, hasScope } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";

/** Returns a trigger that the caller may see. */
export async function findTrigger(c: MiddlewareContext, id: string): Promise<Trigger> {
  if (!isId("trigger", id)) raise("not_found", "There is no such trigger.");
  const found = unwrap(await databaseFromEnv(c.env).triggers.get(getTenant(c), id));
  return mayUseTrigger(found, getReader(c)) ? found : raise("not_found", "There is no such trigger.");
}

export function getReader(c: MiddlewareContext): { readonly person: string | null; readonly isAdmin: boolean } {
  return { person: getPerson(c)?.id ?? null, isAdmin: hasScope(c, "admin") };
}

/** A trigger of a shared account serves the whole tenant, as the account does. */
export function requireAdminOfShared(c: AppContext, { owner }: Pick<Trigger, "owner">): void {
  if (owner === null && !hasScope(c, "admin")) raise("forbidden", SHARED);
}

const SHARED =
  "Only an administrator can create or change triggers of a shared account. Use an account of your own, or ask an administrator.";
