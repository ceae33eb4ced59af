/** Where the places of a tenant are: its people, its workspaces of Slack and the endpoints of its webhooks. */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import type { Places } from "../../../core/channels/outbox/targets.ts";
import { BY_API, type WayIn } from "../../../core/task/source.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import { isId } from "../../../core/base/ids.ts";
import { findPerson } from "../../../core/people/find-person.ts";
import { stationsOfPerson } from "../../../core/people/route-ask.ts";

/** `via`: how the task came that the places are of. */
export function placesOf(env: Env, tenant: string, via: WayIn = BY_API): Places {
  const { people, slackInstalls, endpoints } = databaseFromEnv(env);
  return {
    home: via.channel === "slack" ? (via.id?.split("/")[0] ?? null) : null,

    workspaces: () => slackInstalls.active(tenant),

    async person(asked) {
      const person = await findPerson(people, tenant, asked);
      if (!person.ok) return person;
      if (person.value === null) return NO_PEOPLE;
      const targets = stationsOfPerson(person.value).map(({ channel, to }) => ({ channel, to }));
      return ok({ id: person.value.id, targets });
    },

    async hasEndpoint(id) {
      if (!isId("endpoint", id)) return ok(false);
      const read = await endpoints.get(tenant, id);
      if (read.ok) return ok(true);
      return read.error.code === "not_found" ? ok(false) : read;
    },
  };
}

const NO_PEOPLE = failed("not_found", "There are no people yet. POST /v1/people adds one.");
