/** The lists of who may use a database or a codebase: read from a request, and written into a reply. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { raise } from "../../core/base/errors.ts";
import { isAgentId, nameAgents, type UserLists, type UserListsChange } from "../../core/base/user-lists.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { readAgentIds } from "./resolve.ts";

/** Lists in a reply: agents by name. */
type UserListsView = { [List in keyof UserLists]: string[] | null };

/**
 * Returns the given lists in their stored form: agents by id. `invalid_input` names an unknown agent or person. A person of `stored`,
 * the lists before the change, is accepted without a record: a reply shows deleted people, and can be sent back.
 */
export async function readUsers(
  c: AppContext,
  { agents, projects, people }: UserListsChange,
  stored: Pick<UserLists, "people">,
): Promise<UserListsChange> {
  for (const [index, id] of (people ?? []).entries()) {
    if (stored.people?.includes(id) === true) continue;
    const found = await databaseFromEnv(c.env).people.get(getTenant(c), id);
    if (!found.ok && found.error.code === "not_found")
      raise("invalid_input", "There is no person with this id.", { field: `people.${index}` });
    unwrap(found);
  }
  return {
    agents: agents === undefined || agents === null ? agents : await readAgentIds(c, agents, "agents"),
    projects,
    people,
  };
}

/** Returns a function that writes the lists of any of these things into a reply. It reads the names of all their agents at once. */
export async function readListNames(
  c: AppContext,
  all: readonly UserLists[],
): Promise<(lists: UserLists) => UserListsView> {
  const ids = new Set(all.flatMap(({ agents }) => agents ?? []).filter(isAgentId));
  const names = ids.size === 0 ? new Map() : unwrap(await databaseFromEnv(c.env).agents.names(getTenant(c), [...ids]));
  return ({ agents, projects, people }) => ({
    agents: agents === null ? null : [...nameAgents(agents, names)],
    projects: projects === null ? null : [...projects],
    people: people === null ? null : [...people],
  });
}
