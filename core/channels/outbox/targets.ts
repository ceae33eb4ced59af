/** Resolves `deliver`: the tenant's destination that each entry of a caller's list means. */
import { failed, ok, type Result } from "../../base/errors.ts";
import type { Channel, DeliverTo } from "../../task/source.ts";

/** A destination as an outbox and its sender read it. */
export interface Target {
  readonly channel: Channel;
  readonly to: string;
}

/** Looks up a tenant's destinations. Expected failures are values. */
export interface Destinations {
  /**
   * Finds a person by id or name, with the person's targets in order of preference. The error for an unknown person
   * lists the known ones.
   */
  person(asked: string): Promise<Result<{ readonly id: string; readonly targets: readonly Target[] }>>;
  /** Resolves what a caller wrote for a channel to stored destinations; null for an unknown channel. */
  resolve(channel: Channel, to: string): Promise<Result<readonly string[]> | null>;
  /** All channels, for messages. */
  readonly channels: readonly Channel[];
}

/** Limit of one list's destinations; each recipient of a mail counts. */
export const MAX_TARGETS = 50;

/** Resolves a task's list: every destination in full, and each once. A failure names the field (`deliver.1.to`). */
export async function resolveDeliver(
  deliver: readonly DeliverTo[],
  places: Destinations,
): Promise<Result<DeliverTo[]>> {
  const resolved = new Map<string, DeliverTo>();
  for (const [index, { channel, to }] of deliver.entries()) {
    const found = channel === "person" ? await resolvePerson(to, places) : await places.resolve(channel, to);
    if (found === null) return failUnknownChannel(`deliver.${index}.channel`, places.channels);
    if (!found.ok) return withField(`deliver.${index}.to`, found.error);
    for (const place of found.value) resolved.set(`${channel} ${place}`, { channel, to: place });
    if (resolved.size > MAX_TARGETS)
      return failed("invalid_input", `deliver: has more than ${MAX_TARGETS} destinations`, { field: "deliver" });
  }
  return ok([...resolved.values()]);
}

/** The targets of a stored destination in order: those after the first are its fallbacks. */
export async function resolveTargets(
  { channel, to }: DeliverTo,
  places: Pick<Destinations, "person">,
): Promise<Result<readonly Target[]>> {
  if (channel !== "person") return ok([{ channel, to }]);
  const person = await places.person(to);
  if (!person.ok) return person;
  const { targets } = person.value;
  return targets.length > 0 ? ok(targets) : failUnreachable(to);
}

async function resolvePerson(to: string, places: Pick<Destinations, "person">): Promise<Result<readonly string[]>> {
  const person = await places.person(to);
  if (!person.ok) return person;
  return person.value.targets.length > 0 ? ok([person.value.id]) : failUnreachable(to);
}

function failUnreachable(person: string) {
  return failed("not_available", `${person} has no address. Add one: PUT /v1/people/{id}.`);
}

function failUnknownChannel(field: string, channels: readonly Channel[]) {
  return failed("invalid_input", `${field}: has to be one of ${[...channels, "person"].join(", ")}`, { field });
}

/** Adds the field to a failure of the destination. Other failures, such as an outage of the database, are unchanged. */
function withField(field: string, error: Extract<Result<never>, { ok: false }>["error"]) {
  const isOfThePlace = ["invalid_input", "not_available", "not_found"].includes(error.code);
  if (!isOfThePlace) return { ok: false, error } as const;
  const code = error.code === "not_found" ? "invalid_input" : error.code;
  return failed(code, `${field}: ${error.message}`, { field });
}
