/** The Worker's front door: the order of the middleware, the routes, and how whatever goes wrong becomes an answer. */
import { OpenAPIHono } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import { freeDiskFromEnv } from "../adapters/env/from-env.ts";
import { ERRORS, type Failure, OttoError } from "../core/base/errors.ts";
import { CONSOLE_METHODS, consoleFile, isConsolePath } from "./console-page.ts";
import type { App, AppContext, AppEnv } from "./context.ts";
import { UnreadableBody } from "./counted-body.ts";
import { logFailure } from "./log.ts";
import { lostTaskFailure } from "./lost-task.ts";
import { allowedMethods } from "./middleware/allowed-methods.ts";
import { authenticate } from "./middleware/authenticate.ts";
import { checkJsonBody } from "./middleware/body-limits.ts";
import { checkHost } from "./middleware/check-host.ts";
import { checkQuery } from "./middleware/check-query.ts";
import { drainBody } from "./middleware/drain-body.ts";
import { closeToBound, checkTaskInBounds } from "./middleware/key-bounds.ts";
import { once } from "./middleware/once.ts";
import { refuseUnready } from "./middleware/refuse-unready.ts";
import { requestId } from "./middleware/request-id.ts";
import { securityHeaders } from "./middleware/security-headers.ts";
import { passingFailure } from "./passing-failure.ts";
import { problemResponse } from "./problem.ts";
import { agentRoutes } from "./routes/agents.ts";
import { auditRoutes } from "./routes/audit.ts";
import { budgetRoutes } from "./routes/budgets.ts";
import { deliveryRoutes } from "./routes/deliveries.ts";
import { eventRoutes } from "./routes/events.ts";
import { healthRoutes } from "./routes/health.ts";
import { hookRoutes } from "./routes/hooks.ts";
import { inboxRoutes } from "./routes/inbox.ts";
import { keyRoutes } from "./routes/keys.ts";
import { killSwitchRoutes } from "./routes/kill-switch.ts";
import { memoryRoutes } from "./routes/memory.ts";
import { openApiRoutes } from "./routes/openapi.ts";
import { peopleRoutes } from "./routes/people.ts";
import { projectRoutes } from "./routes/projects.ts";
import { retentionRoutes } from "./routes/retention.ts";
import { scheduleRunRoutes } from "./routes/schedule-runs.ts";
import { scheduleRoutes } from "./routes/schedules.ts";
import { secretRoutes } from "./routes/secrets.ts";
import { sessionRoutes } from "./routes/session.ts";
import { sessionsRoutes } from "./routes/sessions.ts";
import { slackAdmissionRoutes } from "./routes/slack-admission.ts";
import { slackRoutes } from "./routes/slack.ts";
import { taskEventRoutes } from "./routes/task-events.ts";
import { taskFileVersionRoutes } from "./routes/task-file-versions.ts";
import { taskFileRoutes } from "./routes/task-files.ts";
import { taskLedgerRoutes } from "./routes/task-ledger.ts";
import { taskReplyRoutes } from "./routes/task-replies.ts";
import { taskTreeRoutes } from "./routes/task-tree.ts";
import { taskRoutes } from "./routes/tasks.ts";
import { tenantRoutes } from "./routes/tenants.ts";
import { toolImportRoutes } from "./routes/tools-import.ts";
import { ownToolRoutes } from "./routes/tools-own.ts";
import { toolCallRoutes } from "./routes/tools-call.ts";
import { localMailRoutes } from "./routes/local-mail.ts";
import { mailRoutes } from "./routes/mail.ts";
import { mcpServerRoutes } from "./routes/tools-mcp.ts";
import { skillRoutes } from "./routes/tools-skills.ts";
import { toolRoutes } from "./routes/tools.ts";
import { usageRoutes } from "./routes/usage.ts";
import { webhookDeliveryRoutes } from "./routes/webhook-deliveries.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { webhookCallRoutes } from "./routes/webhook-calls.ts";
import { storageFailure } from "./storage-failure.ts";
import { refuseInvalid } from "./validation.ts";

