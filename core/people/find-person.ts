/** Which person a name means. */
import { failed, ok, type Result } from "../base/errors.ts";
import { nameKey, type PersonRecord } from "./person.ts";
import type { PeopleNames, PersonTable } from "../ports/person-table.ts";

/** Names that an error lists. */
const MAX_LISTED = 50;
/** People who are looked at for one name: with more of one first name, all of them are ambiguous anyhow. */
const MAX_MEANT = 20;

/**
 * The person whom a name means: by the id, the exact name, or an alias or first name that is only one person's. Unknown or
 * ambiguous: `not_found` or `invalid_input`, which say who there is. Null: the tenant has no people at all, so nobody can be
 * meant and nobody listed. Fails while the table is away.
 */
export async function findPerson(
  people: Pick<PersonTable, "findByName" | "names">,
  tenant: string,
  asked: string,
): Promise<Result<PersonRecord | null>> {
  const meant = await people.findByName(tenant, asked, MAX_MEANT);
  if (!meant.ok) return meant;
  const exact = exactly(meant.value, asked);
  if (exact !== null) return ok(exact);
  const [only, ...others] = meant.value;
  if (only !== undefined && others.length === 0) return ok(only);
  if (only !== undefined) return failed("invalid_input", ambiguous(asked, meant.value));
  const names = await people.names(tenant, MAX_LISTED);
  if (!names.ok) return names;
  return names.value.total === 0 ? ok(null) : failed("not_found", nobody(asked, names.value));
}

function exactly(meant: readonly PersonRecord[], asked: string): PersonRecord | null {
  const byId = meant.find(({ id }) => id === asked);
  return byId ?? meant.find(({ name }) => nameKey(name) === nameKey(asked)) ?? null;
}

function ambiguous(asked: string, meant: readonly PersonRecord[]): string {
  const more = meant.length < MAX_MEANT ? "" : " and maybe more";
  return `"${asked}" could be ${meant.map(({ name }) => name).join(", ")}${more}. Use the whole name.`;
}

function nobody(asked: string, { names, total }: PeopleNames): string {
  const left = total - names.length;
  const more = left > 0 ? ` and ${left} more` : "";
  return `There is nobody called "${asked}". There are: ${names.join(", ")}${more}.`;
}
