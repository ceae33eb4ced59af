/** The providers of mail: a real server of SMTP, Resend's API, and the bucket that only keeps mail. */
import { env } from "cloudflare:workers";
import PostalMime, { type Address } from "postal-mime";
import { describe, expect, inject, it } from "vitest";
import { openMailOutbox } from "../../../../adapters/mail/outbox.ts";
import { openResend } from "../../../../adapters/mail/resend.ts";
import { openSmtp, type SmtpSettings } from "../../../../adapters/mail/smtp.ts";
import type { MailPort } from "../../../../core/ports/mail.ts";
import { sha256Hex } from "../../../../core/base/sha256.ts";
import {
  addressee,
  mailContract,
  mailTo,
  type MailUnderTest,
  type ReadMail,
  sending,
} from "../../../contracts/channels/mail/suite.ts";
import { arrivedMail, readSmtpMail } from "./server.ts";

const { mail: mailServer } = inject("servers");
const FROM = "Otto <otto@example.org>";

function smtp(change: Partial<SmtpSettings> = {}): MailPort {
  const to = {
    host: "127.0.0.1",
    port: mailServer.smtpPort,
    secure: false,
    username: null,
    password: null,
    from: FROM,
  };
  return openSmtp({ ...to, ...change });
}

function resend(apiKey = "re_right", baseUrl = mailServer.url): MailPort {
  return openResend({ baseUrl, apiKey, from: FROM });
}

function ofTenant(port: MailPort, tenant = "ten_1"): MailUnderTest["port"] {
  return { keyedForMs: port.keyedForMs, send: (mail, options) => port.send(tenant, mail, options) };
}

mailContract("SMTP", () => ({
  port: ofTenant(smtp()),
  arrivedFor: async (address) => await Promise.all((await arrivedMail(address)).map(({ raw }) => readSmtpMail(raw))),
}));

mailContract("Resend", () => ({
  port: ofTenant(resend()),
  arrivedFor: async (address) => await Promise.all((await arrivedMail(address)).map(({ raw }) => readResendMail(raw))),
}));

mailContract("the outbox that keeps it", () => {
  const outbox = openMailOutbox(env.FILES, FROM);
  const tenant = `ten_${crypto.randomUUID()}`;
  return {
    port: ofTenant(outbox, tenant),
    async arrivedFor(address) {
      const deliveries = await outbox.list(tenant, 100);
      if (!deliveries.ok) throw new Error(deliveries.error.message);
      const own = deliveries.value.filter(({ to }) => to.some((mailbox) => mailbox.includes(address)));
      return await Promise.all(
        own.map(async (mail) => {
          const stored = await env.FILES.get(`${tenant}/mail/outbox/${mail.id}`);
          const { attachments } = JSON.parse((await stored?.text()) ?? "") as ResendBody;
          const files = (attachments ?? []).map(({ content }) => content);
          return await readTwice({ ...mail, reply_to: mail.replyTo, attachments: mail.attachments, files });
        }),
      );
    },
  };
});

interface ResendBody {
  readonly to: readonly string[];
  readonly cc?: readonly string[];
  readonly reply_to?: string | null;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly attachments?: readonly {
    readonly filename: string;
    readonly content: string;
    readonly content_type?: string;
    readonly contentType?: string;
  }[];
}

async function readResendMail(raw: string): Promise<ReadMail> {
  const body = JSON.parse(raw) as ResendBody;
  return await readTwice({ ...body, files: (body.attachments ?? []).map(({ content }) => content) });
}

