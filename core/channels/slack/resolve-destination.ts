/** Resolves the Slack destination that a caller wrote to one of the tenant's. */
import { failed, ok, type Result } from "../../base/errors.ts";
import { isTeam, parseSlackDestination } from "../outbox/slack-destination.ts";

/** The workspaces in which a tenant has installed the app. */
export interface SlackWorkspaces {
  /** The workspace that the task came from, the default for destinations without one; null for another source. */
  readonly home: string | null;
  readonly active: () => Promise<Result<readonly { readonly team: string; readonly teamName: string }[]>>;
}

/** Any workspace: the form after it is the same for each of them. */
const ANY_TEAM = "T0";

const SLACK_FORMS =
  "is not a Slack destination: write #channel, C… or D…, C…/thread, U… for a direct message, or one of these after the workspace: T…/C…";

/** Returns the destination in its stored form. Expected failures are values. */
export async function resolveSlackDestination(
  to: string,
  { home, active }: SlackWorkspaces,
): Promise<Result<readonly string[]>> {
  const [first = "", ...rest] = to.trim().split("/");
  const isWhole = isTeam(first);
  const inside = isWhole ? rest : [first, ...rest];
  const place = toStoredForm(inside);
  if (place === null) return failed("invalid_input", SLACK_FORMS);
  const team = isWhole ? first : home;
  if (team !== null && team === home) return ok([`${team}/${place}`]);
  const installed = await active();
  if (!installed.ok) return installed;
  const known = installed.value;
  if (isWhole) {
    if (known.some(({ team }) => team === first)) return ok([`${first}/${place}`]);
    return failed("not_available", `is in a workspace in which Otto is not installed. ${HOW_TO_CONNECT}`);
  }
  const [only, ...others] = known;
  if (only === undefined)
    return failed("not_available", `cannot be reached: Slack is not connected. ${HOW_TO_CONNECT}`);
  if (others.length === 0) return ok([`${only.team}/${place}`]);
  const which = known.map(({ team, teamName }) => `${team} (${teamName})`).join(", ");
  return failed(
    "invalid_input",
    `could be in several workspaces: ${which}. Write the workspace first: ${only.team}/${place}`,
  );
}

const HOW_TO_CONNECT = "POST /v1/slack/authorize gives the address at which a person installs Otto in a workspace.";

/** The stored form of a destination inside a workspace: `C…`, `C…/thread`, `U…` or `#name`; null for any other form. */
function toStoredForm([place = "", ...thread]: readonly string[]): string | null {
  const plain = place.startsWith("#") ? place.toLowerCase() : place.replace(/^@/, "");
  const written = [plain, ...thread].join("/");
  return parseSlackDestination(`${ANY_TEAM}/${written}`) === null ? null : written;
}
