/** Chooses the database of a query. */
import { failed, ok, type Result } from "../base/errors.ts";
import { findNearest } from "../base/nearest.ts";
import { isListed, type ListedUser, type UserLists } from "../base/user-lists.ts";
import type { DatabaseStatus } from "./database.ts";

/** What the choice reads of a database. */
export interface DatabaseChoice extends UserLists {
  readonly name: string;
  readonly status: DatabaseStatus;
}

const MAX_NAMED = 10;

/** Chooses the database with this name, or without one the only one that the user may use. It has passed its check. */
export function chooseDatabase<T extends DatabaseChoice>(
  databases: readonly T[],
  name: string | null,
  user: ListedUser,
): Result<T> {
  const usable = databases.filter((database) => isListed(database, user));
  const found = name === null ? chooseOnly(usable) : findNamed(databases, usable, name);
  if (!found.ok || found.value.status === "ready") return found;
  const { name: known, status } = found.value;
  const why = status === "rejected" ? "its role may write" : "it was not checked since its address was set";
  return failed(
    "not_available",
    `The database ${known} cannot be queried: ${why}. An administrator checks it by POST /v1/databases/${known}/check.`,
    { field: "database_name" },
  );
}

function chooseOnly<T extends DatabaseChoice>(usable: readonly T[]): Result<T> {
  const [only, ...others] = usable;
  if (only === undefined)
    return failed(
      "not_found",
      "No database is open to this task. An administrator can add one with POST /v1/databases, or name this agent, project or person in the lists of one.",
    );
  if (others.length === 0) return ok(only);
  return failed("invalid_input", `Name the database: ${listNames(usable)}.`, { field: "database_name" });
}

function findNamed<T extends DatabaseChoice>(databases: readonly T[], usable: readonly T[], name: string): Result<T> {
  const isNamed = (database: T) => database.name.toLowerCase() === name.toLowerCase();
  const found = usable.find(isNamed);
  if (found !== undefined) return ok(found);
  if (databases.some(isNamed))
    return failed(
      "permission_denied",
      `The database ${name} is not open to this task: its lists of agents, projects and people do not all have it.`,
      { field: "database_name" },
    );
  const names = usable.map((database) => database.name);
  const nearest = findNearest(name, names);
  const hint = nearest === null ? listNames(usable) : nearest;
  const rest = usable.length === 0 ? "None is open to this task." : `Open to this task: ${hint}.`;
  return failed("not_found", `There is no database ${name}. ${rest}`, { field: "database_name" });
}

function listNames(databases: readonly DatabaseChoice[]): string {
  const names = databases.slice(0, MAX_NAMED).map(({ name }) => name);
  return names.join(", ");
}
