/**
 * Replies to a request whose body was not read to its end, so that a client that is still sending receives the reply.
 * The runtime closes the connection once the reply has ended and 64 KB of the rest were read, and a client that is
 * cut off while sending reports a reset. So the reply is sent at once and ended when the rest is discarded. Bytes and
 * time are bounded; beyond them the connection is closed. A client that waits for `100 Continue` gets the reply and
 * sends nothing (RFC 9110, section 10.1.1).
 */
import type { MiddlewareHandler } from "hono";
import type { AppContext, AppEnv } from "../context.ts";
import { type DiscardBounds, discardBody } from "../discard-body.ts";

/** A slow client has a minute; one that stops sending has ten seconds. */
const BOUNDS: DiscardBounds = { maxBytes: 16 * 1024 * 1024, idleMs: 10_000, totalMs: 60_000 };
/** Bytes of a body that the runtime itself discards (KJ's `canceledUploadGraceBytes`). */
const RUNTIME_BYTES = 65_536;

export const drainBody: MiddlewareHandler<AppEnv> = async function drainBody(c, next) {
  // Routes get a request with the checked body instead.
  const { raw } = c.req;
  await next();
  const rest = findUnreadBody(c, raw);
  if (rest === null) return;
  const drained = discardBody(rest, BOUNDS);
  const answer = c.res;
  const bytes: ReadableStream<Uint8Array> | null = answer.body;
  if (bytes === null) return await drained;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const sent = send(bytes, writable, drained).catch(() => undefined);
  c.executionCtx.waitUntil(sent);
  const headers = new Headers(answer.headers);
  headers.delete("content-length");
  // Hono copies the headers of a replaced reply unless it was removed first.
  c.res = undefined;
  c.res = new Response(readable, { status: answer.status, headers });
};

/** Returns the unread body; null if it was read, is small, or is not sent before the reply. */
function findUnreadBody(c: AppContext, raw: Request): ReadableStream<Uint8Array> | null {
  const body: ReadableStream<Uint8Array> | null = raw.body;
  if (body === null || body.locked || (c.get("bodyBytes") ?? null) !== null) return null;
  const waits = raw.headers.get("expect")?.toLowerCase() === "100-continue";
  if (waits && !raw.bodyUsed) return null;
  return Number(raw.headers.get("content-length") ?? Infinity) <= RUNTIME_BYTES ? null : body;
}

/** Sends the reply's bytes at once, and ends it when the request's body is discarded. */
async function send(
  answer: ReadableStream<Uint8Array>,
  writable: WritableStream<Uint8Array>,
  drained: Promise<void>,
): Promise<void> {
  await answer.pipeTo(writable, { preventClose: true });
  await drained;
  await writable.close();
}
