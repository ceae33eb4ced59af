/** `/otto connect` and `/otto apps`, and the button "Connect". What they answer is seen by that person only. */
import { appsFromEnv, connectionTableFromEnv } from "../../../adapters/env/connections.ts";
import { publicUrlFromEnv } from "../../../adapters/env/deployment.ts";
import { ok, type Result } from "../../../core/base/errors.ts";
import type { ItemOutcome } from "../../../core/channels/inbox/inbox.ts";
import { type ListedApp, renderAppsCard, renderConnectLink } from "../../../core/channels/slack/apps-card.ts";
import { escapeText } from "../../../core/channels/slack/escape.ts";
import { type AppClient, hasServerGrant } from "../../../core/connections/app-client.ts";
import { findConnection } from "../../../core/connections/choose-account.ts";
import { type Connection, toConnectionStatus } from "../../../core/connections/connection.ts";
import { MAX_OF_OWNER } from "../../../core/connections/rules.ts";
import type { PersonRecord } from "../../../core/people/person.ts";
import type { SlackContent } from "../../../core/ports/slack.ts";
import { makeConnectUrl } from "../../connections/connect-token.ts";
import { describeServerGrant } from "../../connections/server-grant-page.ts";
import { findAuthor } from "./speaker.ts";
import { isTemporary, retryLater, type SlackContext } from "./workspace.ts";

/** Sends a message to the person who asked, alone. */
export type Whisper = (words: SlackContent) => Promise<unknown>;

/** The connections of a person, and the shared ones. */
const MAX_READ = 2 * MAX_OF_OWNER;
const UNKNOWN_PERSON =
  "Otto does not know who you are. Ask an administrator to link your Slack account under Settings, People.";
const NO_ADDRESS = "Otto does not know its own address. Ask an administrator to set OTTO_PUBLIC_URL.";
const NO_APPS = "No app can be connected yet. An administrator adds one in the console.";

/** Answers with a link that connects an account of this person. */
export async function connectApp(
  context: SlackContext,
  { user, app }: { readonly user: string; readonly app: string },
  whisper: Whisper,
): Promise<ItemOutcome> {
  const { env, tenant } = context;
  const author = await findAuthor(context, user);
  if (!author.ok) return retryLater(author.error);
  if (author.value === null) return await refuse(whisper, UNKNOWN_PERSON);
  const found = await appsFromEnv(env, tenant).find(app);
  if (!found.ok && isTemporary(found.error)) return retryLater(found.error);
  if (!found.ok) return await refuse(whisper, `There is no app ${app}. \`/otto apps\` lists them.`);
  const { title, per, unavailable } = found.value;
  if (hasServerGrant(found.value)) return await refuse(whisper, describeServerGrant(found.value));
  if (unavailable !== undefined) return await refuse(whisper, unavailable);
  if (per === "shared")
    return await refuse(
      whisper,
      `Everyone shares one account of ${title}. An administrator connects it in the console.`,
    );
  if (publicUrlFromEnv(env) === null) return await refuse(whisper, NO_ADDRESS);
  const { id: person, name } = author.value;
  const link = { tenant, app: found.value.app, person, alias: null, wait: null, by: { person, name } };
  await whisper(renderConnectLink(title, await makeConnectUrl(env, link)));
  return { kind: "done", note: `a link to connect ${app}` };
}

/** Answers with the apps of the tenant, and the accounts of them that this person's tasks use. */
export async function showApps(context: SlackContext, user: string, whisper: Whisper): Promise<ItemOutcome> {
  const author = await findAuthor(context, user);
  if (!author.ok) return retryLater(author.error);
  if (author.value === null) return await refuse(whisper, UNKNOWN_PERSON);
  const listed = await listApps(context, author.value);
  if (!listed.ok) return retryLater(listed.error);
  if (listed.value.length === 0) return await refuse(whisper, NO_APPS);
  await whisper(renderAppsCard(listed.value));
  return { kind: "done", note: "apps" };
}

async function listApps({ env, tenant }: SlackContext, { id }: PersonRecord): Promise<Result<readonly ListedApp[]>> {
  const connections = await connectionTableFromEnv(env, tenant).list({ person: id, limit: MAX_READ });
  if (!connections.ok) return connections;
  // Those of the catalogue are too many to list: the ones with an account are.
  const apps = await appsFromEnv(env, tenant).all(connections.value.map(({ app }) => app));
  if (!apps.ok) return apps;
  return ok(apps.value.map((app) => toListedApp(app, id, connections.value)));
}

/** The account that a task of the person would use, in any state. */
function toListedApp(client: AppClient, caller: string, connections: readonly Connection[]): ListedApp {
  const { app, provider, title, per, settingsHash } = client;
  const rule = { app, provider, owner: per, scopes: [] };
  const found = findConnection({ app: rule, caller, isUnattended: false, configured: null, settingsHash, connections });
  const isCurrent = found?.settingsHash === settingsHash || found?.status !== "active";
  const status = found === null ? null : toConnectionStatus(found, Date.now());
  return {
    app,
    title,
    state: isCurrent ? (status ?? "missing") : "expired",
    isShared: found?.owner.kind === "shared",
    label: found?.label ?? null,
    canConnect: per !== "shared",
  };
}

async function refuse(whisper: Whisper, why: string): Promise<ItemOutcome> {
  await whisper({ text: escapeText(why), blocks: [] });
  return { kind: "refused", why };
}
