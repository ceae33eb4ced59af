/**
 * MCP servers that are processes, as the web port's `open` sees servers: the package's requests go to the sidecar, with
 * the process that they are for, and events come back. Secrets are filled in here for that process only, and redacted
 * from its replies.
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

/** `sidecar` is null without one. */
export interface ProcessParts {
  readonly sidecar: Sidecar | null;
  readonly tenant: string;
  readonly secrets: SecretsPort;
}

/** The path of the message in the packet. */
const MESSAGE = "message.json";
/** The sidecar's own time, beyond that of the message. */
const MARGIN_MS = 2_000;
const RETRY_AFTER_MS = 1_000;
/** The first line of the last event when the process did not reply. Messages contain no line end. */
const FAILED = "event: failed\n";
/** Maximum bytes of that event. */
const MAX_FAILED_BYTES = 32 * 1024;

const LOST = maybeSent("upstream_failed", "the connection to the sidecar was lost", { retryAfterMs: RETRY_AFTER_MS });

/** For one operation: its message ids are its own. */
export function openProcessWeb(server: string, program: McpProcess, ways: ProcessParts): Pick<WebPort, "open"> {
  const channel = crypto.randomUUID();
  return {
    async open(request) {
      const { sidecar, tenant, secrets } = ways;
      if (request.method !== "POST" || request.body === null) return ok(createEmpty(405));
      if (sidecar === null)
        return notSent("not_available", "it needs the sidecar, and none is configured (SIDECAR_SECRET)");
      const book = await openSecretBook(secrets, processRefersToSecrets(program));
      if (!book.ok) return book;
      const filled = fillProcess(program, book.value.named);
      if (!filled.ok) return filled;
      const order = { server, ...filled.value, channel, timeout_ms: Math.ceil(request.timeoutMs) };
      const replied = await send(sidecar, tenant, order, request.body, request);
      const redacted = await book.value.redactStream(replied, request.maxBytes);
      if (!redacted.ok) return redacted;
      const events = redacted.value.body.pipeThrough(failOnFailedEvent());
      return ok({ ...redacted.value, body: reportLoss(events, request.signal) });
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
  // A failed fetch leaves open whether its request arrived, which matters for a call.
  if (isCall(message) && !(await isUp(sidecar, signal)))
    return signal.aborted ? notSent("timeout", "it was cancelled before it was called") : failUnreachable();
  const files = [{ path: MESSAGE, size: message.length }];
  const head = headBytes({ body: order, files });
  const size = `${head.length}\n`.length + head.length + message.length;
  const body = await joinChunks(
    streamPacket(head, files, () => yieldOnce(message)),
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
    if (status !== 200 && status !== 202) return toRefusal(status, await response.text());
    return ok(response.body === null ? createEmpty(status) : { status, headers: [...headers], body: response.body });
  } catch {
    if (limit.aborted) return maybeSent("timeout", "it did not reply in time");
    // A request before a call has no effect, and is retried.
    if (!isCall(message)) await isUp(sidecar, limit);
    return LOST;
  }
}

/** The package writes messages as `JSON.stringify` does. A text that only looks like a call counts as one. */
function isCall(message: Uint8Array): boolean {
  return new TextDecoder().decode(message).includes('"method":"tools/call"');
}

async function* yieldOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

function createEmpty(status: number): WebStream {
  return { status, headers: [], body: new ReadableStream({ start: (controller) => controller.close() }) };
}

/** The stream of events; fails with the last event when that is `failed`. Each chunk starts with a whole event. */
function failOnFailedEvent(): TransformStream<Uint8Array, Uint8Array> {
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

/** The stream; logs when the connection to the sidecar breaks, which the package does not report. */
function reportLoss(body: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
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

/** The sidecar's reply when it forwards nothing. */
function toRefusal(status: number, text: string): Result<never> {
  const refusal = readRefusal(status, text);
  if (refusal === null) return LOST;
  if (refusal.isTokenRefusal) return failUnreachable();
  const { code, message, isNotStarted } = refusal;
  if (!isNotStarted) return failed(code, message);
  const again = code === "rate_limited" ? { retryAfterMs: RETRY_AFTER_MS } : {};
  return notSent(code, message, again);
}

function failUnreachable(): Result<never> {
  const message = "the sidecar, in which it runs, does not reply";
  return notSent("upstream_failed", message, { retryAfterMs: RETRY_AFTER_MS });
}
