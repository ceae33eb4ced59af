/**
 * The Worker's HTTP entry point: the order of the middleware, the routes of the start, and how errors become replies. Other
 * routes load with the first request of their paths (`route-groups/groups.ts`), before the request meets the middleware.
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import { TrieRouter } from "hono/router/trie-router";
import type { H, RouterRoute } from "hono/types";
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
import { channelCallRoutes } from "./channels/calls.ts";
import { eventRoutes } from "./tenants/feed-routes.ts";
import { healthRoutes } from "./health/routes.ts";
import { inboxRoutes } from "./tasks/inbox-routes.ts";
import { slackEntryRoutes } from "./channels/slack/entry-routes.ts";
import { taskEventRoutes } from "./tasks/event-routes.ts";
import { taskFileVersionRoutes } from "./tasks/file-version-routes.ts";
import { taskFileRoutes } from "./tasks/file-routes.ts";
import { taskLedgerRoutes } from "./tasks/ledger-routes.ts";
import { taskConnectionRoutes } from "./tasks/connection-routes.ts";
import { taskReplyRoutes } from "./tasks/reply-routes.ts";
import { taskTreeRoutes } from "./tasks/tree-routes.ts";
import { taskRoutes } from "./tasks/routes.ts";
import { webhookCallRoutes } from "./channels/webhooks/call-routes.ts";
import { type RouteGroup, ROUTE_GROUPS } from "./route-groups/groups.ts";
import { createLateRoutes, type LateRoutes, loadGroup, NOT_LOADED } from "./route-groups/late-routes.ts";
import { toStorageFailure } from "./http/storage-failure.ts";
import { unwrap } from "./http/unwrap.ts";
import { refuseInvalid } from "./http/validation.ts";
import { getCurrentPath } from "./http/moved-paths.ts";

/** Builds the app. It has no state of a request, so one app serves a whole isolate. */
export function createApp(groups: readonly RouteGroup[] = ROUTE_GROUPS): App {
  // The default router takes no route after its first request.
  const router = new TrieRouter<[H, RouterRoute]>();
  const app = new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid, getPath: getCurrentPath, router }) as App;
  registerMiddleware(app);
  registerStart(app);
  const late = createLateRoutes(app, groups, () => listRoutes(groups));
  app.notFound((c) => answerUnmatched(app, late, c));
  app.onError((thrown, c) => toErrorResponse(thrown, c));
  const serve = app.fetch;
  app.fetch = (request, ...rest) => {
    const missing = late.findMissing(getCurrentPath(request));
    return missing.length === 0 ? serve(request, ...rest) : late.load(missing).then(() => serve(request, ...rest));
  };
  return app;
}

/** Registers every route on an app that serves no request. */
async function listRoutes(groups: readonly RouteGroup[]): Promise<App> {
  const app = new OpenAPIHono<AppEnv>() as App;
  registerStart(app);
  for (const group of groups) unwrap(await loadGroup(group))(app, () => listRoutes(groups));
  return app;
}

function registerMiddleware(app: App): void {
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
}

/** The routes of the engine: an isolate starts with them. */
function registerStart(app: App): void {
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
  webhookCallRoutes(app);
  channelCallRoutes(app);
  slackEntryRoutes(app);
  healthRoutes(app);
}

/** Answers a request without a route: 503 if its group could not be loaded, the console's page, 405 with the allowed methods, or 404. */
async function answerUnmatched(app: App, late: LateRoutes, c: AppContext): Promise<Response> {
  if (late.findMissing(c.req.path).length > 0) return problemResponse(NOT_LOADED, c.get("requestId"));
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
