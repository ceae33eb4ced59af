/** The sidecar's routes: `GET /health`, `POST /egress`, `POST` and `DELETE /egress/batch`, `POST /jobs/<kind>`, `POST /mcp` and `DELETE /mcp`. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { Isolation } from "./cage/cage.ts";
import type { EgressDeps } from "./egress.ts";
import { makeEgressRoutes } from "./egress-route.ts";
import { makeJobRoute } from "./jobs/route.ts";
import type { CheckedJobKind } from "./jobs/job.ts";
import type { ServerPool } from "./mcp/server-pool.ts";
import { makeMcpRoute } from "./mcp/route.ts";
import { sendJson, sendTooMany } from "./reply.ts";
import { Slots } from "./slots.ts";
import { makeTokenCheck, type SidecarOrder, type TokenRefusal } from "./token.ts";
import { openUsedTokens, type UsedTokens } from "./used-tokens.ts";
import type { Versions } from "./versions.ts";

const MAX_CONCURRENT = 256;
/** Longer than a Worker keeps an idle connection (5 s): one that closes while a request arrives would lose it. */
const KEEP_ALIVE_MS = 60_000;
/** Leaves room for the token, which is a header. */
const MAX_HEADER_BYTES = 300 * 1024;
/** The routes that need a token. */
const TOKEN_ROUTES = /^(?:POST \/egress(?:\/batch)?|DELETE \/egress\/batch|POST \/jobs\/.*|POST \/mcp|DELETE \/mcp)$/;

const NOT_STORED =
  "The sidecar cannot record used tokens: its disk is full, or SIDECAR_FOLDER is not writable. Nothing was started.";

/** `wrong_secret` tells the Worker that this process has a different secret. */
const TOKEN_REFUSALS: Readonly<Record<TokenRefusal, readonly [status: number, code: string, message: string]>> = {
  foreign: [401, "wrong_secret", "The token was signed with a different secret."],
  invalid: [401, "unauthenticated", "The token is invalid."],
  expired: [401, "unauthenticated", "The token has expired."],
  used: [401, "unauthenticated", "The token was used before."],
  full: [503, "rate_limited", "Too many tokens were used within a minute. Nothing was started. Try again later."],
  not_stored: [503, "upstream_failed", NOT_STORED],
};

/** The sidecar's services other than egress. */
export interface SidecarParts {
  readonly kinds: readonly CheckedJobKind[];
  /** The folder that contains only the folders of jobs. */
  readonly folder: string;
  /** Stores used tokens across restarts. In memory when omitted. */
  readonly usedTokens?: UsedTokens;
  /** How well programs are isolated. */
  readonly isolation: () => Promise<Isolation>;
  /** Versions of the installed programs that have been read so far. */
  readonly versions?: () => Versions;
  /** Runs MCP servers as processes. Unavailable when omitted. */
  readonly mcp?: ServerPool;
}

/** Creates the server without listening. `jobs` null disables all services but egress. `now` is milliseconds since the epoch. */
export function makeSidecar(
  secret: string,
  egress: EgressDeps,
  jobs: SidecarParts | null = null,
  now: () => number = Date.now,
): Server {
  const checkToken = makeTokenCheck(secret, jobs?.usedTokens ?? openUsedTokens(null, now() / 1_000), now);
  const slots = new Slots(MAX_CONCURRENT);
  const egressRoutes = makeEgressRoutes(egress, slots);
  const jobRoute = makeJobRoute(jobs?.kinds ?? [], jobs?.folder ?? "");
  const mcpRoute = jobs?.mcp === undefined ? null : makeMcpRoute(jobs.mcp);
  const services = ["egress", ...(jobs?.kinds ?? []).map(({ name }) => name), ...(mcpRoute === null ? [] : ["mcp"])];

  async function readHealth(): Promise<Readonly<Record<string, unknown>>> {
    if (jobs === null) return { ok: true, services };
    return { ok: true, services, isolation: await jobs.isolation(), versions: jobs.versions?.() };
  }

  /** Serves the token's order if its purpose matches the route. */
  async function serveOrder(
    route: string,
    order: SidecarOrder,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (order.purpose === "egress" && route === "POST /egress") return await egressRoutes.one(order, request, response);
    if (order.purpose === "egress_batch" && route === "POST /egress/batch")
      return await egressRoutes.batch(order, request, response);
    if (order.purpose === "egress_end" && route === "DELETE /egress/batch") {
      egressRoutes.endOne(order);
      return sendJson(response, 200, { ok: true });
    }
    if (order.purpose === "job" && route === `POST /jobs/${order.kind}`)
      return await jobRoute(order, request, response);
    if (order.purpose === "mcp" && route === "POST /mcp" && mcpRoute !== null)
      return await mcpRoute(order, request, response);
    if (order.purpose === "mcp_end" && route === "DELETE /mcp") {
      jobs?.mcp?.endServers(order.tenant, order.server);
      return sendJson(response, 200, { ok: true });
    }
    sendJson(response, 401, { code: "unauthenticated", message: `The token is not for ${route}.` });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?")[0] ?? "";
    if (request.method === "GET" && path === "/health") return sendJson(response, 200, await readHealth());
    const target = `${request.method} ${path}`;
    if (!TOKEN_ROUTES.test(target)) {
      const message =
        "Not found. Routes: GET /health, POST /egress, POST and DELETE /egress/batch, POST /jobs/<kind>, POST and DELETE /mcp.";
      return sendJson(response, 404, { code: "not_found", message });
    }
    const release = slots.take();
    if (release === null) return sendTooMany(response, `${MAX_CONCURRENT} requests are in progress.`);
    try {
      const verdict = checkToken(/^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "");
      if (verdict.ok) return await serveOrder(target, verdict.order, request, response);
      const [status, code, message] = TOKEN_REFUSALS[verdict.reason];
      // A used token started something that may still run.
      sendJson(response, status, { code, message, sent: verdict.reason === "used" });
    } finally {
      release();
    }
  }

  return createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      console.error(`${request.url} failed:`, error instanceof Error ? `${error.name}: ${error.message}` : "no error");
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { code: "internal", message: "The sidecar failed." });
    });
  });
}