/** Mailboxes of both stand as a header has them. */
async function readTwice(
  body: Omit<ResendBody, "attachments"> & {
    readonly attachments?: readonly { filename: string; content_type?: string; contentType?: string }[];
    readonly files: readonly string[];
  },
): Promise<ReadMail> {
  const head = [`To: ${body.to.join(", ")}`, `Cc: ${(body.cc ?? []).join(", ")}`, `Reply-To: ${body.reply_to ?? ""}`];
  const read = await PostalMime.parse(`${head.join("\r\n")}\r\n\r\n`);
  const names = (list: readonly Address[] | undefined) =>
    (list ?? []).map(({ name, address = "" }) => (name === "" ? address : `${name} <${address}>`));
  return {
    to: names(read.to),
    cc: names(read.cc),
    replyTo: names(read.replyTo)[0] ?? null,
    subject: body.subject,
    html: body.html,
    text: body.text,
    attachments: await Promise.all(
      (body.attachments ?? []).map(async (file, index) => ({
        filename: file.filename,
        contentType: file.content_type ?? file.contentType ?? "",
        hash: await sha256Hex(Uint8Array.from(atob(body.files[index] ?? ""), (character) => character.charCodeAt(0))),
      })),
    ),
  };
}

/** "still under way" when it has not ended long after it had to. */
async function inTime<T>(work: Promise<T>): Promise<T | string> {
  return await Promise.race([work, scheduler.wait(20_000).then(() => "still under way")]);
}

describe("SMTP", () => {
  it("reports a permanent and a temporary rejection by the server, and that nothing was sent", async () => {
    for (const [wish, code] of [
      ["refused", "invalid_input"],
      ["unwanted", "invalid_input"],
      ["busy", "upstream_failed"],
    ] as const) {
      const sent = await smtp().send("ten_1", mailTo(addressee(wish)), sending());
      expect(sent, wish).toMatchObject({ ok: false, error: { code, happened: "no" } });
    }
  });

  it("names the rejected recipient, for whom the whole mail is not sent", async () => {
    const [taken, refused] = [addressee(), addressee("refused")];
    const sent = await smtp().send("ten_1", mailTo(taken, { cc: [{ name: "", address: refused }] }), sending());
    const message = sent.ok ? "" : sent.error.message;
    expect([message.includes(refused), message.includes(taken)]).toEqual([true, false]);
  });

  it("has sent nothing if no server listens, or if the server speaks another protocol", async () => {
    const free = await smtp({ port: 1 }).send("ten_1", mailTo(addressee()), sending());
    expect(free).toMatchObject({ ok: false, error: { code: "upstream_failed", happened: "no" } });
    const port = Number(new URL(mailServer.url).port);
    const http = await smtp({ port }).send("ten_1", mailTo(addressee()), {
      key: "k",
      signal: AbortSignal.timeout(500),
    });
    expect(http).toMatchObject({ ok: false, error: { happened: "no" } });
  });

  it("does not know what became of a mail whose server hung up after its data, or says nothing", async () => {
    const broken = await smtp().send("ten_1", mailTo(addressee("broken")), sending());
    expect(broken).toMatchObject({ ok: false, error: { code: "upstream_failed", happened: "unknown" } });
    const held = await smtp().send("ten_1", mailTo(addressee("held")), {
      key: "held",
      signal: AbortSignal.timeout(500),
    });
    expect(held).toMatchObject({ ok: false, error: { code: "timeout", happened: "unknown" } });
  });

  it.each([
    ["stuck", "reads no more"],
    ["drip", "never ends its word"],
    ["endless", "talks without end"],
  ])("ends with its time, and surely sent nothing, at a server that is %s: it %s", async (wish) => {
    const odd = smtp({ port: mailServer.oddSmtpPort, from: `${wish}@example.org` });
    const file = { filename: "a", contentType: "text/plain", bytes: new Uint8Array(10 * 1024 * 1024) };
    const mail = mailTo(addressee(), { attachments: [file] });
    const sent = await inTime(odd.send("ten_1", mail, { key: "k", signal: AbortSignal.timeout(1_000) }));
    expect(sent).toMatchObject({ ok: false, error: { happened: "no" } });
  });

  it("ends with its time at a server that takes a connection and never says a word", async () => {
    for (const secure of [false, true]) {
      const mute = smtp({ port: mailServer.muteSmtpPort, secure });
      const sent = await inTime(
        mute.send("ten_1", mailTo(addressee()), { key: "k", signal: AbortSignal.timeout(500) }),
      );
      expect(sent).toMatchObject({ ok: false, error: { code: "timeout", happened: "no" } });
    }
  });

  it("takes no word about a mail that was said before the mail", async () => {
    const odd = smtp({ port: mailServer.oddSmtpPort, from: "ahead@example.org" });
    const sent = await inTime(odd.send("ten_1", mailTo(addressee()), sending()));
    expect(sent).toMatchObject({ ok: false, error: { code: "upstream_failed", happened: "no" } });
  });

  it("logs in, and names no password when it is refused", async () => {
    const address = addressee();
    const plain = { port: mailServer.plainSmtpPort, username: "otto", password: "right" };
    expect(await smtp(plain).send("ten_1", mailTo(address), sending())).toMatchObject({ ok: true });
    expect(await arrivedMail(address)).toMatchObject([{ user: "otto", from: "otto@example.org" }]);
    const wrong = await smtp({ ...plain, password: "canary" }).send("ten_1", mailTo(addressee()), sending());
    expect(wrong).toMatchObject({ ok: false, error: { code: "forbidden", happened: "no" } });
    expect(JSON.stringify(wrong)).not.toContain("canary");
  });

  it("logs in over TLS, begun at once or after the server's offer", async () => {
    for (const [port, secure] of [
      [mailServer.upgradingSmtpPort, false],
      [mailServer.secureSmtpPort, true],
    ] as const) {
      const address = addressee();
      const server = smtp({ port, secure, username: "otto", password: "right" });
      expect(await inTime(server.send("ten_1", mailTo(address), sending()))).toMatchObject({ ok: true });
      expect(await arrivedMail(address)).toMatchObject([{ user: "otto", isSecret: true }]);
    }
  });

  it("sends nothing, and no password, to a server whose certificate is another's", async () => {
    const other = smtp({ port: mailServer.otherNameSmtpPort, secure: true, username: "otto", password: "right" });
    const address = addressee();
    const sent = await inTime(other.send("ten_1", mailTo(address), sending()));
    expect(sent).toMatchObject({ ok: false, error: { happened: "no" } });
    expect(await arrivedMail(address)).toEqual([]);
  });

  it("sends nothing, and no password, to a server with an untrusted certificate", async () => {
    const strict = smtp({ port: mailServer.strictSmtpPort, username: "otto", password: "right" });
    const sent = await strict.send("ten_1", mailTo(addressee()), { key: "k", signal: AbortSignal.timeout(5_000) });
    expect(sent).toMatchObject({ ok: false, error: { happened: "no" } });
  });
});