/** Builds the app. It holds no state of a request, so one serves a whole isolate. */
export function createApp(): App {
  const app = new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid }) as App;
  app.use(drainBody, requestId, securityHeaders, checkHost);
  app.use("/v1/*", once(refuseUnready), once(authenticate), once(closeToBound));
  app.use("/v1/tasks/:id/*", once(checkTaskInBounds));
  app.use("/v1/*", once(checkJsonBody));
  app.use("/webhook/*", once(refuseUnready));
  app.use("/slack/*", once(refuseUnready));
  app.use(checkQuery);
  taskRoutes(app);
  taskTreeRoutes(app);
  inboxRoutes(app);
  taskReplyRoutes(app);
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
  projectRoutes(app);
  peopleRoutes(app);
  mailRoutes(app);
  mcpServerRoutes(app);
  hookRoutes(app);
  webhookCallRoutes(app);
  skillRoutes(app);
  deliveryRoutes(app);
  slackRoutes(app);
  slackAdmissionRoutes(app);
  agentRoutes(app);
  keyRoutes(app);
  sessionRoutes(app);
  sessionsRoutes(app);
  secretRoutes(app);
  webhookRoutes(app);
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
  app.notFound((c) => unmatched(app, c));
  app.onError((thrown, c) => answerTo(thrown, c));
  return app;
}

/** No route took the request: the path is of the console or unknown, or it knows other methods. */
async function unmatched(app: App, c: AppContext): Promise<Response> {
  const known = allowedMethods(app, c.req.path);
  const id = c.get("requestId");
  const isConsole = known.length === 0 && isConsolePath(c.req.path);
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const file = isConsole && isRead ? await consoleFile(c) : null;
  if (file !== null) return file;
  const allowed = isConsole && !isRead ? CONSOLE_METHODS : known;
  if (allowed.length === 0) return problemResponse({ code: "not_found", message: "There is no such route." }, id);
  const allow = { allow: allowed.join(", ") };
  if (c.req.method === "OPTIONS") return new Response(null, { status: 204, headers: allow });
  const message = `${c.req.path} takes ${allowed.join(", ")}.`;
  return problemResponse({ code: "method_not_allowed", message }, id, { headers: allow });
}

async function answerTo(thrown: Error, c: AppContext): Promise<Response> {
  const id = c.get("requestId");
  if (thrown instanceof UnreadableBody) return problemResponse(thrown.failure, id, { status: 400 });
  if (thrown instanceof OttoError) {
    const lost = await lostTaskFailure(c, thrown.failure);
    if (lost !== null) return problemResponse(lost, id);
    if (ERRORS[thrown.failure.code].status >= 500) logFailure({ id, method: c.req.method, path: c.req.path }, thrown);
    return problemResponse(thrown.failure, id);
  }
  if (thrown instanceof HTTPException && thrown.status < 500) return problemResponse(fromHttp(thrown), id);
  const ofStorage = await storageFailure(thrown, () => freeDiskFromEnv(c.env));
  // Of the storage the sentence is enough: nothing of the code is at fault.
  logFailure({ id, method: c.req.method, path: c.req.path }, ofStorage === null ? thrown : thrown.message);
  return problemResponse(ofStorage ?? (passingFailure(thrown) === null ? FAILED : AWAY), id);
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

/** What the framework itself refuses. */
function fromHttp({ status, message }: HTTPException): Failure {
  if (status === 415)
    return { code: "unsupported_media", message: "Send the body as application/json.", field: "content-type" };
  if (status === 413) return { code: "too_large", message: "The body is too large.", field: "body" };
  if (status === 404) return { code: "not_found", message: "There is no such route." };
  return { code: "invalid_input", message: message === "" ? "The request is not valid." : message, field: "body" };
}
