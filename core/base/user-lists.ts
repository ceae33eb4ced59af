/** Lists that say who may use a thing of a tenant: a database or a codebase. */

/** Names of agents, names of projects, ids of people (`per_…`). Null: the list was not given. */
export interface UserLists {
  readonly agents: readonly string[] | null;
  readonly projects: readonly string[] | null;
  readonly people: readonly string[] | null;
}

/** The task that wants to use it. `person`: the one for whom it acts; null for nobody. */
export interface ListedUser {
  readonly agent: string;
  readonly project: string | null;
  readonly person: string | null;
}

/** True if there is a list, and each given list names the user. An empty list names nobody. */
export function isListed({ agents, projects, people }: UserLists, { agent, project, person }: ListedUser): boolean {
  const lists = [
    [agents, agent],
    [projects, project],
    [people, person],
  ] as const;
  const given = lists.filter(([list]) => list !== null);
  return given.length > 0 && given.every(([list, one]) => one !== null && list?.includes(one) === true);
}
