/** Places of Slack as a delivery's `to` names them. */

/** `conversation`: an id (`C…`, `D…`, `G…`) or `#name`; of a person, whom direct messages go to. */
export type SlackPlace =
  | { readonly team: string; readonly kind: "conversation"; readonly channel: string; readonly thread: string | null }
  | { readonly team: string; readonly kind: "person"; readonly user: string };

const TEAM = /^[TE][A-Z0-9]{1,30}$/;
const CHANNEL = /^[CDG][A-Z0-9]{1,30}$/;
const USER = /^[UW][A-Z0-9]{1,30}$/;
/** Slack's names of channels: lower case, without spaces; letters of any script. */
const NAMED = /^#[\p{Ll}\p{Lo}\p{N}_-]{1,80}$/u;
const TS = /^\d{1,12}\.\d{1,6}$/;

/** `T…/C…`, `T…/C…/thread`, `T…/U…`, `T…/#name`; null: it is none of these. */
export function slackPlace(to: string): SlackPlace | null {
  const [team = "", place = "", thread = null, ...more] = to.split("/");
  if (!isTeam(team) || more.length > 0) return null;
  if (USER.test(place)) return thread === null ? { team, kind: "person", user: place } : null;
  const isChannel = CHANNEL.test(place) || (NAMED.test(place) && thread === null);
  if (!isChannel || (thread !== null && !TS.test(thread))) return null;
  return { team, kind: "conversation", channel: place, thread };
}

/** True for the id of a workspace, or of an organization of several. */
export function isTeam(text: string): boolean {
  return TEAM.test(text);
}

/** A channel as a tool names it: `#name`, `name` or an id; null: it is none. */
export function channelOf(text: string): string | null {
  if (CHANNEL.test(text)) return text;
  const name = `#${text.replace(/^#/, "").toLowerCase()}`;
  return NAMED.test(name) ? name : null;
}
