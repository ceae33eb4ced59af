/** The conversations of a task in which something can be asked. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { DeliverTo } from "../../core/task/source.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { findPerson } from "../../core/people/find-person.ts";
import type { PersonAddress, PersonRecord } from "../../core/people/person.ts";
import { type Station, stationsOfPerson } from "../../core/people/route-ask.ts";

/**
 * Where a task delivers to, in order, as far as there is somebody who can decide it: the conversations of Slack, where each
 * who decides is checked, and people who may. An address that is nobody's is not asked: nobody could answer from it.
 */
export async function stationsOfTask(
  env: Env,
  tenant: string,
  deliver: readonly DeliverTo[],
  kind: "question" | "approval",
): Promise<Result<Station[]>> {
  const stations: Station[] = [];
  for (const target of deliver) {
    const found = await stationOf(env, tenant, target);
    if (!found.ok) return found;
    for (const station of found.value) if (mayDecide(station.person, kind)) stations.push(station);
  }
  return ok(stations);
}

function mayDecide(person: PersonRecord | null, kind: "question" | "approval"): boolean {
  return person === null || person.mayApprove || (kind === "question" && person.mayAnswer);
}

async function stationOf(env: Env, tenant: string, { channel, to }: DeliverTo): Promise<Result<readonly Station[]>> {
  const { people } = databaseFromEnv(env);
  switch (channel) {
    case "webhook":
      return ok([]);
    case "person": {
      const found = await findPerson(people, tenant, to);
      if (found.ok) return ok(found.value === null ? [] : stationsOfPerson(found.value));
      return found.error.code === "upstream_failed" ? found : ok([]);
    }
    case "email": {
      const stations: Station[] = [];
      for (const address of to.split(",").map((each) => each.trim())) {
        const found = await people.byAddress(tenant, { kind: "email", address });
        if (!found.ok) return found;
        if (found.value !== null) stations.push({ channel, to: address, person: found.value });
      }
      return ok(stations);
    }
    case "slack": {
      const member = memberOf(to);
      const found = member === null ? ok(null) : await people.byAddress(tenant, member);
      return found.ok ? ok([{ channel, to, person: found.value }]) : found;
    }
  }
}

/** The member that `T…/U…` is; null: it is a conversation. */
function memberOf(to: string): PersonAddress | null {
  const [, team, user] = /^([TE][A-Z0-9]+)\/([UW][A-Z0-9]+)$/.exec(to) ?? [];
  return team === undefined || user === undefined ? null : { kind: "slack", team, user };
}
