/** Whom a task can ask. */
import type { Result } from "../base/errors.ts";

/** Somebody who was found: `id` null when the tenant has no people, and the name is taken as it is. */
export interface FoundPerson {
  readonly id: string | null;
  readonly name: string;
}

/** The people of one tenant. Never throws. */
export interface PeoplePort {
  /**
   * Whom a name means: an id, a name, or an alias or first name that is only one person's. `not_found` and `invalid_input`
   * (it could be several) say who there is; `upstream_failed` while the database is away, when nobody may be asked.
   */
  find(name: string): Promise<Result<FoundPerson>>;
}
