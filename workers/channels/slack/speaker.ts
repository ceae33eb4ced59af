/** Finds the tenant's record of a Slack member. */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { findMentions } from "../../../core/channels/slack/plain-text.ts";
import type { PersonRecord } from "../../../core/people/person.ts";
import type { Actor } from "../../../core/connections/actors.ts";
import { ok, type Result } from "../../../core/base/errors.ts";
import { linkSlackPerson } from "../../people/link.ts";
import { isTemporary, type SlackContext } from "./workspace.ts";

/** People of one text whose names are looked up. */
const MAX_NAMED = 10;

/** Returns the record of a member. If it is missing, creates it from the member's Slack profile. */
export async function findSpeaker(context: SlackContext, user: string): Promise<Result<PersonRecord>> {
  const { env, tenant, team, slack } = context;
  const known = await databaseFromEnv(env).people.findByAddress(tenant, { kind: "slack", team, user });
  if (!known.ok) return known;
  if (known.value !== null) return { ok: true, value: known.value };
  const profile = await slack.user(user);
  if (!profile.ok) return profile;
  const { name, timeZone: tz } = profile.value;
  // A shared channel has members of other workspaces, whose addresses are vouched for by those.
  const email = profile.value.team === team ? profile.value.email : null;
  return await linkSlackPerson(env, tenant, { team, user, name, email, tz });
}

/** Returns the record of the author of a message; null without one. A failure is temporary. */
export async function findAuthor(context: SlackContext, user: string): Promise<Result<PersonRecord | null>> {
  const found = await findSpeaker(context, user);
  if (found.ok || isTemporary(found.error)) return found;
  console.error("a person of Slack is not known", context.team, user, found.error.code);
  return ok(null);
}

/** The author as a task stores it; null without a record. */
export function toActor(author: Pick<PersonRecord, "id" | "name"> | null): Actor | null {
  return author === null ? null : { person: author.id, name: author.name };
}

/** Returns the names of the people that a text mentions, if they can be found. Excludes Otto itself. */
export async function findMentionedNames(context: SlackContext, text: string): Promise<Record<string, string>> {
  return await findNames(context, findMentions(text));
}

/** Returns the names of the first ten people by id. Excludes Otto itself. */
export async function findNames(context: SlackContext, users: readonly string[]): Promise<Record<string, string>> {
  const { env, tenant, team, slack, install } = context;
  const others = users.filter((user) => user !== install.botUser);
  const found = await Promise.all(
    others.slice(0, MAX_NAMED).map(async (user) => {
      const known = await databaseFromEnv(env).people.findByAddress(tenant, { kind: "slack", team, user });
      if (known.ok && known.value !== null) return [user, known.value.name] as const;
      const profile = await slack.user(user);
      return [user, profile.ok ? profile.value.name : user] as const;
    }),
  );
  return { ...Object.fromEntries(found), [install.botUser]: "Otto" };
}
