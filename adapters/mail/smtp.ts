/**
 * Mail by SMTP, which has no idempotency keys: once the end of a mail's data is sent, only the server's reply says
 * whether it was accepted. Without a reply the outcome is unknown.
 */
import { ANSWERED, type ErrorCode, type Failure, maybeSent, notSent, ok, type Result } from "../../core/base/errors.ts";
import { getDomain, parseMailbox } from "../../core/channels/mail/address.ts";
import { checkMail } from "../../core/channels/mail/check.ts";
import { writeMime, listRecipients } from "../../core/channels/mail/mime.ts";
import type { Mail, Mailbox, MailPort } from "../../core/ports/mail.ts";
import { toHex } from "../../core/base/hex.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { awaitUnlessAborted } from "../../core/base/deadline.ts";
import { expect, type SmtpAddress, SmtpUnencrypted, SmtpRefusal, SmtpSession } from "./smtp-session.ts";

/** Time until the mail's data is sent, and from then until the server's reply. */
const SEND_TIMEOUT_MS = 30_000;
const REPLY_TIMEOUT_MS = 60_000;

export interface SmtpSettings extends SmtpAddress {
  readonly username: string | null;
  readonly password: string | null;
  readonly from: string;
}

export function openSmtp(settings: SmtpSettings): MailPort {
  return {
    provider: "smtp",
    keyedForMs: null,
    async send(_tenant, mail, { key, signal }) {
      const checked = checkMail(mail);
      if (!checked.ok) return checked;
      const from = parseMailbox(settings.from, "from");
      if (!from.ok) return from;
      const messageId = `${(await sha256Hex(key)).slice(0, 32)}@${getDomain(from.value.address)}`;
      const sending = new Sending(settings, from.value);
      const said = await sending.send(mail, messageId, signal);
      return said ?? ok({ id: messageId });
    },
  };
}

/** One mail being sent. */
class Sending {
  private readonly settings: SmtpSettings;
  private readonly from: Mailbox;
  /** True from just before the end of the data is sent. */
  private isDataSent = false;

  constructor(settings: SmtpSettings, from: Mailbox) {
    this.settings = settings;
    this.from = from;
  }

  /** Null if it was sent. */
  async send(mail: Mail, messageId: string, signal: AbortSignal): Promise<Result<never> | null> {
    let session: SmtpSession | null = null;
    try {
      session = new SmtpSession(this.settings);
      await awaitWithinMs(SEND_TIMEOUT_MS, signal, this.sendData(session, mail, messageId));
      expect(await awaitWithinMs(REPLY_TIMEOUT_MS, signal, session.readReply()), 2);
      session.quit();
      return null;
    } catch (thrown) {
      if (thrown instanceof SmtpRefusal) session?.quit();
      else session?.abort();
      return { ok: false, error: this.toFailure(thrown) };
    }
  }

  private async sendData(session: SmtpSession, mail: Mail, messageId: string): Promise<void> {
    const { host, username, password } = this.settings;
    const offered = await session.greet(getDomain(this.from.address));
    if (username !== null)
      await session.authenticate({ name: username, password: password ?? "" }, offered, isThisMachine(host));
    expect(await session.command(`MAIL FROM:<${this.from.address}>`), 2);
    for (const address of listRecipients(mail)) expect(await session.command(`RCPT TO:<${address}>`), 2, address);
    expect(await session.command("DATA"), 3);
    const boundary = toHex(crypto.getRandomValues(new Uint8Array(16)));
    for (const text of writeMime(mail, { from: this.from, messageId, at: Date.now(), boundary }))
      await session.write(text.replace(/^\./gm, ".."));
    session.expectSilence();
    this.isDataSent = true;
    await session.write(".\r\n");
  }

  private toFailure(thrown: unknown): Failure {
    if (thrown instanceof SmtpRefusal && thrown.reply.code >= 400) return toRefusal(thrown);
    if (thrown instanceof SmtpUnencrypted) return notSent("forbidden", IN_THE_CLEAR).error;
    const fail = this.isDataSent ? maybeSent : notSent;
    if (thrown instanceof TooLate) return fail("timeout", "The mail server did not reply in time.").error;
    const message = this.isDataSent
      ? "The connection to the mail server broke before it confirmed the mail."
      : "The mail server is unavailable or closed the connection.";
    return fail("upstream_failed", message).error;
  }
}

const IN_THE_CLEAR = "The mail server offers no encryption (STARTTLS), which a password requires.";

/**
 * A mail that is rejected at any point is not delivered (RFC 5321, 4.2.1): 4yz may succeed later, 5yz never. The server's
 * text stays out of the message, because it is untrusted.
 */
function toRefusal({ reply: { code }, recipient }: SmtpRefusal): Failure {
  const whom = recipient === null ? "" : ` ${recipient}, so the mail was not sent to anyone`;
  const message = `The mail server rejected${whom} (${code}).`;
  return notSent(toErrorCode(code), message, { cause: ANSWERED }).error;
}

function toErrorCode(code: number): ErrorCode {
  if (code === 530 || code === 534 || code === 535 || code === 538) return "forbidden";
  if (code === 552) return "too_large";
  if (code >= 500) return "invalid_input";
  return code === 421 || code === 450 || code === 452 ? "rate_limited" : "upstream_failed";
}

class TooLate extends Error {}

async function awaitWithinMs<T>(ms: number, signal: AbortSignal, work: Promise<T>): Promise<T> {
  const late = new TooLate();
  const done = await awaitUnlessAborted(AbortSignal.any([signal, AbortSignal.timeout(ms)]), work, late);
  if (done === late) throw late;
  return done as T;
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
