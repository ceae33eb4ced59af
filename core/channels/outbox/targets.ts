/** Where `deliver` points: which places of the tenant those are that a caller wrote. */
import { failed, ok, type Result } from "../../base/errors.ts";
import type { Channel, DeliverTo } from "../../task/source.ts";

/** A place as an outbox and its sender read it. */
export interface Target {
  readonly channel: Channel;
  readonly to: string;
}

/** What is known of a tenant's places. Expected failures are values. */
export interface Places {
  /** The person whom an id or a name means, with their places in the order in which they are tried. Unknown: says who there is. */
  person(asked: string): Promise<Result<{ readonly id: string; readonly targets: readonly Target[] }>>;
  /** The places of a channel that a caller's words mean, as they are kept; null: there is no such channel. */
  resolve(channel: Channel, to: string): Promise<Result<readonly string[]> | null>;
  /** The channels that there are, for messages. */
  readonly channels: readonly Channel[];
}

/** Places that one list may come to, a mail to several people counted for each. */
export const MAX_TARGETS = 50;

/** A list as it is kept with a task: every place whole, and each once. A failure names the place at fault (`deliver.1.to`). */
export async function resolveDeliver(deliver: readonly DeliverTo[], places: Places): Promise<Result<DeliverTo[]>> {
  const resolved = new Map<string, DeliverTo>();
  for (const [index, { channel, to }] of deliver.entries()) {
    const found = channel === "person" ? await resolvePerson(to, places) : await places.resolve(channel, to);
    if (found === null) return unknownChannel(`deliver.${index}.channel`, places.channels);
    if (!found.ok) return at(`deliver.${index}.to`, found.error);
    for (const place of found.value) resolved.set(`${channel} ${place}`, { channel, to: place });
    if (resolved.size > MAX_TARGETS)
      return failed("invalid_input", `deliver: comes to more than ${MAX_TARGETS} places`, { field: "deliver" });
  }
  return ok([...resolved.values()]);
}

/** The destinations of a stored place in the order of attempts: each one replaces a dead one before it. */
export async function targetsOf(
  { channel, to }: DeliverTo,
  places: Pick<Places, "person">,
): Promise<Result<readonly Target[]>> {
  if (channel !== "person") return ok([{ channel, to }]);
  const person = await places.person(to);
  if (!person.ok) return person;
  const { targets } = person.value;
  return targets.length > 0 ? ok(targets) : unreachable(to);
}

async function resolvePerson(to: string, places: Pick<Places, "person">): Promise<Result<readonly string[]>> {
  const person = await places.person(to);
  if (!person.ok) return person;
  return person.value.targets.length > 0 ? ok([person.value.id]) : unreachable(to);
}

function unreachable(person: string) {
  return failed("not_available", `${person} has no address. Add one: PUT /v1/people/{id}.`);
}

function unknownChannel(field: string, channels: readonly Channel[]) {
  return failed("invalid_input", `${field}: has to be one of ${[...channels, "person"].join(", ")}`, { field });
}

/** The failure with the field at fault; a failure of what was asked for it (the database is away) stays as it is. */
function at(field: string, error: Extract<Result<never>, { ok: false }>["error"]) {
  const isOfThePlace = ["invalid_input", "not_available", "not_found"].includes(error.code);
  if (!isOfThePlace) return { ok: false, error } as const;
  const code = error.code === "not_found" ? "invalid_input" : error.code;
  return failed(code, `${field}: ${error.message}`, { field });
}
