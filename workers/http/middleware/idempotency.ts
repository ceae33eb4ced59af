/**
 * `Idempotency-Key` for every POST that creates something (docs/decisions/0005-keys-and-idempotency.md). The tenant's
 * object decides whether a request is the first, which runs and whose reply is stored before it is sent, or a repeat,
 * which gets the stored reply.
 */
import type { Next } from "hono";
import { sealingFromEnv } from "../../../adapters/env/secrets.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { type Failure, raise } from "../../../core/base/errors.ts";
import { getPath } from "hono/utils/url";
import {
  computeFingerprint,
  type IdempotencyState,
  type IdempotentRequest,
  isIdempotencyKey,
  shouldStoreReply,
  type StoredReply,
} from "../../../core/tenant/idempotency.ts";
import { isConsentCookie } from "../consent-browser.ts";
import type { AppContext } from "../context.ts";
import { logFailure } from "../log.ts";
import { problemResponse } from "../problem.ts";
import { readBody } from "./body-limits.ts";

/**
 * A tenant's kill switch. A repeat changes nothing and returns the current state; a stored reply could say that a
 * released tenant is stopped.
 */
const SWITCH_PATH = /^\/v1\/(kill-switch|tenants\/[^/]+)\/(stop|release)$/;

/** Bytes of a form that is compared without its separator. */
const MAX_COPIED_BYTES = 10_500_000;

/** Headers that belong to the reply itself. The others belong to the current request. */
const STORED_HEADERS = ["content-type", "etag", "location", "retry-after"];

/**
 * Describes the request for the detection of repeats; null if it has no key, is no POST, or sets a kill switch. Reads
 * the body, so call it after the authentication.
 */
export async function readIdempotentRequest(c: AppContext): Promise<IdempotentRequest | null> {
  const key = c.req.header("idempotency-key");
  if (key === undefined || c.req.method !== "POST") return null;
  if (!isIdempotencyKey(key)) {
    const message = "An Idempotency-Key has 1 to 256 printable ASCII characters.";
    raise("invalid_input", message, { field: "Idempotency-Key" });
  }
  const { method } = c.req;
  // The path as sent, because a stored key contains it, even for an address of an earlier release.
  const path = getPath(c.req.raw);
  if (SWITCH_PATH.test(path)) return null;
  const query = new URL(c.req.url).search;
  const fingerprint = await computeFingerprint({ method, path, query, body: await readComparableBody(c) });
  return { key: `${method} ${path} ${key}`, fingerprint };
}

/** Returns the body without the random separator of a form, so that equal requests compare equal. */
async function readComparableBody(c: AppContext): Promise<Uint8Array | null> {
  const bytes = await readBody(c);
  const type = c.req.header("content-type") ?? "";
  const boundary = /^multipart\/[^]*;\s*boundary="?([^";\s]+)/i.exec(type)?.[1];
  // A copy as text of a large document would not fit into memory; a repeat of it has to be the same bytes.
  if (bytes === null || boundary === undefined || bytes.length > MAX_COPIED_BYTES) return bytes;
  // In this encoding each byte is one character.
  const text = new TextDecoder("latin1").decode(bytes);
  return new TextEncoder().encode(text.replaceAll(boundary, ""));
}

/** Runs a first request and stores its reply before it is sent, or answers a repeat. */
export async function runOnce(
  c: AppContext,
  { tenant, state }: { readonly tenant: string; readonly state: IdempotencyState },
  next: Next,
): Promise<void> {
  switch (state.kind) {
    case "mismatch":
      answer(
        c,
        createRefusal("invalid_input", "This Idempotency-Key was used with another body or query. Use a new key."),
      );
      return;
    case "busy": {
      const message = "The first request with this Idempotency-Key is still running. Send this one again later.";
      answer(c, createRefusal("conflict", message, state.retryAfterMs));
      return;
    }
    case "replay":
      c.res = await open(c, tenant, state.reply);
      c.res.headers.set("idempotency-replayed", "true");
      return;
    case "fresh":
      c.set("idempotency", { seed: state.seed, startedAt: state.startedAt });
      await next();
      await storeReply(c, tenant, state.ticket);
  }
}

/**
 * Stores the reply, with one retry. Does not send a reply that could not be stored, because a repeat could get
 * another.
 */
async function storeReply(c: AppContext, tenant: string, ticket: string): Promise<void> {
  const reply = shouldStoreReply(c.res.status) && c.get("isReplyTemporary") !== true ? await seal(c, tenant) : null;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const earlier = await tenantsFromEnv(c.env)(tenant).settle(ticket, reply);
      if (earlier !== null) replace(c, await open(c, tenant, earlier));
      return;
    } catch (thrown) {
      if (attempt < 2) continue;
      logFailure({ id: c.get("requestId"), method: c.req.method, path: c.req.path }, thrown);
      if (reply === null) return;
      const message = "The reply could not be stored. Send the request again with the same Idempotency-Key.";
      replace(c, problemResponse({ code: "upstream_failed", message, retryAfterMs: 1000 }, c.get("requestId")));
      return;
    }
  }
}

function createRefusal(code: Failure["code"], message: string, retryAfterMs?: number): Failure {
  return { code, message, field: "Idempotency-Key", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

function answer(c: AppContext, failure: Failure): void {
  c.res = problemResponse(failure, c.get("requestId"));
}

/** Replaces the response. Hono copies the headers of a replaced response unless it was removed first. */
function replace(c: AppContext, response: Response): void {
  c.res = undefined;
  c.res = response;
}

async function seal(c: AppContext, tenant: string): Promise<StoredReply> {
  const body = new Uint8Array(await c.res.clone().arrayBuffer());
  const headers = STORED_HEADERS.flatMap((name) => {
    const value = c.res.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  // A consent is bound to the browser with its cookie, so a replayed reply sets the cookie too.
  const cookies = c.res.headers.getSetCookie().filter(isConsentCookie);
  headers.push(...cookies.map((cookie) => ["set-cookie", cookie] as const));
  return { status: c.res.status, headers, sealed: await sealingFromEnv(c.env).seal(body, getContext(tenant)) };
}

async function open(c: AppContext, tenant: string, reply: StoredReply): Promise<Response> {
  const body = await sealingFromEnv(c.env)
    .open(reply.sealed, getContext(tenant))
    .catch(() => null);
  if (body === null) {
    const message =
      "The first request with this Idempotency-Key was done, but its reply cannot be decrypted: its key is missing from OTTO_SECRET_KEYS_OLD.";
    return problemResponse(createRefusal("conflict", message), c.get("requestId"));
  }
  return new Response(body.length === 0 ? null : body, {
    status: reply.status,
    headers: new Headers(reply.headers.map(([name, value]): [string, string] => [name, value])),
  });
}

function getContext(tenant: string): string {
  return `reply ${tenant}`;
}
