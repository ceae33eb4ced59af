/**
 * Sends webhooks through the egress guard: signed for each attempt, with one id for all attempts, and without
 * following redirects. Receivers recognize repeats by that id, so a delivery that may have arrived is resent.
 */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { endpointUrlFromEnv, webFromEnv } from "../../../adapters/env/web.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { BY_OTTO } from "../../../core/ports/audit.ts";
import type { Delivery, SendResult } from "../../../core/channels/outbox/delivery.ts";
import type { SealedEndpoint } from "../../../core/channels/webhooks/endpoint.ts";
import { createBody } from "../../../core/channels/webhooks/body.ts";
import { parseRetryAfter } from "../../../core/channels/webhooks/reply.ts";
import { signWebhook } from "../../../core/channels/webhooks/signature.ts";
import type { Failure } from "../../../core/base/errors.ts";
import { canRetry } from "../../../core/gateway/outcome.ts";
import { makeId } from "../../../core/base/ids.ts";
import { SETUP } from "../../../core/secrets/secret-use.ts";
import type { WebStream } from "../../../core/ports/web.ts";
import { seededIds } from "../../../core/base/seeded-ids.ts";
import { changeEndpoint } from "./endpoint-interests.ts";
import { openSigningSecrets } from "./endpoint-secrets.ts";
import { findEndpoint } from "./endpoint-cache.ts";

const TIMEOUT_MS = 15_000;
/** Bytes of a reply, whose body is not used. */
const MAX_REPLY_BYTES = 65_536;

export async function sendWebhook(env: Env, delivery: Delivery): Promise<SendResult> {
  const { tenant, to } = delivery;
  const found = await findEndpoint(env, tenant, to);
  if (!found.ok) return { kind: "later", why: found.error.message, afterMs: null, isOurs: true };
  const endpoint = found.value;
  if (endpoint === null) return { kind: "dead", why: "The webhook was deleted." };
  if (!endpoint.enabled) return { kind: "dead", why: "The webhook is disabled." };
  const url = endpointUrlFromEnv(env, endpoint.url);
  if (!url.ok) return { kind: "dead", why: url.error.message };
  const replied = await post(env, delivery, endpoint, url.value);
  if (!replied.ok) return toFailedResult(replied.error);
  await replied.value.body.cancel().catch(() => undefined);
  return await toSendResult(env, delivery, endpoint, replied.value);
}

async function post(env: Env, delivery: Delivery, endpoint: SealedEndpoint, url: string) {
  const now = Date.now();
  const signed = { id: delivery.id, seconds: Math.floor(now / 1000), body: createBody(delivery) };
  const secrets = await openSigningSecrets(env, delivery.tenant, endpoint, now);
  return await webFromEnv(env, delivery, SETUP).open({
    method: "POST",
    url,
    headers: [
      ["content-type", "application/json"],
      ["user-agent", "Otto-Webhooks/1"],
      ["webhook-id", signed.id],
      ["webhook-timestamp", String(signed.seconds)],
      ["webhook-signature", await signWebhook(secrets, signed)],
    ],
    body: new TextEncoder().encode(signed.body),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_REPLY_BYTES,
    followRedirects: false,
    allowedDomains: ["*"],
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

/** Converts a request without a reply. */
function toFailedResult(failure: Failure): SendResult {
  const { code, message, cause } = failure;
  if (!canRetry("webhook_delivery", failure)) return { kind: "dead", why: message };
  if (cause?.kind === "sidecar_lost") return { kind: "later", why: message, afterMs: null, isCutOff: true };
  const isOurs = code === "not_available" || cause?.kind === "sidecar_away";
  return { kind: "later", why: message, afterMs: null, ...(isOurs ? { isOurs } : {}) };
}

async function toSendResult(
  env: Env,
  { tenant, id }: Delivery,
  endpoint: SealedEndpoint,
  { status, headers }: WebStream,
): Promise<SendResult> {
  if (status >= 200 && status < 300) return { kind: "sent", ref: null };
  const why = `The receiver answered ${status}.`;
  if (status >= 300 && status < 400)
    return {
      kind: "later",
      why: `${why} Redirects are not followed. Set the webhook to the final URL.`,
      afterMs: null,
    };
  if (status === 410) {
    await disable(env, tenant, endpoint, id);
    return { kind: "dead", why: `${why} It accepts no more webhooks, so this one was disabled.` };
  }
  if (status !== 429 && status !== 503) return { kind: "later", why, afterMs: null };
  const afterMs = parseRetryAfter(headers, Date.now());
  return { kind: "later", why, afterMs, ...(afterMs === null ? {} : { pausesAllMs: afterMs }) };
}

/** Disables the endpoint, unless it changed since it was read. If that fails, the next such reply does it. */
async function disable(env: Env, tenant: string, { id, version }: SealedEndpoint, delivery: string): Promise<void> {
  const at = Date.now();
  const { random } = await seededIds("audit", delivery, at);
  const act = {
    id: makeId("audit", at, random),
    at,
    actor: BY_OTTO,
    action: "webhook.disable" as const,
    target: id,
    requestId: delivery,
  };
  const why = "Its receiver answered 410 Gone.";
  const disabled = await changeEndpoint(env, tenant, [], () =>
    databaseFromEnv(env).endpoints.disable(tenant, { id, version, why }, act),
  );
  if (!disabled.ok) console.warn("a webhook that is gone was not disabled", tenant, id, disabled.error.code);
}
