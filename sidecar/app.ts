/** The sidecar's routes: `GET /health`, `POST /egress`, `POST /jobs/<kind>`, `POST /mcp` and `DELETE /mcp`. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { Isolation } from "./cage/cage.ts";
import type { EgressDeps } from "./egress.ts";
import { makeEgressRoute } from "./egress-route.ts";
import { makeJobRoute } from "./jobs/route.ts";
import type { ReadyJobKind } from "./jobs/job.ts";
import type { Keeper } from "./mcp/server-pool.ts";
import { makeMcpRoute } from "./mcp/route.ts";
import { sendJson, sendTooMany } from "./reply.ts";
import { makeTokenCheck, type SidecarOrder, type TokenRefusal } from "./token.ts";
import { openUsedTokens, type UsedTokens } from "./used-tokens.ts";
import type { Versions } from "./versions.ts";

const MAX_AT_ONCE = 256;
/** The token travels in a header. */
const MAX_HEADER_BYTES = 300 * 1024;
/** What needs a token. */
const ORDERED = /^(?:POST \/egress|POST \/jobs\/.*|POST \/mcp|DELETE \/mcp)$/;

const NOT_STORED =
  "The sidecar cannot store that a token was used: its disk is full, or SIDECAR_FOLDER cannot be written. Nothing was begun.";

/** By `wrong_secret` the Worker knows that this process has another secret than its own. */
const ANSWER_TO_TOKEN: Readonly<Record<TokenRefusal, readonly [status: number, code: string, message: string]>> = {
  foreign: [401, "wrong_secret", "The token is foreign."],
  invalid: [401, "unauthenticated", "The token is invalid."],
  expired: [401, "unauthenticated", "The token is expired."],
  used: [401, "unauthenticated", "The token is used."],
  full: [503, "rate_limited", "Too many tokens were used within a minute. Nothing was begun. Try again later."],
  not_stored: [503, "upstream_failed", NOT_STORED],
};

/** What the sidecar does beside requests to the outside. */
export interface JobParts {
  readonly kinds: readonly ReadyJobKind[];
  /** Where the folders of jobs are made: there, and nothing else's. */
  readonly folder: string;
  /** Remembers used tokens across restarts. Without it, they are remembered until this process ends. */
  readonly usedTokens?: UsedTokens;
  /** How well programs are shut in. */
  readonly isolation: () => Promise<Isolation>;
  /** Of the programs here, as far as they were read. */
  readonly versions?: () => Versions;
  /** Runs MCP servers as processes. Without one, there are none here. */
  readonly mcp?: Keeper;
}

/** Makes the server; it does not listen yet. `jobs` null: it takes none. `now` is milliseconds since the epoch. */
export function makeSidecar(
  secret: string,
  egress: EgressDeps,
  jobs: JobParts | null = null,
  now: () => number = Date.now,
): Server {
  const checkToken = makeTokenCheck(secret, jobs?.usedTokens ?? openUsedTokens(null, now() / 1_000), now);
  const egressRoute = makeEgressRoute(egress);
  const jobRoute = makeJobRoute(jobs?.kinds ?? [], jobs?.folder ?? "");
  const mcpRoute = jobs?.mcp === undefined ? null : makeMcpRoute(jobs.mcp);
  const services = ["egress", ...(jobs?.kinds ?? []).map(({ name }) => name), ...(mcpRoute === null ? [] : ["mcp"])];
  let underWay = 0;

  async function health(): Promise<Readonly<Record<string, unknown>>> {
    if (jobs === null) return { ok: true, services };
    return { ok: true, services, isolation: await jobs.isolation(), versions: jobs.versions?.() };
  }

  /** Does what the token orders, where its purpose has its address: `POST /egress`. */
  async function serveOrder(
    asked: string,
    order: SidecarOrder,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (order.purpose === "egress" && asked === "POST /egress") return await egressRoute(order, request, response);
    if (order.purpose === "job" && asked === `POST /jobs/${order.kind}`)
      return await jobRoute(order, request, response);
    if (order.purpose === "mcp" && asked === "POST /mcp" && mcpRoute !== null)
      return await mcpRoute(order, request, response);
    if (order.purpose === "mcp_end" && asked === "DELETE /mcp") {
      jobs?.mcp?.endOf(order.tenant, order.server);
      return sendJson(response, 200, { ok: true });
    }
    sendJson(response, 401, { code: "unauthenticated", message: `The token is not for ${asked}.` });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?")[0] ?? "";
    if (request.method === "GET" && path === "/health") return sendJson(response, 200, await health());
    const asked = `${request.method} ${path}`;
    if (!ORDERED.test(asked)) {
      const message = "There is GET /health, POST /egress, POST /jobs/<kind>, POST /mcp and DELETE /mcp.";
      return sendJson(response, 404, { code: "not_found", message });
    }
    if (underWay >= MAX_AT_ONCE) return sendTooMany(response, `${MAX_AT_ONCE} requests are under way.`);
    const verdict = checkToken(/^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "");
    if (!verdict.ok) {
      const [status, code, message] = ANSWER_TO_TOKEN[verdict.reason];
      // A token that was used began something, which may go on.
      return sendJson(response, status, { code, message, sent: verdict.reason === "used" });
    }
    underWay += 1;
    try {
      await serveOrder(asked, verdict.order, request, response);
    } finally {
      underWay -= 1;
    }
  }

  return createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      console.error(`${request.url} failed:`, error instanceof Error ? `${error.name}: ${error.message}` : "no error");
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { code: "internal", message: "The sidecar failed." });
    });
  });
}
