/** The person of a channel who asks for a task. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { PersonAddress } from "../../core/people/person.ts";
import type { TaskSource } from "../../core/task/source.ts";
import type { Caller } from "../../core/task/state.ts";

/** The source of a request. A Slack task's metadata names its user as `team/user`. */
interface Asked {
  readonly via: TaskSource;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Finds the tenant's record of the person who asks. Null without one, or when it cannot be read: no task fails for a
 * name. A task by the API costs no statement.
 */
export async function findCaller(env: Env, tenant: string, asked: Asked): Promise<Caller | null> {
  const address = toAddress(asked);
  if (address === null) return null;
  const found = await databaseFromEnv(env).people.findByAddress(tenant, address);
  if (!found.ok || found.value === null) return null;
  const { name, timeZone } = found.value;
  return { name, timeZone };
}

function toAddress({ via, metadata = {} }: Asked): PersonAddress | null {
  if (via.channel === "email") return via.id === null ? null : { kind: "email", address: via.id };
  const written = via.channel === "slack" ? metadata["slack_user"] : undefined;
  const [team, user] = typeof written === "string" ? written.split("/") : [];
  return team === undefined || user === undefined ? null : { kind: "slack", team, user };
}
