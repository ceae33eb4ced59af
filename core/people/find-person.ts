/** Finds the person that a name means. */
import { failed, ok, type Result } from "../base/errors.ts";
import { getNameKey, type PersonRecord } from "./person.ts";
import type { PeopleNames, PersonTable } from "../ports/person-table.ts";

/** Names in an error. */
const MAX_LISTED = 50;
/** Candidates for one name; with more of them, the name is ambiguous. */
const MAX_CANDIDATES = 20;

/**
 * Finds a person by id, by exact name, or by an alias or first name that is unique. Unknown or ambiguous: `not_found`
 * or `invalid_input` with the candidates. Null when the tenant has no people. Fails while the table is away.
 */
export async function findPerson(
  people: Pick<PersonTable, "findByName" | "names">,
  tenant: string,
  asked: string,
): Promise<Result<PersonRecord | null>> {
  const meant = await people.findByName(tenant, asked, MAX_CANDIDATES);
  if (!meant.ok) return meant;
  const exact = findExact(meant.value, asked);
  if (exact !== null) return ok(exact);
  const [only, ...others] = meant.value;
  if (only !== undefined && others.length === 0) return ok(only);
  if (only !== undefined) return failed("invalid_input", describeAmbiguous(asked, meant.value));
  const names = await people.names(tenant, MAX_LISTED);
  if (!names.ok) return names;
  return names.value.total === 0 ? ok(null) : failed("not_found", describeUnknown(asked, names.value));
}

function findExact(meant: readonly PersonRecord[], asked: string): PersonRecord | null {
  const byId = meant.find(({ id }) => id === asked);
  return byId ?? meant.find(({ name }) => getNameKey(name) === getNameKey(asked)) ?? null;
}

function describeAmbiguous(asked: string, meant: readonly PersonRecord[]): string {
  const more = meant.length < MAX_CANDIDATES ? "" : " and maybe more";
  return `"${asked}" could be ${meant.map(({ name }) => name).join(", ")}${more}. Use the full name.`;
}

function describeUnknown(asked: string, { names, total }: PeopleNames): string {
  const left = total - names.length;
  const more = left > 0 ? ` and ${left} more` : "";
  return `No person is called "${asked}". The people are: ${names.join(", ")}${more}.`;
}
