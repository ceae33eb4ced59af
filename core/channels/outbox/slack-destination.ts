/** Slack destinations in a delivery's `to`. */

/** `conversation`: an id (`C…`, `D…`, `G…`) or `#name`. `person`: a user who receives direct messages. */
export type SlackDestination =
  | { readonly team: string; readonly kind: "conversation"; readonly channel: string; readonly thread: string | null }
  | { readonly team: string; readonly kind: "person"; readonly user: string };

const TEAM = /^[TE][A-Z0-9]{1,30}$/;
const CHANNEL = /^[CDG][A-Z0-9]{1,30}$/;
const USER = /^[UW][A-Z0-9]{1,30}$/;
/** Slack's channel names: lower case, without spaces, letters of any script. */
const NAMED = /^#[\p{Ll}\p{Lo}\p{N}_-]{1,80}$/u;
const TS = /^\d{1,12}\.\d{1,6}$/;

/** Parses `T…/C…`, `T…/C…/thread`, `T…/U…` or `T…/#name`; null for any other form. */
export function parseSlackDestination(to: string): SlackDestination | null {
  const [team = "", place = "", thread = null, ...more] = to.split("/");
  if (!isTeam(team) || more.length > 0) return null;
  if (USER.test(place)) return thread === null ? { team, kind: "person", user: place } : null;
  const isChannel = CHANNEL.test(place) || (NAMED.test(place) && thread === null);
  if (!isChannel || (thread !== null && !TS.test(thread))) return null;
  return { team, kind: "conversation", channel: place, thread };
}

/** True for a person, and for the direct messages with one. */
export function isDirect(to: string): boolean {
  const place = parseSlackDestination(to);
  return place?.kind === "person" || (place?.channel.startsWith("D") ?? false);
}

/** True for the id of a workspace, or of an organization with several. */
export function isTeam(text: string): boolean {
  return TEAM.test(text);
}

/** The channel that a tool names by `#name`, `name` or an id; null for any other form. */
export function parseChannel(text: string): string | null {
  if (CHANNEL.test(text)) return text;
  const name = `#${text.replace(/^#/, "").toLowerCase()}`;
  return NAMED.test(name) ? name : null;
}
