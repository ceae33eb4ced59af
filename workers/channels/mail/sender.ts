/**
 * Sends deliveries by mail. Resend recognizes a delivery by its id for 24 hours. After that, and over SMTP, a mail
 * that may have been sent is not resent until a person decides.
 */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { filesFromEnv } from "../../../adapters/env/files.ts";
import { mailFromEnv, mailSenderFromEnv, ownAddressesFromEnv } from "../../../adapters/env/mail.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import type { Attempt, Delivery, SendResult } from "../../../core/channels/outbox/delivery.ts";
import { findAttachedContent } from "../../../core/channels/outbox/attached-content.ts";
import type { OutMessage } from "../../../core/channels/outbox/message.ts";
import { getAttemptTimeoutMs } from "../../../core/channels/outbox/rules.ts";
import { asNotSent, type Failure, ok, type Result } from "../../../core/base/errors.ts";
import {
  chooseRecovery,
  decideAfterFailure,
  getReceiverEffect,
  type FailedAttempt,
} from "../../../core/gateway/outcome.ts";
import { getDomain, parseMailbox } from "../../../core/channels/mail/address.ts";
import { checkMail, toMailContentType } from "../../../core/channels/mail/check.ts";
import { markdownToHtml } from "../../../core/channels/mail/markdown-html.ts";
import {
  type Mail,
  type Mailbox,
  type MailFile,
  MAX_ATTACHMENT_BYTES,
  MAX_ATTACHMENTS,
  MAX_ATTACHMENTS_BYTES,
} from "../../../core/ports/mail.ts";
import { type MailContext, renderSubject, renderText } from "../../../core/channels/mail/rendered-mail.ts";

/** Longer than any provider takes: the attempt's time limit minus the time to build the mail. */
const TIMEOUT_MS = getAttemptTimeoutMs("email") - 50_000;
/** Pause of a provider that accepts no more mail. */
const PAUSE_MS = 10_000;

/** Kinds without a mail: a sent mail cannot be changed. */
const KINDS_WITHOUT_MAIL = new Set<Delivery["kind"]>(["progress", "settled", "event"]);

export async function sendByEmail(env: Env, delivery: Delivery, attempt: Attempt): Promise<SendResult> {
  if (KINDS_WITHOUT_MAIL.has(delivery.kind)) return { kind: "sent", ref: null };
  const port = mailFromEnv(env);
  const now = Date.now();
  const earlier = attempt.mayHaveLeft ? { sentAt: attempt.mayHaveLeftSince ?? delivery.createdAt } : null;
  const attempted = { ...getReceiverEffect(port.keyedForMs), sentAt: earlier?.sentAt ?? now };
  if (earlier !== null && chooseRecovery(attempted, now) !== "run") return { kind: "unknown", why: MAY_HAVE_BEEN_SENT };
  const mail = await buildMail(env, delivery);
  const made = { ...attempted, mayHaveHappened: attempt.mayHaveLeft, retryAt: now };
  if (!mail.ok) return toNotBuilt(mail.error, made);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const sent = await port.send(delivery.tenant, mail.value, { key: delivery.id, signal });
  if (sent.ok) return { kind: "sent", ref: { id: sent.value.id, provider: port.provider } };
  return toSendResult(sent.error, made);
}

const MAY_HAVE_BEEN_SENT =
  "An earlier attempt may have sent this mail, and its provider would not recognize a repeat. Resend it if it did not arrive.";

/** Otto failed to read the people or the files, so the provider received nothing in this attempt. */
function toNotBuilt(failure: Failure, attempt: FailedAttempt): SendResult {
  const { message, retryAfterMs } = failure;
  const { next } = decideAfterFailure("mail", asNotSent(failure).error, attempt);
  if (next !== "retry") return { kind: next, why: message };
  return { kind: "later", why: message, afterMs: retryAfterMs ?? null, isOurs: true };
}

/**
 * Every attempt checks again whether the provider remembers the key, so that a later one does not rely on this
 * result.
 */
function toSendResult(error: Failure, attempt: FailedAttempt): SendResult {
  const { code, message, retryAfterMs } = error;
  const { next, isLost } = decideAfterFailure("mail", error, attempt);
  if (next !== "retry") return { kind: next, why: message };
  const pause = code === "rate_limited" ? { pausesAllMs: retryAfterMs ?? PAUSE_MS } : {};
  return { kind: "later", why: message, afterMs: retryAfterMs ?? null, ...pause, ...(isLost && { mayHaveLeft: true }) };
}

