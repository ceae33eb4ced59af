/** The Worker's HTTP entry point: the order of the middleware, the routes, and how errors become replies. */
import { OpenAPIHono } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import { freeDiskFromEnv } from "../adapters/env/health.ts";
import "../core/base/describe-issue.ts";
import { ERRORS, type Failure, OttoError } from "../core/base/errors.ts";
import { CHANNEL_SECRETS } from "./channels/channels.ts";
import { CONSOLE_METHODS, findConsoleFile, isConsolePath } from "./console/page.ts";
import type { App, AppContext, AppEnv } from "./http/context.ts";
import { UnreadableBody } from "./http/counted-body.ts";
import { logFailure } from "./http/log.ts";
import { toLostTaskFailure } from "./tasks/lost.ts";
import { listAllowedMethods } from "./http/middleware/allowed-methods.ts";
import { authenticate } from "./http/middleware/authenticate.ts";
import { checkJsonBody } from "./http/middleware/body-limits.ts";
import { checkHost } from "./http/middleware/check-host.ts";
import { checkQuery } from "./http/middleware/check-query.ts";
import { drainBody } from "./http/middleware/drain-body.ts";
import { refuseBoundKey } from "./http/middleware/key-bounds.ts";
import { limitWithoutKey } from "./http/middleware/limit-without-key.ts";
import { checkTaskInBounds } from "./tasks/check-bounds.ts";
import { once } from "./http/middleware/once.ts";
import { refuseUnready } from "./http/middleware/refuse-unready.ts";
import { requestId } from "./http/middleware/request-id.ts";
import { securityHeaders } from "./http/middleware/security-headers.ts";
import { findRetry } from "./http/retryable-failure.ts";
import { problemResponse } from "./http/problem.ts";
import { agentRoutes } from "./agents/routes.ts";
import { appResolutionRoutes } from "./apps/resolve-routes.ts";
import { appAccessRoutes } from "./apps/access-routes.ts";
import { appConnectRoutes } from "./apps/connect-routes.ts";
import { appChangeRoutes } from "./apps/change-routes.ts";
import { appLogoRoute } from "./apps/logo-route.ts";
import { appCatalogueRoutes } from "./apps/routes.ts";
import { providerKeyRoutes } from "./apps/provider-key-routes.ts";
import { appRoutes } from "./connections/app-routes.ts";
import { auditRoutes } from "./audit/routes.ts";
import { budgetRoutes } from "./tenants/budget-routes.ts";
import { catalogueSyncRoutes } from "./apps/sync-routes.ts";
import { workspaceAppRoutes } from "./apps/workspace-routes.ts";
import { channelCallRoutes } from "./channels/calls.ts";
import { connectPageRoutes } from "./connections/page-routes.ts";
import { connectionRoutes } from "./connections/routes.ts";
import { deliveryRoutes } from "./channels/outbox/routes.ts";
import { eventRoutes } from "./tenants/feed-routes.ts";
import { healthRoutes } from "./health/routes.ts";
import { hookRoutes } from "./channels/webhooks/hook-routes.ts";
import { inboxRoutes } from "./tasks/inbox-routes.ts";
import { keyRoutes } from "./tenants/key-routes.ts";
import { killSwitchRoutes } from "./tenants/kill-switch-routes.ts";
import { knowledgeRoutes } from "./knowledge/routes.ts";
import { knowledgeSearchRoutes } from "./knowledge/search-routes.ts";
import { pieceRoutes } from "./knowledge/piece-routes.ts";
import { memoryRoutes } from "./memory/routes.ts";
import { openApiRoutes } from "./api-document/routes.ts";
import { peopleRoutes } from "./people/routes.ts";
import { projectRoutes } from "./projects/routes.ts";
import { retentionRoutes } from "./tenants/retention-routes.ts";
import { scheduleRunRoutes } from "./schedules/run-routes.ts";
import { scheduleRoutes } from "./schedules/routes.ts";
import { databaseRoutes } from "./databases/routes.ts";
import { secretRoutes } from "./secrets/routes.ts";
import { sessionRoutes } from "./sessions/sign-in-routes.ts";
import { sessionsRoutes } from "./sessions/routes.ts";
import { slackEntryRoutes } from "./channels/slack/entry-routes.ts";
import { slackRoutes } from "./channels/slack/routes.ts";
import { taskEventRoutes } from "./tasks/event-routes.ts";
import { taskFileVersionRoutes } from "./tasks/file-version-routes.ts";
import { taskFileRoutes } from "./tasks/file-routes.ts";
import { taskLedgerRoutes } from "./tasks/ledger-routes.ts";
import { taskConnectionRoutes } from "./tasks/connection-routes.ts";
import { taskReplyRoutes } from "./tasks/reply-routes.ts";
import { taskTreeRoutes } from "./tasks/tree-routes.ts";
import { taskRoutes } from "./tasks/routes.ts";
import { tenantRoutes } from "./tenants/routes.ts";
import { toolImportRoutes } from "./openapi/routes.ts";
import { ownToolRoutes } from "./custom-tools/routes.ts";
import { codebaseReindexRoutes } from "./codebases/reindex-routes.ts";
import { codebaseRoutes } from "./codebases/routes.ts";
import { codeSearchRoutes } from "./codebases/search-routes.ts";
import { toolCallRoutes } from "./tools/call-routes.ts";
import { localMailRoutes } from "./channels/mail/local-routes.ts";
import { mailRoutes } from "./channels/mail/routes.ts";
import { mcpServerRoutes } from "./mcp/routes.ts";
import { skillRoutes } from "./skills/routes.ts";
import { toolRoutes } from "./tools/routes.ts";
import { usageRoutes } from "./tenants/usage-routes.ts";
import { webhookDeliveryRoutes } from "./channels/webhooks/delivery-routes.ts";
import { webhookRoutes } from "./channels/webhooks/routes.ts";
import { triggerRoutes } from "./triggers/routes.ts";
import { webhookCallRoutes } from "./channels/webhooks/call-routes.ts";
import { toStorageFailure } from "./http/storage-failure.ts";
import { refuseInvalid } from "./http/validation.ts";
import { getCurrentPath } from "./http/moved-paths.ts";

