/**
 * MCP servers that are processes, as the web port's `open` has servers: what the package sends goes to the sidecar, with the
 * process that it is for, and events come back. Secrets are filled in here and go nowhere but into that process; what comes
 * back is searched for them.
 */
import { z } from "zod";
import {
  type ErrorCode,
  ERRORS,
  failed,
  type Failure,
  maybeSent,
  notSent,
  ok,
  type Result,
} from "../../core/base/errors.ts";
import { fillProcess, type McpProcess, processRefersToSecrets } from "../../core/mcp/process-config.ts";
import type { WebPort, WebStream, WebStreamRequest } from "../../core/ports/web.ts";
import type { SecretsPort } from "../../core/ports/secrets.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { openSecretBook } from "../egress/secret-book.ts";
import { headBytes, joinChunks, streamPacket, joinHashes } from "../sidecar/packet.ts";
import { readRefusal } from "../sidecar/refusal.ts";
import { isUp, type Sidecar } from "../sidecar/sidecar.ts";
import { signMcpOrder } from "../sidecar/token.ts";
import { NoReply } from "./web-fetch.ts";
import { sha256Hex } from "../../core/base/sha256.ts";

/** `sidecar` is null where there is none. */
export interface ProcessWays {
  readonly sidecar: Sidecar | null;
  readonly tenant: string;
  readonly secrets: SecretsPort;
}

/** Where the message stands in the packet. */
const MESSAGE = "message.json";
/** What the sidecar takes beyond the time of the message itself. */
const MARGIN_MS = 2_000;
const AGAIN_AFTER_MS = 1_000;
/** The first line of the event that comes last when the process did not answer. No message has a line end in it. */
const FAILED = "event: failed\n";
/** That event is no longer than this. */
const MAX_FAILED_BYTES = 32 * 1024;

const LOST = maybeSent("upstream_failed", "the connection to the sidecar was lost", { retryAfterMs: AGAIN_AFTER_MS });

/** For one operation: the ids of its messages are its own. */
export function processWeb(server: string, program: McpProcess, ways: ProcessWays): Pick<WebPort, "open"> {
  const channel = crypto.randomUUID();
  return {
    async open(request) {
      const { sidecar, tenant, secrets } = ways;
      if (request.method !== "POST" || request.body === null) return ok(empty(405));
      if (sidecar === null)
        return notSent("not_available", "it needs the sidecar, and none is set up here (SIDECAR_SECRET)");
      const book = await openSecretBook(secrets, processRefersToSecrets(program));
      if (!book.ok) return book;
      const filled = fillProcess(program, book.value.named);
      if (!filled.ok) return filled;
      const order = { server, ...filled.value, channel, timeout_ms: Math.ceil(request.timeoutMs) };
      const replied = await send(sidecar, tenant, order, request.body, request);
      const redacted = await book.value.redactStream(replied, request.maxBytes);
      if (!redacted.ok) return redacted;
      const events = redacted.value.body.pipeThrough(untilFailed());
      return ok({ ...redacted.value, body: untilLost(events, request.signal) });
    },
  };
}

async function send(
  sidecar: Sidecar,
  tenant: string,
  order: unknown,
  message: Uint8Array,
  { timeoutMs, signal }: Pick<WebStreamRequest, "timeoutMs" | "signal">,
): Promise<Result<WebStream>> {
  // A failed fetch does not tell whether its request arrived, which matters for a call.
  if (isCall(message) && !(await isUp(sidecar, signal)))
    return signal.aborted ? notSent("timeout", "it was given up before it was asked") : unreachable();
  const files = [{ path: MESSAGE, size: message.length }];
  const head = headBytes({ body: order, files });
  const size = `${head.length}\n`.length + head.length + message.length;
  const body = await joinChunks(
    streamPacket(head, files, () => only(message)),
    size,
  );
  const hash = await sha256Hex(head);
  const filesSha256 = await sha256Hex(joinHashes([await sha256Hex(message)]));
  const token = await signMcpOrder(sidecar.secret, { tenant, head: hash, filesSha256 }, Date.now());
  const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(timeoutMs) + MARGIN_MS)]);
  try {
    const response = await sidecar.fetch("/mcp", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" },
      body,
      signal: limit,
    });
    const { status, headers } = response;
    if (status !== 200 && status !== 202) return refusalOf(status, await response.text());
    return ok(response.body === null ? empty(status) : { status, headers: [...headers], body: response.body });
  } catch {
    if (limit.aborted) return maybeSent("timeout", "it did not answer in time");
    // What comes before a call did not ask, and is tried again.
    if (!isCall(message)) await isUp(sidecar, limit);
    return LOST;
  }
}

/** The package writes messages as `JSON.stringify` does. What only looks like a call is asked for too. */
function isCall(message: Uint8Array): boolean {
  return new TextDecoder().decode(message).includes('"method":"tools/call"');
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

function empty(status: number): WebStream {
  return { status, headers: [], body: new ReadableStream({ start: (controller) => controller.close() }) };
}

/**
 * The stream of events, which fails with what the last one says when that is `failed`. What comes are whole events: a
 * chunk begins where one begins.
 */
function untilFailed(): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      const text = new TextDecoder().decode(chunk.subarray(Math.max(0, chunk.length - MAX_FAILED_BYTES)));
      const at = text.startsWith(FAILED) ? 0 : text.lastIndexOf(`\n\n${FAILED}`) + 2;
      const failure = text.startsWith(FAILED, at) ? readFailed(text.slice(at + FAILED.length)) : null;
      if (failure === null) return controller.enqueue(chunk);
      const kept = chunk.length - new TextEncoder().encode(text.slice(at)).length;
      if (kept > 0) controller.enqueue(chunk.subarray(0, kept));
      controller.error(new NoReply(failure));
    },
  });
}

/** The stream, which says so when the connection to the sidecar breaks. The package tells nobody of a stream that broke. */
function untilLost(body: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (thrown) {
        controller.error(thrown instanceof NoReply || signal.aborted ? thrown : new NoReply(LOST.error));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

const CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];
const saidSchema = z.object({ code: z.enum(CODES), message: z.string() });

function readFailed(text: string): Failure | null {
  const said = saidSchema.safeParse(parseJson(text.replace(/^data: /, ""))).data;
  return said === undefined ? null : { code: said.code, message: said.message };
}

/** What the sidecar answers when it hands nothing on. */
function refusalOf(status: number, text: string): Result<never> {
  const refusal = readRefusal(status, text);
  if (refusal === null) return LOST;
  if (refusal.isTokenRefusal) return unreachable();
  const { code, message, isNotStarted } = refusal;
  if (!isNotStarted) return failed(code, message);
  const again = code === "rate_limited" ? { retryAfterMs: AGAIN_AFTER_MS } : {};
  return notSent(code, message, again);
}

function unreachable(): Result<never> {
  const message = "the sidecar, in which it runs, does not answer";
  return notSent("upstream_failed", message, { retryAfterMs: AGAIN_AFTER_MS });
}
