/** The Slack settings: the app's manifest, and the workspaces in which it is installed. */
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { publicUrlFromEnv } from "../../../adapters/env/deployment.ts";
import {
  sealSlackTokenFromEnv,
  slackAuthorizePageFromEnv,
  slackOAuthFromEnv,
  slackOfTokenFromEnv,
} from "../../../adapters/env/slack.ts";
import type { SlackInstall } from "../../../core/ports/slack-install-table.ts";
import { BOT_SCOPES, createSlackManifest } from "../../../core/channels/slack/manifest.ts";
import { OttoError, raise } from "../../../core/base/errors.ts";
import { isId, makeId } from "../../../core/base/ids.ts";
import { writeCursor } from "../../../core/base/page-cursor.ts";
import { answers, openAnswers, withKey } from "../../http/answers.ts";
import { pageOf } from "../../http/schemas.ts";
import { getActorId, createAuditEntry } from "../../http/audit-entry.ts";
import {
  startSlackConsent,
  completeSlackConsent,
  SLACK_BEGIN_PATH,
  SLACK_OAUTH_PATH,
  openSlackConsent,
} from "./consent.ts";
import {
  serveConsentPage,
  isSameBrowser,
  OTHER_BROWSER,
  renderMessage,
  getFirstUrl,
} from "../../http/consent-browser.ts";
import type { App, AppContext } from "../../http/context.ts";
import { requireScope } from "../../http/middleware/require-scope.ts";
import { getIdSource } from "../../http/new-ids.ts";
import { receivedItemSchema, listReceived, replayedSchema, replayReceived } from "../inbox/view.ts";
import { pageQuery, readPageRequest } from "../../http/list-query.ts";
import { getTenant } from "../../http/principal.ts";
import { unwrap } from "../../http/unwrap.ts";
import { writeYaml } from "../../http/yaml-text.ts";

const time = z.iso.datetime();

const installSchema = z
  .strictObject({
    id: z.string(),
    team: z.string().describe("Slack's id of the workspace, `T…`"),
    team_name: z.string(),
    app: z.string().nullable(),
    bot_user: z.string().describe("The user to mention, `U…`"),
    scopes: z.array(z.string()),
    status: z.enum(["active", "revoked"]).describe("`revoked`: uninstalled at Slack, or its token was revoked."),
    installed_by: z.string().describe("The id of the key"),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "SlackInstall" });

const manifestSchema = z
  .strictObject({
    manifest: z.record(z.string(), z.unknown()),
    yaml: z.string().describe("The manifest as YAML, to paste"),
  })
  .meta({ id: "SlackManifest" });

const tokenSchema = z.strictObject({
  bot_token: z
    .string()
    .regex(/^xoxb-[\x21-\x7e]{1,250}$/, "must be a bot token, xoxb-…")
    .describe("The bot token of an app that was created from the manifest and installed by hand"),
});

const shared = { tags: ["Slack"], ...withKey, middleware: [requireScope("admin")] };
const params = z.object({ id: z.string().describe("The installation's id, `slk_…`") });
const install = { description: "The installation, without its token.", json: installSchema };

const manifest = createRoute({
  ...shared,
  method: "get",
  operationId: "slack.getManifest",
  path: "/v1/slack/manifest",
  summary: "Show the manifest of the Slack app",
  description:
    "Paste it at api.slack.com/apps, “From a manifest”. Its addresses use OTTO_PUBLIC_URL, or else the address of this request. Then set SLACK_SIGNING_SECRET, SLACK_CLIENT_ID and SLACK_CLIENT_SECRET from the app's settings.",
  responses: answers({ 200: { description: "The manifest.", json: manifestSchema } }),
});