/** Builds the app. It has no state of a request, so one app serves a whole isolate. */
export function createApp(): App {
  const app = new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid, getPath: getCurrentPath }) as App;
  const refuseWhileUnready = refuseUnready(CHANNEL_SECRETS);
  app.use(drainBody, requestId, securityHeaders, checkHost);
  app.use("/v1/*", once(refuseWhileUnready), once(authenticate), once(refuseBoundKey));
  app.use("/v1/tasks/:id/*", once(checkTaskInBounds));
  app.use("/v1/*", once(checkJsonBody));
  app.use("/api/tools/*", once(refuseWhileUnready), once(limitWithoutKey), once(authenticate), once(refuseBoundKey));
  app.use("/api/tools/*", once(checkJsonBody));
  app.use("/webhook/*", once(refuseWhileUnready));
  app.use("/slack/*", once(refuseWhileUnready));
  app.use("/channels/*", once(refuseWhileUnready));
  app.use("/connect/*", once(refuseWhileUnready));
  app.use("/api/composio/*", once(refuseWhileUnready));
  app.use(checkQuery);
  taskRoutes(app);
  taskTreeRoutes(app);
  inboxRoutes(app);
  taskReplyRoutes(app);
  taskConnectionRoutes(app);
  taskEventRoutes(app);
  eventRoutes(app);
  taskFileRoutes(app);
  taskFileVersionRoutes(app);
  taskLedgerRoutes(app);
  toolRoutes(app);
  toolCallRoutes(app);
  toolImportRoutes(app);
  ownToolRoutes(app);
  memoryRoutes(app);
  knowledgeRoutes(app);
  knowledgeSearchRoutes(app);
  pieceRoutes(app);
  projectRoutes(app);
  peopleRoutes(app);
  mailRoutes(app);
  mcpServerRoutes(app);
  hookRoutes(app);
  webhookCallRoutes(app);
  channelCallRoutes(app);
  skillRoutes(app);
  deliveryRoutes(app);
  slackRoutes(app);
  slackEntryRoutes(app);
  agentRoutes(app);
  keyRoutes(app);
  sessionRoutes(app);
  sessionsRoutes(app);
  secretRoutes(app);
  databaseRoutes(app);
  codebaseRoutes(app);
  codeSearchRoutes(app);
  codebaseReindexRoutes(app);
  appRoutes(app);
  appCatalogueRoutes(app);
  appLogoRoute(app);
  appResolutionRoutes(app);
  catalogueSyncRoutes(app);
  providerKeyRoutes(app);
  workspaceAppRoutes(app);
  appAccessRoutes(app);
  appConnectRoutes(app);
  appChangeRoutes(app);
  connectionRoutes(app);
  connectPageRoutes(app);
  webhookRoutes(app);
  triggerRoutes(app);
  webhookDeliveryRoutes(app);
  scheduleRunRoutes(app);
  scheduleRoutes(app);
  budgetRoutes(app);
  retentionRoutes(app);
  killSwitchRoutes(app);
  tenantRoutes(app);
  auditRoutes(app);
  usageRoutes(app);
  localMailRoutes(app);
  healthRoutes(app);
  openApiRoutes(app);
  app.notFound((c) => answerUnmatched(app, c));
  app.onError((thrown, c) => toErrorResponse(thrown, c));
  return app;
}

