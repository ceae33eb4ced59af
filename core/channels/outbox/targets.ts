/** Where `deliver` points: how a caller may write a place, and which place of the tenant that is. */
import { z } from "zod";
import { failed, ok, type Result } from "../../base/errors.ts";
import { isTeam, slackPlace } from "./slack-place.ts";
import type { Channel, DeliverTo } from "../../task/source.ts";

/** A place as an outbox and its sender read it. */
export interface Target {
  readonly channel: Channel;
  readonly to: string;
}

/** What is known of a tenant's places. Expected failures are values. */
export interface Places {
  /** The workspace of Slack that the task came from, where places of no named workspace are; null: it came from none. */
  readonly home: string | null;
  /** The workspaces of Slack in which the tenant has installed the app. */
  workspaces(): Promise<Result<readonly { readonly team: string; readonly teamName: string }[]>>;
  /** The person whom an id or a name means, with their places in the order in which they are tried. Unknown: says who there is. */
  person(asked: string): Promise<Result<{ readonly id: string; readonly targets: readonly Target[] }>>;
  /** Whether this is an endpoint of the tenant's webhooks. */
  hasEndpoint(id: string): Promise<Result<boolean>>;
}

/** Places that one list may come to, a mail to several people counted for each. */
export const MAX_TARGETS = 50;

/** A place has the same form in every workspace. */
const ANY_TEAM = "T0";
const ADDRESS = z.email().max(254);

const SLACK_FORMS =
  "is no place in Slack: write #channel, C… or D…, C…/thread, U… for a direct message, or one of these after the workspace: T…/C…";

/** A list as it is kept with a task: every place whole, and each once. A failure names the place at fault (`deliver.1.to`). */
export async function resolveDeliver(deliver: readonly DeliverTo[], places: Places): Promise<Result<DeliverTo[]>> {
  const resolved = new Map<string, DeliverTo>();
  for (const [index, one] of deliver.entries()) {
    const found = await resolveOne(one, places);
    if (!found.ok) return at(`deliver.${index}.to`, found.error);
    for (const place of found.value) resolved.set(`${place.channel} ${place.to}`, place);
    if (resolved.size > MAX_TARGETS)
      return failed("invalid_input", `deliver: comes to more than ${MAX_TARGETS} places`, { field: "deliver" });
  }
  return ok([...resolved.values()]);
}

/** What a kept place is now, in the order in which it is tried: what comes after the first stands in the stead of a dead one. */
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

async function resolveOne({ channel, to }: DeliverTo, places: Places): Promise<Result<readonly DeliverTo[]>> {
  switch (channel) {
    case "slack":
      return await resolveSlack(to, places);
    case "email":
      return resolveMail(to);
    case "webhook": {
      const isThere = await places.hasEndpoint(to);
      if (!isThere.ok) return isThere;
      return isThere.value
        ? ok([{ channel, to }])
        : failed("not_found", "is no endpoint of this tenant; GET /v1/webhooks lists them");
    }
    case "person": {
      const person = await places.person(to);
      if (!person.ok) return person;
      return person.value.targets.length > 0 ? ok([{ channel, to: person.value.id }]) : unreachable(to);
    }
  }
}

async function resolveSlack(to: string, places: Places): Promise<Result<readonly DeliverTo[]>> {
  const [first = "", ...rest] = to.trim().split("/");
  const isWhole = isTeam(first);
  const inside = isWhole ? rest : [first, ...rest];
  const place = placeInside(inside);
  if (place === null) return failed("invalid_input", SLACK_FORMS);
  const team = isWhole ? first : places.home;
  if (team !== null && team === places.home) return ok([{ channel: "slack", to: `${team}/${place}` }]);
  const installed = await places.workspaces();
  if (!installed.ok) return installed;
  const workspaces = installed.value;
  if (isWhole) {
    if (workspaces.some(({ team }) => team === first)) return ok([{ channel: "slack", to: `${first}/${place}` }]);
    return failed("not_available", `is in a workspace in which Otto is not installed. ${HOW_TO_CONNECT}`);
  }
  const [only, ...others] = workspaces;
  if (only === undefined)
    return failed("not_available", `cannot be reached: Slack is not connected. ${HOW_TO_CONNECT}`);
  if (others.length === 0) return ok([{ channel: "slack", to: `${only.team}/${place}` }]);
  const which = workspaces.map(({ team, teamName }) => `${team} (${teamName})`).join(", ");
  return failed(
    "invalid_input",
    `could be in several workspaces: ${which}. Write the workspace first: ${only.team}/${place}`,
  );
}

const HOW_TO_CONNECT = "POST /v1/slack/authorize gives the address at which a person installs Otto in a workspace.";

/** A place inside a workspace as it is kept: `C…`, `C…/thread`, `U…` or `#name`; null: it is none of them. */
function placeInside([place = "", ...thread]: readonly string[]): string | null {
  const plain = place.startsWith("#") ? place.toLowerCase() : place.replace(/^@/, "");
  const written = [plain, ...thread].join("/");
  return slackPlace(`${ANY_TEAM}/${written}`) === null ? null : written;
}

function resolveMail(to: string): Result<readonly DeliverTo[]> {
  const addresses = to.split(",").map((address) => address.trim());
  const wrong = addresses.find((address) => !ADDRESS.safeParse(address).success);
  if (wrong !== undefined) return failed("invalid_input", `"${wrong.slice(0, 100)}" is no address of mail`);
  return ok(addresses.map((address) => ({ channel: "email", to: withPlainDomain(address) })));
}

/** Domains are the same in any case; what stands before them may not be. */
function withPlainDomain(address: string): string {
  const sign = address.lastIndexOf("@");
  return `${address.slice(0, sign)}${address.slice(sign).toLowerCase()}`;
}

function unreachable(person: string) {
  return failed("not_available", `${person} has no address. Add one: PUT /v1/people/{id}.`);
}

/** The failure with the field at fault; a failure of what was asked for it (the database is away) stays as it is. */
function at(field: string, error: Extract<Result<never>, { ok: false }>["error"]) {
  const isOfThePlace = ["invalid_input", "not_available", "not_found"].includes(error.code);
  if (!isOfThePlace) return { ok: false, error } as const;
  const code = error.code === "not_found" ? "invalid_input" : error.code;
  return failed(code, `${field}: ${error.message}`, { field });
}
