/**
 * Mail by Resend: https://resend.com/docs/api-reference/emails/send-email. Its `Idempotency-Key` holds for 24 hours: the
 * same mail under the same key leaves once.
 */
import { Resend } from "resend";
import { toBase64 } from "../../core/base64.ts";
import { failed, ok, type Result } from "../../core/errors.ts";
import { RESEND_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { shownMailbox } from "../../core/mail/address.ts";
import { checkMail } from "../../core/mail/check.ts";
import type { Mail, MailPort, SentMail } from "../../core/mail/port.ts";

/** Of one request. */
const TIMEOUT_MS = 30_000;
/** Characters of Resend's own words that are passed on. */
const MAX_WORDS = 300;

export interface ResendSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** A mailbox of a domain that is verified there. */
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
      try {
        const resend = new Resend(apiKey, { baseUrl });
        const { data, error } = await resend.emails.send(payloadOf(mail, from), { idempotencyKey: key, signal: limit });
        if (limit.aborted && error !== null) return late();
        if (error !== null) return refusal(error);
        return typeof data.id === "string" ? ok({ id: data.id }) : failed("upstream_failed", UNREADABLE);
      } catch {
        return limit.aborted ? late() : failed("upstream_failed", UNREADABLE);
      }
    },
  };
}

const UNREADABLE = "Resend sent an answer that cannot be read.";

function payloadOf(mail: Mail, from: string) {
  return {
    from,
    to: mail.to.map(shownMailbox),
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    ...(mail.cc.length === 0 ? {} : { cc: mail.cc.map(shownMailbox) }),
    ...(mail.replyTo === null ? {} : { replyTo: shownMailbox(mail.replyTo) }),
    ...(mail.headers.length === 0 ? {} : { headers: Object.fromEntries(mail.headers) }),
    ...(mail.attachments.length === 0 ? {} : { attachments: mail.attachments.map(attachmentOf) }),
  };
}

function attachmentOf({ filename, contentType, bytes }: Mail["attachments"][number]) {
  return { filename, contentType, content: toBase64(bytes) };
}

function late(): Result<SentMail> {
  return failed("timeout", "Resend did not answer in time.");
}

/** What it refuses itself surely does not leave. A server error, or no answer at all, leaves that open. */
function refusal(error: { readonly message: string; readonly statusCode: number | null; readonly name: string }) {
  const { statusCode: status, name } = error;
  const words = `${name}: ${String(error.message).slice(0, MAX_WORDS)}`;
  if (typeof status !== "number") return failed("upstream_failed", "Resend cannot be reached.");
  if (status >= 500) return failed("upstream_failed", `Resend failed (HTTP ${status}).`);
  const details = { sent: false, answered: true };
  if (name === "concurrent_idempotent_requests")
    return failed("upstream_failed", "Resend is still working on this very mail.");
  if (status === 409) return failed("conflict", "Resend has had another mail under the same key.");
  if (status === 429 && name !== "rate_limit_exceeded")
    return failed("quota_exceeded", `Resend sends no more mail for now (${words})`, { details });
  if (status === 429) return failed("rate_limited", "Resend takes no more mail for a moment.", { details });
  if (status === 401 || status === 403) return failed("forbidden", `Resend refuses to send (${words})`, { details });
  return failed("invalid_input", `Resend does not take the mail (${words})`, { details });
}