async function buildMail(env: Env, delivery: Delivery): Promise<Result<Mail>> {
  const { tenant, to, task } = delivery;
  // Each kind has its own type of content.
  const message = delivery.content as unknown as OutMessage;
  const mailbox = parseMailbox(to, "to");
  if (!mailbox.ok) return mailbox;
  const files = await readAttachments(env, tenant, message);
  if (!files.ok) return files;
  const reply = await replyAddress(env, tenant, message, mailbox.value);
  if (!reply.ok) return reply;
  const mayApprove = await canApproveByMail(env, tenant, message, mailbox.value);
  if (!mayApprove.ok) return mayApprove;
  const canReply = reply.value !== null && (message.ask?.kind !== "approval" || mayApprove.value);
  const context: MailContext = { canReply, mayApprove: mayApprove.value, skipped: files.value.skipped };
  const text = renderText(message, context);
  const mail: Mail = {
    to: [mailbox.value],
    cc: [],
    replyTo: canReply ? reply.value : null,
    subject: renderSubject(message),
    text,
    html: markdownToHtml(text),
    attachments: files.value.attached,
    headers: buildHeaders(env, task),
  };
  const checked = checkMail(mail);
  return checked.ok ? ok(mail) : checked;
}

/** Mails of one task form one conversation. Automatic replies are suppressed (RFC 3834). */
function buildHeaders(env: Env, task: string | null): Mail["headers"] {
  const from = parseMailbox(mailSenderFromEnv(env), "from");
  const thread =
    task === null || !from.ok ? [] : [["References", `<${task}@${getDomain(from.value.address)}>`] as const];
  return [["Auto-Submitted", "auto-generated"], ...thread];
}

async function replyAddress(
  env: Env,
  tenant: string,
  { ask }: OutMessage,
  { address }: Mailbox,
): Promise<Result<Mailbox | null>> {
  const own = ownAddressesFromEnv(env);
  if (own === null || ask === null) return ok(null);
  const made = await own.forReply(tenant, { ask: ask.id, address });
  return made.ok ? ok({ name: "", address: made.value }) : made;
}

/** Whether the person with this address may decide this approval: its owner may, also without a record that allows approving. */
async function canApproveByMail(
  env: Env,
  tenant: string,
  { ask }: OutMessage,
  { address }: Mailbox,
): Promise<Result<boolean>> {
  if (ask?.kind !== "approval") return ok(false);
  const person = await databaseFromEnv(env).people.findByAddress(tenant, { kind: "email", address });
  if (!person.ok || person.value === null) return person.ok ? ok(false) : person;
  return ok(person.value.mayApprove || person.value.id === ask.person);
}

interface AttachedFiles {
  readonly attached: readonly MailFile[];
  readonly skipped: MailContext["skipped"];
}

/** Returns the files of a message that a mail can carry, in order. */
async function readAttachments(
  env: Env,
  tenant: string,
  { files, sandbox }: Pick<OutMessage, "files" | "sandbox">,
): Promise<Result<AttachedFiles>> {
  if (sandbox === null || files.length === 0) return ok({ attached: [], skipped: [] });
  const port = filesFromEnv(env, { tenant, ...sandbox });
  const attached: MailFile[] = [];
  const skipped: { path: string; why: string }[] = [];
  let room = MAX_ATTACHMENTS_BYTES;
  for (const file of files) {
    const { path } = file;
    const found = await findAttachedContent(port, file);
    const bounded = found.ok ? findSizeProblem(found.value.size, room, attached.length) : null;
    const bytes = found.ok && bounded === null ? await port.readEntry(found.value) : null;
    const failure = found.ok ? (bytes?.ok === false ? bytes.error : null) : found.error;
    if (failure !== null && failure.code !== "not_found") return { ok: false, error: failure };
    if (!found.ok || bytes?.ok !== true) {
      skipped.push({ path, why: bounded ?? "it was deleted" });
      continue;
    }
    const filename = path.slice(path.lastIndexOf("/") + 1);
    attached.push({ filename, contentType: toMailContentType(found.value.contentType), bytes: bytes.value });
    room -= bytes.value.length;
  }
  return ok({ attached, skipped });
}

/** Returns null if a mail can carry the file. */
function findSizeProblem(size: number, room: number, count: number): string | null {
  if (size > MAX_ATTACHMENT_BYTES) return `it is ${size} bytes, and a mail carries files of at most 10 MB`;
  if (size > room) return "a mail carries at most 20 MB in total";
  return count >= MAX_ATTACHMENTS ? `a mail carries at most ${MAX_ATTACHMENTS} files` : null;
}
