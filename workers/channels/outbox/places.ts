/** Finds the targets of a tenant: its people, and what each channel finds. */
import type { Env } from "../../../adapters/env/bindings.ts";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { API_SOURCE, type TaskSource } from "../../../core/task/source.ts";
import type { Destinations } from "../../../core/channels/outbox/targets.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import { findPerson } from "../../../core/people/find-person.ts";
import { CHANNEL_NAMES, CHANNELS, loadHandlers } from "../channels.ts";
import { listPersonDestinations } from "../../../core/people/route-ask.ts";

/** `via` is the source of the task that delivers. */
export function openPlaces(env: Env, tenant: string, via: TaskSource = API_SOURCE): Destinations {
  const { people } = databaseFromEnv(env);
  return {
    channels: CHANNEL_NAMES,

    async person(asked) {
      const person = await findPerson(people, tenant, asked);
      if (!person.ok) return person;
      if (person.value === null) return NO_PEOPLE;
      const targets = listPersonDestinations(person.value).map(({ channel, to }) => ({ channel, to }));
      return ok({ id: person.value.id, targets });
    },

    async resolve(channel, to) {
      const handlers = await loadHandlers(CHANNELS, channel);
      return handlers === null ? null : await handlers.resolve(to, { env, tenant, via });
    },
  };
}

const NO_PEOPLE = failed("not_found", "There are no people yet. POST /v1/people adds one.");