const create = createRoute({
  ...shared,
  method: "post",
  operationId: "slack.install",
  path: "/v1/slack/installs",
  summary: "Add a bot that was installed by hand",
  description:
    "For an app of one workspace. The token is verified with Slack, stored sealed, and never returned. A workspace that was installed before keeps its id. 409 if another tenant uses the app in this workspace.",
  request: {
    body: {
      required: true,
      content: { "application/json": { schema: tokenSchema.meta({ id: "SlackInstallInput" }) } },
    },
  },
  responses: answers({ 201: install }, [409, 413, 415, 422]),
});

const authorize = createRoute({
  ...shared,
  method: "post",
  operationId: "slack.authorize",
  path: "/v1/slack/authorize",
  summary: "Start an installation by OAuth",
  description:
    "A person opens `url` in a browser and agrees at Slack. It is valid once, for ten minutes. For a session, `url` is Slack's page, and only that session's browser can return from it. For a key, `url` is a page of Otto that names the tenant and links to Slack.",
  responses: answers(
    { 200: { description: "The address to open.", json: z.strictObject({ url: z.string() }) } },
    [422],
  ),
});

const list = createRoute({
  ...shared,
  method: "get",
  operationId: "slack.listInstalls",
  path: "/v1/slack/installs",
  summary: "List the workspaces, newest first",
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of installations.", json: pageOf(installSchema) } }, [422]),
});

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "slack.getInstall",
  path: "/v1/slack/installs/{id}",
  summary: "Show an installation",
  request: { params },
  responses: answers({ 200: install }, [404]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "slack.deleteInstall",
  path: "/v1/slack/installs/{id}",
  summary: "Delete an installation and its token",
  description: "Later events of the workspace are dropped. The app stays installed at Slack until it is removed there.",
  request: { params },
  responses: answers({ 200: { description: "The deleted installation.", json: installSchema } }, [404]),
});

const received = createRoute({
  ...shared,
  method: "get",
  operationId: "slack.listReceived",
  path: "/v1/slack/installs/{id}/received",
  summary: "List the events of a workspace with their outcomes, newest first",
  description:
    "Covers the last 30 days since the app was last installed, and events that still wait; empty while the installation is revoked. Events that are not for Otto are not stored.",
  request: { params, query: z.strictObject(pageQuery) },
  responses: answers({ 200: { description: "A page of events.", json: pageOf(receivedItemSchema) } }, [404, 422]),
});

const replay = createRoute({
  ...shared,
  method: "post",
  operationId: "slack.replayReceived",
  path: "/v1/slack/installs/{id}/received/{message}/replay",
  summary: "Retry a dead event of Slack",
  description: "409 if the event is not dead.",
  request: { params: params.extend({ message: z.string().describe("Its `message_id`") }) },
  responses: answers({ 202: { description: "It is waiting to be processed.", json: replayedSchema } }, [404, 409]),
});

const begin = createRoute({
  tags: ["Slack"],
  method: "get",
  operationId: "slackOauth.begin",
  path: SLACK_BEGIN_PATH,
  summary: "Go to Slack to authorize an installation",
  description: "For browsers. Only the browser that opened this page can return from Slack.",
  request: { query: z.object({ state: z.string().max(2_000), go: z.string().max(100).optional() }) },
  responses: openAnswers({
    200: { description: "A page that names the tenant and links to Slack.", other: ["text/html"] },
    303: { description: "To Slack." },
    400: { description: "The installation is unknown.", other: ["text/html"] },
    409: { description: "The browser is signed in to another tenant.", other: ["text/html"] },
  }),
});

const callback = createRoute({
  tags: ["Slack"],
  method: "get",
  operationId: "slackOauth.complete",
  path: SLACK_OAUTH_PATH,
  summary: "Return from Slack",
  description: "For browsers. `state` comes from Otto. It is valid once, for ten minutes.",
  request: {
    query: z.object({
      state: z.string().max(2_000),
      code: z.string().max(4_000).optional(),
      error: z.string().max(200).optional(),
    }),
  },
  responses: openAnswers({
    200: { description: "Otto is installed.", other: ["text/html"] },
    400: { description: "Otto was not installed; the page explains why.", other: ["text/html"] },
  }),
});

