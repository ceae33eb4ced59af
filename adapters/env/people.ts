/** The people of a tenant. */
import { openPeople } from "../database/find-people.ts";
import type { Env } from "./bindings.ts";
import { databaseFromEnv } from "./database.ts";
import type { PeoplePort } from "../../core/ports/people.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** The people whom a task can ask. */
export function peopleFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">): PeoplePort {
  return openPeople(databaseFromEnv(env).people, tenant);
}
