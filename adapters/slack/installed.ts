/** The bots of tenants: their tokens, which the table stores sealed, and Slack as each bot may use it. */
import { fromBase64, toBase64 } from "../../core/base/base64.ts";
import type { SlackHome, SlackInstall, SlackInstallTable } from "../../core/ports/slack-install-table.ts";
import { openSlackNotes } from "../../core/channels/slack/notes.ts";
import type { SlackNotesPort } from "../../core/ports/slack-notes.ts";
import type { SlackPort } from "../../core/ports/slack.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { Reseal } from "../secrets/resealing.ts";
import type { Sealing } from "../secrets/sealing.ts";
import { openSlack } from "./slack.ts";

/** A workspace as the bot installed there sees it. */
export interface InstalledSlack {
  readonly install: SlackInstall;
  readonly slack: SlackPort;
}

export interface SlackTokens {
  readonly table: Pick<SlackInstallTable, "findByTeam" | "active">;
  readonly sealing: Pick<Sealing, "open">;
  readonly reseal: Reseal;
  readonly apiUrl: string;
}

/** A tenant's workspace. `until`: as in `SlackAddress`. */
export interface SlackVisit extends SlackHome {
  readonly until?: number;
}

/** `not_found` if the tenant has no working installation in this workspace. */
export async function openInstalled(
  { table, sealing, reseal, apiUrl }: SlackTokens,
  { tenant, team, until }: SlackVisit,
): Promise<Result<InstalledSlack>> {
  const found = await table.findByTeam(tenant, team);
  if (!found.ok) return found;
  const { sealed, ...install } = found.value;
  const context = toContext(tenant, team);
  const token = new TextDecoder().decode(await sealing.open(fromBase64(sealed), context));
  await reseal({ tenant, column: "slack_installs.sealed", sealed, context });
  return ok({
    install,
    slack: openSlack({ apiUrl, token, botUser: install.botUser, ...(until !== undefined && { until }) }),
  });
}

/** The messages of the tenant's tools in workspaces with a working installation. */
export function openNotes(tokens: () => SlackTokens, tenant: string): SlackNotesPort {
  return openSlackNotes({
    installs: async () => await tokens().table.active(tenant),
    open: async (team) => {
      const opened = await openInstalled(tokens(), { tenant, team });
      return opened.ok ? ok(opened.value.slack) : opened;
    },
  });
}

/** A bot's token as the table stores it, in base64. */
export async function sealToken(
  sealing: Pick<Sealing, "seal">,
  tenant: string,
  { team, token }: { readonly team: string; readonly token: string },
): Promise<string> {
  const sealed = await sealing.seal(new TextEncoder().encode(token), toContext(tenant, team));
  return toBase64(sealed);
}

function toContext(tenant: string, team: string): string {
  return `slack ${tenant} ${team}`;
}
