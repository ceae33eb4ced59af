/** A workspace of the mock server of Slack in which a tenant has installed Otto. */
import { env } from "cloudflare:workers";
import { inject } from "vitest";
import { databaseFromEnv } from "../../../../adapters/env/database.ts";
import { sealSlackTokenFromEnv } from "../../../../adapters/env/slack.ts";
import { makeId } from "../../../../core/base/ids.ts";
import { SlackClient } from "../../../mock-servers/slack-client.ts";
import type { WorkspaceOptions } from "../../../mock-servers/slack-workspace.ts";

/** Has the channels `C1` (`#general`) and `C2` (`#reports`), and the person `U1`, unless told otherwise. */
export async function installedSlack(
  tenant: string,
  options: Omit<WorkspaceOptions, "team"> = {},
): Promise<SlackClient> {
  const random = () => crypto.getRandomValues(new Uint8Array(10));
  const team = `T${crypto.randomUUID().replaceAll("-", "").slice(0, 12).toUpperCase()}`;
  const client = new SlackClient(inject("servers").slackUrl, team);
  const {
    name: teamName,
    token,
    botUser,
    appId: app,
  } = await client.make({
    users: [{ id: "U1", name: "ana", realName: "Ana Lima", email: "ana@example.com" }],
    channels: [
      { id: "C1", name: "general" },
      { id: "C2", name: "reports" },
    ],
    ...options,
  });
  const id = makeId("slackInstall", Date.now(), random());
  const sealed = await sealSlackTokenFromEnv(env, tenant, { team, token });
  const act = {
    id: makeId("audit", Date.now(), random()),
    at: Date.now(),
    actor: "operator",
    action: "slack.install" as const,
    target: id,
    requestId: "req_test",
  };
  const install = { id, team, teamName, app, botUser, scopes: [], installedBy: "key_test", sealed };
  const put = await databaseFromEnv(env).slackInstalls.put(tenant, install, act);
  if (!put.ok) throw new Error(put.error.message);
  return client;
}
