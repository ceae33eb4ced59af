/** Processes the items of a Slack workspace's inbox. */
import { costFromEnv } from "../../../adapters/env/tenants.ts";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { ItemOutcome } from "../../../core/channels/inbox/inbox.ts";
import type {
  ThreadStartedBody,
  ClickBody,
  CommandBody,
  RevokedBody,
  SlackKind,
  MessageBody,
  SubmissionBody,
} from "../../../core/channels/slack/items.ts";
import type { Receiver } from "../channel.ts";
import { handleClick, handleSubmission } from "./clicks.ts";
import { runCommand } from "./command.ts";
import { handleMessage } from "./messages.ts";
import { retryLater, openContext, type SlackContext } from "./workspace.ts";

export const receiveSlack: Receiver = async (env, inbox, item, lane) => {
  const found = await openContext(env, inbox.split("/")[1] ?? "", item);
  if ("handled" in found) return found.handled;
  const { context } = found;
  costFromEnv(env).learnOwner(inbox, context.tenant);
  // `core/channels/slack/items.ts` parsed the items of this inbox.
  const body: unknown = item.body;
  switch (item.kind as SlackKind) {
    case "spoken":
      return await handleMessage(context, body as MessageBody, lane);
    case "command":
      return await runCommand(context, body as CommandBody);
    case "click":
      return await handleClick(context, body as ClickBody);
    case "submission":
      return await handleSubmission(context, body as SubmissionBody);
    case "begun":
      return { kind: "done", note: (body as ThreadStartedBody).task, lane: { task: (body as ThreadStartedBody).task } };
    case "revoked":
      return await forgetToken(context, body as RevokedBody);
  }
};

/**
 * Forgets the token that Slack revoked. Slack may report it late, after the app was installed again; that
 * installation stays.
 */
async function forgetToken({ env, tenant, team, item }: SlackContext, { at }: RevokedBody): Promise<ItemOutcome> {
  const revokedAt = Math.min(at ?? Infinity, item.receivedAt);
  const revoked = await databaseFromEnv(env).slackInstalls.revoke(tenant, team, revokedAt);
  return revoked.ok ? { kind: "done", note: "The app was uninstalled." } : retryLater(revoked.error);
}