/** Answers a request without a route: the console's page, 405 with the allowed methods, or 404. */
async function answerUnmatched(app: App, c: AppContext): Promise<Response> {
  const known = listAllowedMethods(app, c.req.path);
  const id = c.get("requestId");
  const isConsole = known.length === 0 && isConsolePath(c.req.path);
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const file = isConsole && isRead ? await findConsoleFile(c) : null;
  if (file !== null) return file;
  const allowed = isConsole && !isRead ? CONSOLE_METHODS : known;
  if (allowed.length === 0)
    return problemResponse({ code: "not_found", message: "There is no such route. See /docs for all routes." }, id);
  const allow = { allow: allowed.join(", ") };
  if (c.req.method === "OPTIONS") return new Response(null, { status: 204, headers: allow });
  const message = `${c.req.path} takes ${allowed.join(", ")}.`;
  return problemResponse({ code: "method_not_allowed", message }, id, { headers: allow });
}

async function toErrorResponse(thrown: Error, c: AppContext): Promise<Response> {
  const id = c.get("requestId");
  if (thrown instanceof UnreadableBody) return problemResponse(thrown.failure, id, { status: 400 });
  if (thrown instanceof OttoError) {
    const lost = await toLostTaskFailure(c, thrown.failure);
    if (lost !== null) return problemResponse(lost, id);
    if (ERRORS[thrown.failure.code].status >= 500) logFailure({ id, method: c.req.method, path: c.req.path }, thrown);
    return problemResponse(thrown.failure, id);
  }
  if (thrown instanceof HTTPException && thrown.status < 500) return problemResponse(toFailure(thrown), id);
  const ofStorage = await toStorageFailure(thrown, () => freeDiskFromEnv(c.env));
  // The message of a storage failure is enough: the code is not at fault.
  logFailure({ id, method: c.req.method, path: c.req.path }, ofStorage === null ? thrown : thrown.message);
  return problemResponse(ofStorage ?? (findRetry(thrown) === null ? FAILED : AWAY), id);
}

const FAILED: Failure = {
  code: "internal",
  message: "Otto failed unexpectedly. Try again later; quote the request id when you report it.",
};
const AWAY: Failure = {
  code: "upstream_failed",
  message: "A part of Otto was restarting. Try again.",
  retryAfterMs: 1000,
};

/** Converts an error of the framework. */
function toFailure({ status, message }: HTTPException): Failure {
  if (status === 415)
    return { code: "unsupported_media", message: "Send the body as application/json.", field: "content-type" };
  if (status === 413) return { code: "too_large", message: "The body is too large.", field: "body" };
  if (status === 404) return { code: "not_found", message: "There is no such route. See /docs for all routes." };
  return { code: "invalid_input", message: message === "" ? "The request is not valid." : message, field: "body" };
}
