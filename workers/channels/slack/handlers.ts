/** The Slack channel. */
import type { Env } from "../../../adapters/env/bindings.ts";
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { SlackInstall } from "../../../core/ports/slack-install-table.ts";
import { resolveSlackDestination } from "../../../core/channels/slack/resolve-destination.ts";
import { ok, type Result } from "../../../core/base/errors.ts";
import type { Page, PagePosition } from "../../../core/base/page-cursor.ts";
import type { PersonAddress } from "../../../core/people/person.ts";
import type { AskDestination } from "../../../core/people/route-ask.ts";
import { unwrap } from "../../http/unwrap.ts";
import type { ChannelHandlers } from "../channel.ts";
import { sendBySlack } from "./sender.ts";
import { receiveSlack } from "./receive.ts";

/** Installations that are read at once. */
const BATCH = 100;

/** The inbox of a workspace names no owner: its installation does (workspace.ts). */
export const slackHandlers: ChannelHandlers = {
  receive: receiveSlack,
  send: sendBySlack,
  async resolve(to, { env, tenant, via }) {
    const home = via.channel === "slack" ? (via.id?.split("/")[0] ?? null) : null;
    return await resolveSlackDestination(to, { home, active: () => databaseFromEnv(env).slackInstalls.active(tenant) });
  },
  findStations,
  eraseInboxes: eraseWorkspaces,
};

/** A conversation, where each person who decides is checked, or a member. */
async function findStations(env: Env, tenant: string, to: string): Promise<Result<readonly AskDestination[]>> {
  const member = toMember(to);
  const found = member === null ? ok(null) : await databaseFromEnv(env).people.findByAddress(tenant, member);
  return found.ok ? ok([{ channel: "slack", to, person: found.value }]) : found;
}

/** Reads a member from `T…/U…`; null for a conversation. */
function toMember(to: string): PersonAddress | null {
  const [, team, user] = /^([TE][A-Z0-9]+)\/([UW][A-Z0-9]+)$/.exec(to) ?? [];
  return team === undefined || user === undefined ? null : { kind: "slack", team, user };
}

/** The inbox of a workspace belongs to the next tenant once that tenant has installed Otto there. */
async function eraseWorkspaces(env: Env, tenant: string): Promise<void> {
  const { slackInstalls } = databaseFromEnv(env);
  for (let after: PagePosition | null = null; ; ) {
    const { items, next }: Page<SlackInstall> = unwrap(await slackInstalls.page(tenant, { after, limit: BATCH }));
    for (const { team } of items) {
      const now = unwrap(await slackInstalls.findTenant(team));
      if (now === null || now === tenant) await inboxesFromEnv(env)(`slack/${team}`).erase();
    }
    if (next === null) return;
    after = next;
  }
}
