/** Finds the conversations of a task in which a question can be asked. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { DeliverTo } from "../../core/task/source.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { findPerson } from "../../core/people/find-person.ts";
import type { PersonRecord } from "../../core/people/person.ts";
import { CHANNELS, loadHandlers } from "../channels/channels.ts";
import { type AskDestination, listPersonDestinations } from "../../core/people/route-ask.ts";

/**
 * Returns the task's delivery targets at which somebody can decide, in order: Slack conversations, where each person
 * who decides is checked, and people who may. An address without a person is left out, because nobody could answer
 * from it.
 */
export async function findDestinations(
  env: Env,
  tenant: string,
  deliver: readonly DeliverTo[],
  kind: "question" | "approval",
): Promise<Result<AskDestination[]>> {
  const stations: AskDestination[] = [];
  for (const target of deliver) {
    const found = await toDestination(env, tenant, target);
    if (!found.ok) return found;
    for (const station of found.value) if (canDecide(station.person, kind)) stations.push(station);
  }
  return ok(stations);
}

function canDecide(person: PersonRecord | null, kind: "question" | "approval"): boolean {
  return person === null || person.mayApprove || (kind === "question" && person.mayAnswer);
}

async function toDestination(
  env: Env,
  tenant: string,
  { channel, to }: DeliverTo,
): Promise<Result<readonly AskDestination[]>> {
  if (channel !== "person") {
    const handlers = await loadHandlers(CHANNELS, channel);
    return (await handlers?.findStations?.(env, tenant, to)) ?? ok([]);
  }
  const found = await findPerson(databaseFromEnv(env).people, tenant, to);
  if (found.ok) return ok(found.value === null ? [] : listPersonDestinations(found.value));
  return found.error.code === "upstream_failed" ? found : ok([]);
}
