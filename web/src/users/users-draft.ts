/** Who may use a database or a codebase: the lists of the form, and their words. */

/** The lists as the API has them. Null: that list does not limit. People by id. */
export interface Users {
  readonly agents: readonly string[] | null;
  readonly projects: readonly string[] | null;
  readonly people: readonly string[] | null;
}

/** The lists of a new thing: the built-in agent alone. */
export const NEW_USERS: Users = { agents: ["default"], projects: null, people: null };

export const LIST_WORDS = { agents: "Agents", projects: "Projects", people: "People" } as const;
export type ListName = keyof typeof LIST_WORDS;
const LISTS: readonly ListName[] = ["agents", "projects", "people"];

/** True if no task can use it: no list is given, or a given one is empty. */
export function isForNobody(users: Users): boolean {
  const given = LISTS.map((list) => users[list]).filter((list) => list !== null);
  return given.length === 0 || given.some((list) => list.length === 0);
}

/** The given lists in words. `personName` names a person by id. */
export function describeUsers(users: Users, personName: (id: string) => string): readonly string[] {
  return LISTS.flatMap((list) => {
    const entries = users[list];
    if (entries === null) return [];
    const names = list === "people" ? entries.map(personName) : entries;
    return [`${LIST_WORDS[list]}: ${names.length === 0 ? "none" : names.join(", ")}`];
  });
}

/** The lists of a request that adds something. */
export function toNewUsers({ agents, projects, people }: Users): { [List in ListName]?: string[] } {
  return {
    ...(agents === null ? {} : { agents: [...agents] }),
    ...(projects === null ? {} : { projects: [...projects] }),
    ...(people === null ? {} : { people: [...people] }),
  };
}

/** The lists of a request that changes something. */
export function toChangedUsers({ agents, projects, people }: Users): { [List in ListName]: string[] | null } {
  const copy = (list: readonly string[] | null): string[] | null => (list === null ? null : [...list]);
  return { agents: copy(agents), projects: copy(projects), people: copy(people) };
}