describe("Resend", () => {
  it("distinguishes permanent from temporary rejections", async () => {
    for (const [wish, code] of [
      ["refused", "invalid_input"],
      ["forbidden", "forbidden"],
      ["busy", "rate_limited"],
    ] as const) {
      const sent = await resend().send("ten_1", mailTo(addressee(wish)), sending());
      expect(sent, wish).toMatchObject({ ok: false, error: { code, happened: "no" } });
    }
    expect(await resend("re_canary").send("ten_1", mailTo(addressee()), sending())).toMatchObject({
      error: { code: "forbidden" },
    });
  });

  it("takes a mail again whose answer was lost, and another mail under that key never", async () => {
    const address = addressee("broken");
    const options = sending();
    const lost = await resend().send("ten_1", mailTo(address), options);
    expect(lost).toMatchObject({ ok: false, error: { code: "upstream_failed", happened: "unknown" } });
    expect(await resend().send("ten_1", mailTo(address), options)).toMatchObject({ ok: true });
    const other = await resend().send("ten_1", mailTo(address, { subject: "Another" }), options);
    expect(other).toMatchObject({ ok: false, error: { code: "conflict" } });
    expect(await arrivedMail(address)).toHaveLength(1);
  });

  it("fails when no server answers", async () => {
    const sent = await resend("re_right", "http://127.0.0.1:1").send("ten_1", mailTo(addressee()), sending());
    expect(sent).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
  });
});
