/**
 * Mail by SMTP. It knows no keys: once the end of a mail's data has left, only the server's answer says whether the mail
 * went on, and without one nobody knows.
 */
import { ANSWERED, type ErrorCode, type Failure, maybeSent, notSent, ok, type Result } from "../../core/base/errors.ts";
import { getDomain, parseMailbox } from "../../core/channels/mail/address.ts";
import { checkMail } from "../../core/channels/mail/check.ts";
import { writeMime, listRecipients } from "../../core/channels/mail/mime.ts";
import type { Mail, Mailbox, MailPort } from "../../core/ports/mail.ts";
import { toHex } from "../../core/base/hex.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { awaitUnlessAborted } from "../../core/base/deadline.ts";
import { expect, type SmtpAddress, SmtpInTheClear, SmtpRefusal, SmtpSession } from "./smtp-session.ts";

/** From the first byte until the mail is handed over, and from then until the server's word. */
const HAND_OVER_MS = 30_000;
const LAST_WORD_MS = 60_000;

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

/** One mail on its way. */
class Sending {
  private readonly settings: SmtpSettings;
  private readonly from: Mailbox;
  /** True from just before the end of the data leaves. */
  private isHandedOver = false;

  constructor(settings: SmtpSettings, from: Mailbox) {
    this.settings = settings;
    this.from = from;
  }

  /** Null: it is sent. */
  async send(mail: Mail, messageId: string, signal: AbortSignal): Promise<Result<never> | null> {
    let session: SmtpSession | null = null;
    try {
      session = new SmtpSession(this.settings);
      await within(HAND_OVER_MS, signal, this.handOver(session, mail, messageId));
      expect(await within(LAST_WORD_MS, signal, session.reply()), 2);
      session.leave();
      return null;
    } catch (thrown) {
      if (thrown instanceof SmtpRefusal) session?.leave();
      else session?.cutOff();
      return { ok: false, error: this.failureOf(thrown) };
    }
  }

  private async handOver(session: SmtpSession, mail: Mail, messageId: string): Promise<void> {
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
    this.isHandedOver = true;
    await session.write(".\r\n");
  }

  private failureOf(thrown: unknown): Failure {
    if (thrown instanceof SmtpRefusal && thrown.reply.code >= 400) return refusal(thrown);
    if (thrown instanceof SmtpInTheClear) return notSent("forbidden", IN_THE_CLEAR).error;
    const fail = this.isHandedOver ? maybeSent : notSent;
    if (thrown instanceof TooLate) return fail("timeout", "The server of mail did not answer in time.").error;
    const message = this.isHandedOver
      ? "The connection to the server of mail broke before it said whether it takes the mail."
      : "The server of mail cannot be reached, or hung up.";
    return fail("upstream_failed", message).error;
  }
}

const IN_THE_CLEAR = "The server of mail offers no encryption (STARTTLS), and a password does not leave without it.";

/**
 * Whatever it refuses, at whatever point, does not go on (RFC 5321, 4.2.1): 4yz may go another time, 5yz never. What the server
 * says besides is nobody's instruction, and stays out of the message.
 */
function refusal({ reply: { code }, recipient }: SmtpRefusal): Failure {
  const whom = recipient === null ? "" : ` ${recipient}, and so nobody got the mail`;
  const message = `The server of mail refuses${whom} (${code}).`;
  return notSent(codeOfReply(code), message, { cause: ANSWERED }).error;
}

function codeOfReply(code: number): ErrorCode {
  if (code === 530 || code === 534 || code === 535 || code === 538) return "forbidden";
  if (code === 552) return "too_large";
  if (code >= 500) return "invalid_input";
  return code === 421 || code === 450 || code === 452 ? "rate_limited" : "upstream_failed";
}

class TooLate extends Error {}

async function within<T>(ms: number, signal: AbortSignal, work: Promise<T>): Promise<T> {
  const late = new TooLate();
  const done = await awaitUnlessAborted(AbortSignal.any([signal, AbortSignal.timeout(ms)]), work, late);
  if (done === late) throw late;
  return done as T;
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