export function slackRoutes(app: App): void {
  app.openapi(manifest, (c) => {
    const shown = createSlackManifest(getBaseUrl(c));
    return c.json({ manifest: shown, yaml: writeYaml(shown, "Otto as a Slack app") }, 200);
  });

  app.openapi(create, async (c) => {
    const { bot_token: token } = c.req.valid("json");
    const bot = await slackOfTokenFromEnv(c.env, token).whoAmI();
    if (!bot.ok) {
      const { code, message } = bot.error;
      if (code !== "forbidden") throw new OttoError(bot.error);
      raise("invalid_input", `bot_token: Slack rejects it. ${message}`, { field: "bot_token" });
    }
    const { team, teamName, user: botUser, scopes } = bot.value;
    const act = await createAuditEntry(c, "slack.install", team);
    const facts = { team, teamName, app: null, botUser, scopes: scopes ?? [], installedBy: getActorId(c) };
    const made = await storeInstall(c, getTenant(c), { ...facts, token }, act);
    return c.json(toInstallView(made), 201, { location: `/v1/slack/installs/${made.id}` });
  });

  app.openapi(authorize, async (c) => {
    requireOauth(c);
    const redirect = `${getBaseUrl(c)}${SLACK_OAUTH_PATH}`;
    const begun = unwrap(await startSlackConsent(c.env, getTenant(c), { key: getActorId(c), redirect }));
    const { state } = begun;
    const url = await getFirstUrl(c, begun, {
      state,
      url: getConsentUrl(c, { state, redirect }),
      origin: getBaseUrl(c),
      path: SLACK_BEGIN_PATH,
    });
    return c.json({ url }, 200);
  });

  app.openapi(begin, async (c) => {
    const { state, go } = c.req.valid("query");
    const begun = await openSlackConsent(c.env, state);
    if (!begun.ok) return renderMessage(c, 400, begun.error.message);
    const url = getConsentUrl(c, { state, redirect: `${getBaseUrl(c)}${SLACK_OAUTH_PATH}` });
    return await serveConsentPage(c, begun.value, { what: "a Slack workspace", url, go });
  });

  app.openapi(list, async (c) => {
    const request = readPageRequest(c.req.valid("query"));
    const { items, next } = unwrap(await databaseFromEnv(c.env).slackInstalls.page(getTenant(c), request));
    return c.json({ data: items.map(toInstallView), next_cursor: next === null ? null : writeCursor(next) }, 200);
  });

  app.openapi(show, async (c) => {
    const id = installId(c.req.valid("param").id);
    return c.json(toInstallView(unwrap(await databaseFromEnv(c.env).slackInstalls.get(getTenant(c), id))), 200);
  });

  app.openapi(remove, async (c) => {
    const id = installId(c.req.valid("param").id);
    const act = await createAuditEntry(c, "slack.uninstall", id);
    return c.json(toInstallView(unwrap(await databaseFromEnv(c.env).slackInstalls.remove(getTenant(c), id, act))), 200);
  });

  app.openapi(received, async (c) => {
    const query = c.req.valid("query");
    return c.json(await listReceived(c, await findInbox(c, c.req.valid("param").id), query), 200);
  });

  app.openapi(replay, async (c) => {
    const { id, message } = c.req.valid("param");
    const inbox = await findInbox(c, id);
    const act = await createAuditEntry(c, "slack.replay", id);
    return c.json(await replayReceived(c, inbox, message, act), 202);
  });

  app.openapi(callback, async (c) => {
    const { state, code, error } = c.req.valid("query");
    const begun = await openSlackConsent(c.env, state);
    if (!begun.ok) return renderMessage(c, 400, begun.error.message);
    if (!(await isSameBrowser(c, begun.value))) return renderMessage(c, 400, OTHER_BROWSER);
    const ended = await completeSlackConsent(c.env, begun.value);
    if (!ended.ok) return renderMessage(c, 400, ended.error.message);
    if (code === undefined) return renderMessage(c, 400, `Otto was not installed: Slack says ${error ?? "no code"}.`);
    const { tenant } = begun.value;
    const { key, redirect } = ended.value;
    const oauth = slackOAuthFromEnv(c.env);
    if (oauth === null) return renderMessage(c, 400, "No Slack app is set up here.");
    const grant = await oauth.port.access(code, redirect);
    if (!grant.ok) return renderMessage(c, 400, `Otto was not installed. ${grant.error.message}`);
    const { team, teamName, app: appId, bot: botUser, scopes, token } = grant.value;
    const at = Date.now();
    const id = makeId("audit", at, crypto.getRandomValues(new Uint8Array(10)));
    const act = { id, at, actor: key, action: "slack.install", target: team, requestId: c.get("requestId") } as const;
    const facts = { team, teamName, app: appId, botUser, scopes, installedBy: key };
    try {
      await storeInstall(c, tenant, { ...facts, token }, act);
    } catch (thrown) {
      if (thrown instanceof OttoError)
        return renderMessage(c, 400, `Otto was not installed. ${thrown.failure.message}`);
      throw thrown;
    }
    return renderMessage(c, 200, `Otto is installed in ${teamName}. Mention it in a channel, or send it a message.`);
  });
}

