/** For whom a requested task acts: `acts_for` of the request, or the person of its key. */
import { z } from "zod";
import { raise } from "../../core/base/errors.ts";
import type { CallingPerson } from "../../core/task/new-task.ts";
import type { KeyPerson } from "../../core/tenant/rpc.ts";
import type { AppContext } from "../http/context.ts";
import { getPerson, getTenant, hasScope } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { findNamedPerson, toKeyPerson } from "../people/key-person.ts";

/** Only of a request: what a model writes, such as the task of a schedule, has no such field. */
export const actsForSchema = z
  .string()
  .nullable()
  .optional()
  .describe(
    "The id of the person for whom the task acts, `per_…`; null: nobody. The person of the key when omitted. Another person needs the scope `people:act`.",
  );

/** Returns the person for whom a request's task acts; null: nobody. */
export async function readActsFor(c: AppContext, asked: string | null | undefined): Promise<CallingPerson | null> {
  const own = getPerson(c);
  if (asked === undefined || asked === own?.id) return own === null ? null : toCallingPerson(own);
  if (asked === null) return null;
  if (!hasScope(c, "people:act"))
    raise("forbidden", "Only a key with the scope people:act may act for another person.", { field: "acts_for" });
  return toCallingPerson(toKeyPerson(unwrap(await findNamedPerson(c.env, getTenant(c), asked, "acts_for"))));
}

function toCallingPerson({ id, name, timeZone }: KeyPerson): CallingPerson {
  return { person: id, name, timeZone };
}
