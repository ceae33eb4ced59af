/**
 * Mail by Resend: https://resend.com/docs/api-reference/emails/send-email. Its `Idempotency-Key` lasts 24 hours: the
 * same mail under the same key is sent once. Its client library adds a mail parser and two signature libraries for this
 * one request (docs/decisions/0043-what-the-bundle-leaves-out.md).
 */
import { z } from "zod";
import { toBase64 } from "../../core/base/base64.ts";
import {
  ANSWERED,
  type ErrorCode,
  failed,
  type Failure,
  maybeSent,
  notSent,
  ok,
  type Result,
} from "../../core/base/errors.ts";
import { RESEND_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { formatMailbox } from "../../core/channels/mail/address.ts";
import { checkMail } from "../../core/channels/mail/check.ts";
import type { Mail, MailPort, SentMail } from "../../core/ports/mail.ts";
import { parseRetryAfter } from "../model/model-failure.ts";
import { readAtMost } from "../http/reply-text.ts";

/** Time limit of one request. */
const TIMEOUT_MS = 30_000;
/** Maximum characters of Resend's message that are passed on, and bytes of a reply that are read. */
const MAX_WORDS = 300;
const MAX_REPLY_BYTES = 65_536;

export interface ResendSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** A mailbox of a domain verified at Resend. */
  readonly from: string;
}

export function openResend({ baseUrl, apiKey, from }: ResendSettings): MailPort {
  return {
    provider: "resend",
    keyedForMs: RESEND_KEYED_FOR_MS,
    async send(_tenant, mail, { key, signal }) {
      const checked = checkMail(mail);
      if (!checked.ok) return checked;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const answer = await post(`${baseUrl}/emails`, apiKey, { key, body: toPayload(mail, from), signal: limit });
      if (answer === null) return limit.aborted ? failLate() : maybeSent("upstream_failed", "Resend is unavailable.");
      if (answer.isOk) {
        const sent = sentSchema.safeParse(answer.body);
        return sent.success ? ok({ id: sent.data.id }) : maybeSent("upstream_failed", UNREADABLE);
      }
      const error = errorSchema.safeParse(answer.body);
      return toRefusal(answer, error.success ? error.data : null);
    },
  };
}

const sentSchema = z.object({ id: z.string() });
const errorSchema = z.object({ name: z.string(), message: z.string() });

interface Answer {
  readonly isOk: boolean;
  readonly status: number;
  /** Null if it is not JSON, or too long. */
  readonly body: unknown;
  /** The header of this name. */
  readonly retryAfter: string | null;
}

/** Posts JSON under an idempotency key; null without a complete reply. */
async function post(
  url: string,
  apiKey: string,
  { key, body, signal }: { readonly key: string; readonly body: object; readonly signal: AbortSignal },
): Promise<Answer | null> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    "content-type": "application/json",
    "idempotency-key": key,
    // Resend rejects a request without a user agent (https://resend.com/docs/api-reference/introduction), and a Worker
    // sends none by default.
    "user-agent": "otto",
  };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      redirect: "manual",
      signal,
    });
    const { ok: isOk, status } = response;
    const text = await readAtMost(response, MAX_REPLY_BYTES);
    return {
      isOk,
      status,
      body: text === null ? null : parseJson(text),
      retryAfter: response.headers.get("retry-after"),
    };
  } catch {
    return null;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const UNREADABLE = "Resend sent an unreadable reply.";

function toPayload(mail: Mail, from: string) {
  return {
    from,
    to: mail.to.map(formatMailbox),
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    ...(mail.cc.length === 0 ? {} : { cc: mail.cc.map(formatMailbox) }),
    ...(mail.replyTo === null ? {} : { reply_to: formatMailbox(mail.replyTo) }),
    ...(mail.headers.length === 0 ? {} : { headers: Object.fromEntries(mail.headers) }),
    ...(mail.attachments.length === 0 ? {} : { attachments: mail.attachments.map(toAttachment) }),
  };
}

function toAttachment({ filename, contentType, bytes }: Mail["attachments"][number]) {
  return { filename, content_type: contentType, content: toBase64(bytes) };
}

function failLate(): Result<SentMail> {
  return maybeSent("timeout", "Resend did not reply in time.");
}

/**
 * Resend's own rejection means that nothing was sent. Without its error format, the request may not have reached it.
 */
function toRefusal({ status, retryAfter }: Answer, error: z.infer<typeof errorSchema> | null): Result<SentMail> {
  if (status < 400) return maybeSent("upstream_failed", UNREADABLE);
  if (status >= 500 || status === 408) return maybeSent("upstream_failed", `Resend failed (HTTP ${status}).`);
  const { name, message } = error ?? { name: `HTTP ${status}`, message: "the reply has an unknown format" };
  const words = `${name}: ${message.slice(0, MAX_WORDS)}`;
  if (name === "concurrent_idempotent_requests")
    return maybeSent("upstream_failed", "Resend is still processing this mail.");
  if (status === 409) return failed("conflict", "Resend received another mail under the same key.");
  if (status === 429 && error !== null && name !== "rate_limit_exceeded")
    return refuse("quota_exceeded", `Resend sends no more mail at present (${words})`);
  if (status === 429) {
    const retryAfterMs = parseRetryAfter(retryAfter, Date.now());
    const wait = retryAfterMs === null ? {} : { retryAfterMs };
    return refuse("rate_limited", "Resend accepts no more mail at present.", wait);
  }
  if (status === 401 || status === 403) return refuse("forbidden", `Resend refused to send (${words})`);
  return refuse("invalid_input", `Resend rejected the mail (${words})`);
}

function refuse(code: ErrorCode, message: string, wait: Pick<Failure, "retryAfterMs"> = {}): Result<SentMail> {
  return notSent(code, message, { ...wait, cause: ANSWERED });
}