/** Returns the app's OAuth settings. Fails if they are missing. */
function requireOauth(c: AppContext) {
  const message = "No Slack app is set up here. Ask the operator to set SLACK_CLIENT_ID and SLACK_CLIENT_SECRET.";
  return slackOAuthFromEnv(c.env) ?? raise("not_available", message);
}

/** Returns the address of Slack's consent page. */
function getConsentUrl(
  c: AppContext,
  { state, redirect }: { readonly state: string; readonly redirect: string },
): string {
  const url = new URL(slackAuthorizePageFromEnv(c.env));
  url.searchParams.set("client_id", requireOauth(c).clientId);
  url.searchParams.set("scope", BOT_SCOPES.join(","));
  url.searchParams.set("redirect_uri", redirect);
  url.searchParams.set("state", state);
  return url.href;
}

/** Stores an installation with its token sealed. */
async function storeInstall(
  c: AppContext,
  tenant: string,
  { token, ...facts }: Omit<SlackInstall, "id" | "status" | "createdAt" | "updatedAt"> & { readonly token: string },
  act: Awaited<ReturnType<typeof createAuditEntry>>,
): Promise<SlackInstall> {
  const { createdAt, random } = await getIdSource(c, "slack-install");
  const id = makeId("slackInstall", createdAt, random);
  const sealed = await sealSlackTokenFromEnv(c.env, tenant, { team: facts.team, token });
  return unwrap(await databaseFromEnv(c.env).slackInstalls.put(tenant, { id, ...facts, sealed }, act));
}

/**
 * Returns the tenant's view of a workspace's inbox: the workspace can have belonged to another tenant before, and can
 * belong to another once this installation is revoked.
 */
async function findInbox(c: AppContext, id: string) {
  const found = unwrap(await databaseFromEnv(c.env).slackInstalls.get(getTenant(c), installId(id)));
  return { name: `slack/${found.team}`, since: found.status === "active" ? found.updatedAt : Number.MAX_SAFE_INTEGER };
}

/** Returns the address at which Slack reaches this Worker. */
function getBaseUrl(c: AppContext): string {
  return publicUrlFromEnv(c.env) ?? new URL(c.req.url).origin;
}

function installId(text: string): string {
  return isId("slackInstall", text) ? text : raise("not_found", "There is no such Slack installation.");
}

function toInstallView(one: SlackInstall) {
  return {
    id: one.id,
    team: one.team,
    team_name: one.teamName,
    app: one.app,
    bot_user: one.botUser,
    scopes: [...one.scopes],
    status: one.status,
    installed_by: one.installedBy,
    created_at: new Date(one.createdAt).toISOString(),
    updated_at: new Date(one.updatedAt).toISOString(),
  };
}
