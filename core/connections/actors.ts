/**
 * Who wrote what steers a task: its input, its messages, the answers and decisions that its model reads. Actors only
 * grow. An author without a record is unknown, and an unknown one counts as somebody else.
 */

/** Who wrote a text or a decision. `person` is null if the author has no record. */
export interface Actor {
  readonly person: string | null;
  readonly name: string;
}

/** Who steered a task. More than `MAX_ACTORS` people count as unknown. */
export interface Actors {
  /** The person for whom the task acts; null for nobody. */
  readonly caller: string | null;
  /** Ids of people, first seen first. */
  readonly people: readonly string[];
  readonly hasUnknown: boolean;
}

/** The most people that a task names. They are in its stored state and in every job. */
export const MAX_ACTORS = 50;

/** The actors of a task whose authors nobody recorded. */
export const UNKNOWN_ACTORS: Actors = { caller: null, people: [], hasUnknown: true };

/** Returns the actors of a new task. `author` is the person who wrote its input; null if unknown. */
export function startActors(caller: string | null, author: string | null): Actors {
  return addPerson({ caller, people: [], hasUnknown: false }, author);
}

/** Adds the author of a text; null if unknown. Returns the same object if nothing changes. */
export function addActor(actors: Actors, actor: Actor | null): Actors {
  return addPerson(actors, actor?.person ?? null);
}

/**
 * Adds the actors of another task, and keeps the caller. Undefined: an object of an earlier release reports none, so
 * they are unknown. Returns the same object if nothing changes.
 */
export function joinActors(actors: Actors, others: Actors | undefined): Actors {
  const { people, hasUnknown } = others ?? UNKNOWN_ACTORS;
  const joined = people.reduce(addPerson, actors);
  return hasUnknown ? addPerson(joined, null) : joined;
}

/** True if this person, and nobody else, steered the task. */
export function isOnlyActor({ people, hasUnknown }: Actors, person: string): boolean {
  return !hasUnknown && people.length === 1 && people[0] === person;
}

function addPerson(actors: Actors, person: string | null): Actors {
  const { people, hasUnknown } = actors;
  if (person !== null && people.includes(person)) return actors;
  if (person !== null && people.length < MAX_ACTORS) return { ...actors, people: [...people, person] };
  return hasUnknown ? actors : { ...actors, hasUnknown: true };
}
