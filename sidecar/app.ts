/** The sidecar's routes: `GET /health` and `POST /egress`. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import { pipeline } from "node:stream/promises";
import {
  type ComingAnswer,
  type EgressDeps,
  type EgressHead,
  type EgressRefusal,
  openEgress,
  performEgress,
} from "./egress.ts";
import { type EgressOrder, makeTokenCheck, type TokenRefusal, type TokenVerdict } from "./token.ts";

const MAX_REQUEST_BYTES = 16 * 1024 * 1024;
const MAX_AT_ONCE = 256;
/** Of one tenant: a server of its choice can hold each of them for minutes, and the others go on. */
const MAX_AT_ONCE_EACH = 128;
/** The token travels in a header. */
const MAX_HEADER_BYTES = 300 * 1024;

const STATUS_OF_REFUSAL: Readonly<Record<EgressRefusal["code"], number>> = {
  blocked_by_policy: 403,
  invalid_input: 422,
  upstream_failed: 502,
  timeout: 502,
};

/** By `wrong_secret` the Worker knows that this process has another secret than its own. */
const ANSWER_TO_TOKEN: Readonly<Record<TokenRefusal, readonly [status: number, code: string]>> = {
  foreign: [401, "wrong_secret"],
  invalid: [401, "unauthenticated"],
  expired: [401, "unauthenticated"],
  used: [401, "unauthenticated"],
  full: [503, "rate_limited"],
};

/** Makes the server; it does not listen yet. `now` is milliseconds since the epoch. */
export function makeSidecar(secret: string, egress: EgressDeps, now: () => number = Date.now): Server {
  const checkToken = makeTokenCheck(secret, now);
  let underWay = 0;
  const underWayOf = new Map<string, number>();

  async function serveEgress(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const verdict: TokenVerdict = checkToken(token);
    if (!verdict.ok) {
      const [status, code] = ANSWER_TO_TOKEN[verdict.reason];
      return sendJson(response, status, { code, message: `The token is ${verdict.reason}.` });
    }
    const { tenant = "" } = verdict.order;
    const before = underWayOf.get(tenant) ?? 0;
    if (before >= MAX_AT_ONCE_EACH) return sendTooMany(response, `${MAX_AT_ONCE_EACH} requests of one tenant`);
    underWayOf.set(tenant, before + 1);
    try {
      await serveOrder(verdict.order, request, response);
    } finally {
      const left = (underWayOf.get(tenant) ?? 1) - 1;
      if (left > 0) underWayOf.set(tenant, left);
      else underWayOf.delete(tenant);
    }
  }

  async function serveOrder(order: EgressOrder, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (body === null) {
      return sendJson(response, 413, {
        code: "too_large",
        message: `A request body may have ${MAX_REQUEST_BYTES} bytes.`,
      });
    }
    const gone = new AbortController();
    response.on("close", () => {
      if (!response.writableFinished) gone.abort();
    });
    if (order.stream === true) {
      const coming = await openEgress(order, body, egress, gone.signal);
      return coming.ok ? await sendAsItComes(response, coming) : sendRefusal(response, coming);
    }
    const answer = await performEgress(order, body, egress, gone.signal);
    if (!answer.ok) return sendRefusal(response, answer);
    response.writeHead(200, { ...headersFor(answer, answer.truncated), "content-length": answer.body.length });
    response.end(answer.body);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?")[0];
    if (request.method === "GET" && path === "/health")
      return sendJson(response, 200, { ok: true, services: ["egress"] });
    if (request.method !== "POST" || path !== "/egress") {
      return sendJson(response, 404, { code: "not_found", message: "There is GET /health and POST /egress." });
    }
    if (underWay >= MAX_AT_ONCE) return sendTooMany(response, `${MAX_AT_ONCE} requests`);
    underWay += 1;
    try {
      await serveEgress(request, response);
    } finally {
      underWay -= 1;
    }
  }

  return createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      console.error("egress failed:", error instanceof Error ? `${error.name}: ${error.message}` : "no error");
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { code: "internal", message: "The sidecar failed." });
    });
  });
}

/** What tells the other side's status and headers. */
function headersFor({ status, headers }: EgressHead, truncated: boolean): Record<string, string> {
  const upstream = { status, headers, ...(truncated ? { truncated: true } : {}) };
  return {
    "content-type": "application/octet-stream",
    "x-otto-upstream": Buffer.from(JSON.stringify(upstream)).toString("base64url"),
  };
}

/** A body that breaks off breaks the reply off too. */
async function sendAsItComes(response: ServerResponse, answer: ComingAnswer): Promise<void> {
  response.writeHead(200, headersFor(answer, false));
  response.flushHeaders();
  try {
    await pipeline(answer.coming, response);
  } catch {
    response.destroy();
  }
}

function sendRefusal(response: ServerResponse, { code, message, sent }: EgressRefusal): void {
  sendJson(response, STATUS_OF_REFUSAL[code], { code, message, sent });
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  if (request.headers["content-length"] === "0") return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function sendTooMany(response: ServerResponse, what: string): void {
  sendJson(response, 503, { code: "rate_limited", message: `${what} are under way.` });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
