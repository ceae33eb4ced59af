/** The people that a task can ask. */
import type { Result } from "../base/errors.ts";

/** A found person. `id` is null when the tenant has no people, and the name is used as given. */
export interface FoundPerson {
  readonly id: string | null;
  readonly name: string;
}

/** The people of one tenant. Never throws. */
export interface PeoplePort {
  /**
   * Finds the person of an id, a name, or a unique alias or first name. `not_found` and `invalid_input` (ambiguous)
   * list the candidates; `upstream_failed` while the database is unavailable.
   */
  find(name: string): Promise<Result<FoundPerson>>;
}
