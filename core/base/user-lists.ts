/**
 * Lists that say who may use a thing of a tenant: a database or a codebase. The API accepts and returns agents by name. Lists are stored with
 * ids of agents, so that neither a new name nor another agent of an old name changes who may use it. Limit: 200 entries a list.
 */
import { z } from "zod";
import { isId } from "./ids.ts";

const MAX_USERS = 200;
const MAX_NAME_CHARACTERS = 200;
/** The built-in agent has no id of the usual form. */
const BUILT_IN = { id: "agent_default", name: "default" } as const;

/** Ids of agents, names of projects, ids of people (`per_…`). Null: the list was not given. */
export interface UserLists {
  readonly agents: readonly string[] | null;
  readonly projects: readonly string[] | null;
  readonly people: readonly string[] | null;
}

export const NO_LISTS: UserLists = { agents: null, projects: null, people: null };

/** A change of the lists. An absent list stays; null: it no longer limits. */
export type UserListsChange = { readonly [List in keyof UserLists]?: UserLists[List] | undefined };

/** The task that wants to use it. `person`: the one for whom it acts; null for nobody. */
export interface ListedUser {
  readonly agent: { readonly id: string; readonly name: string };
  readonly project: string | null;
  readonly person: string | null;
}

const users = z.array(z.string().min(1).max(MAX_NAME_CHARACTERS)).max(MAX_USERS);

/** The lists of a new thing. */
export const userListsShape = {
  agents: users
    .optional()
    .describe("Names of the agents that may use it; `default` is the built-in one. Ids are accepted too."),
  projects: users.optional().describe("Names of the projects whose tasks may use it."),
  people: users.optional().describe("Ids of the people (`per_…`) for whom a task may use it."),
} as const;

/** The lists of a change. */
export const userListsChangeShape = {
  agents: users.nullable().optional().describe("Names of agents. Null: this list no longer limits."),
  projects: users.nullable().optional().describe("Names of projects. Null: this list no longer limits."),
  people: users.nullable().optional().describe("Ids of people (`per_…`). Null: this list no longer limits."),
} as const;

const shownUsers = z.array(z.string()).nullable();

/** The lists in replies. */
export const userListsViewShape = {
  agents: shownUsers.describe(
    "Names of the agents that may use it, without deleted ones; null: this list does not limit it.",
  ),
  projects: shownUsers.describe("The projects whose tasks may use it; null: this list does not limit it."),
  people: shownUsers.describe("Ids of the people for whom a task may use it; null: this list does not limit it."),
} as const;

export const NO_LIST = "At least one of agents, projects and people has to say who may use it.";

/** True if at least one list is given. An empty list counts: it names nobody. */
export function hasList({ agents, projects, people }: UserListsChange): boolean {
  return [agents, projects, people].some((list) => list !== undefined && list !== null);
}

/** The lists after a change. */
export function changeLists(present: UserLists, { agents, projects, people }: UserListsChange): UserLists {
  return {
    agents: agents === undefined ? present.agents : agents,
    projects: projects === undefined ? present.projects : projects,
    people: people === undefined ? present.people : people,
  };
}

/** True if there is a list, and each given list names the user. An empty list names nobody. */
export function isListed({ agents, projects, people }: UserLists, { agent, project, person }: ListedUser): boolean {
  const named = [
    agents?.some((entry) => isAgent(entry, agent)),
    projects?.some((entry) => entry === project),
    people?.some((entry) => entry === person),
  ].filter((one) => one !== undefined);
  return named.length > 0 && named.every(Boolean);
}

/**
 * Agents of a stored list by name. `names`: of those that are not deleted, by id. A deleted agent is left out. An entry that is no id is a name
 * already: codebases were once stored so.
 */
export function nameAgents(entries: readonly string[], names: ReadonlyMap<string, string>): readonly string[] {
  const shown = entries.flatMap((entry) => {
    if (entry === BUILT_IN.id) return [BUILT_IN.name];
    const name = isAgentId(entry) ? names.get(entry) : entry;
    return name === undefined ? [] : [name];
  });
  return [...new Set(shown)];
}

/** True for an entry that is the id of an agent, and not a name. */
export function isAgentId(entry: string): boolean {
  return entry === BUILT_IN.id || isId("agent", entry);
}

/** An id is compared with ids alone, because an agent may have a name of that form. */
function isAgent(entry: string, { id, name }: ListedUser["agent"]): boolean {
  return entry === (isAgentId(entry) ? id : name);
}
