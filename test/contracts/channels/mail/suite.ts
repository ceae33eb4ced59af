/** What every provider of mail does, whichever it is. */
import { describe, expect, it } from "vitest";
import type { Mail, MailPort } from "../../../../core/ports/mail.ts";

/** A mail as it arrived, read by somebody else than who wrote it. Addresses are `Name <local@domain>` or alone. */
export interface ReadMail {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: string | null;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly attachments: readonly {
    readonly filename: string;
    readonly contentType: string;
    /** SHA-256 in hex. */
    readonly hash: string;
  }[];
}

export interface MailUnderTest {
  readonly port: Pick<MailPort, "keyedForMs"> & {
    send(mail: Mail, options: { readonly key: string; readonly signal: AbortSignal }): ReturnType<MailPort["send"]>;
  };
  /** What arrived for an address, in order. */
  arrivedFor(address: string): Promise<readonly ReadMail[]>;
}

let count = 0;

/** An address that no other test has; `wish` is for mock servers. */
export function addressee(wish = "ana"): string {
  count += 1;
  return `${wish}.${Math.random().toString(36).slice(2)}${count}@example.com`;
}

export function mailTo(address: string, change: Partial<Mail> = {}): Mail {
  return {
    to: [{ name: "", address }],
    cc: [],
    replyTo: null,
    subject: "The report",
    html: "<p>It is done.</p>",
    text: "It is done.",
    attachments: [],
    headers: [],
    ...change,
  };
}

export function sending(key = crypto.randomUUID()) {
  return { key, signal: new AbortController().signal };
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Every byte there is, many times, and no two files alike. */
function bytesOf(size: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let state = seed;
  for (let at = 0; at < size; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

export function mailContract(name: string, open: () => MailUnderTest): void {
  describe(`mail: ${name}`, () => {
    it("brings subject, both forms of the text and every addressee, in any script", async () => {
      const { port, arrivedFor } = open();
      const address = addressee();
      const text = "Grüße — 你好 👋\n.\n.a line that begins with a dot\nend";
      const mail = mailTo(address, {
        to: [{ name: "Анна Müller", address }],
        cc: [{ name: 'The "Boss", himself', address: "boss@example.com" }],
        replyTo: { name: "", address: "reply@example.com" },
        subject:
          "Bericht für März: 売上は前年比で大きく伸びました。詳しくは添付の資料をご覧ください。 👋 =?UTF-8?Q?not_a_word?=",
        html: `<p>${text}</p>`,
        text,
      });
      expect(await port.send(mail, sending())).toMatchObject({ ok: true });
      const [arrived, ...more] = await arrivedFor(address);
      expect(more).toEqual([]);
      expect(arrived).toMatchObject({
        to: [`Анна Müller <${address}>`],
        cc: ['The "Boss", himself <boss@example.com>'],
        replyTo: "reply@example.com",
        subject: mail.subject,
      });
      expect(arrived?.text.trimEnd()).toBe(text);
      expect(arrived?.html.trimEnd()).toBe(mail.html);
    });

    it("brings files byte for byte, under their names", async () => {
      const { port, arrivedFor } = open();
      const address = addressee();
      const files = [
        { filename: "empty.bin", contentType: "application/octet-stream", bytes: new Uint8Array() },
        { filename: "Übersicht 売上 'q1' (final).pdf", contentType: "application/pdf", bytes: bytesOf(70_001, 7) },
        { filename: `${"長い名前".repeat(40)}.txt`, contentType: "text/plain", bytes: bytesOf(3, 8) },
        { filename: "ten megabytes.zip", contentType: "application/zip", bytes: bytesOf(10 * 1024 * 1024, 9) },
      ];
      expect(await port.send(mailTo(address, { attachments: files }), sending())).toMatchObject({ ok: true });
      const [arrived] = await arrivedFor(address);
      expect(arrived?.attachments).toEqual(
        await Promise.all(
          files.map(async ({ filename, contentType, bytes }) => ({ filename, contentType, hash: await hashOf(bytes) })),
        ),
      );
    });

    it("lets no field become another header", async () => {
      const { port, arrivedFor } = open();
      const address = addressee();
      const evil = "x\r\nBcc: victim@example.com";
      for (const change of [
        { subject: evil },
        { to: [{ name: evil, address }] },
        { to: [{ name: "", address: `${address}>\r\nRCPT TO:<victim@example.com` }] },
        { cc: [{ name: "", address: evil }] },
        { replyTo: { name: evil, address } },
        { headers: [["X-Note", evil]] },
        { headers: [["X-Note: a\r\nBcc", "victim@example.com"]] },
        { attachments: [{ filename: evil, contentType: "text/plain", bytes: new Uint8Array() }] },
        { attachments: [{ filename: "a", contentType: `text/plain${evil}`, bytes: new Uint8Array() }] },
      ] as const satisfies readonly Partial<Mail>[]) {
        const sent = await port.send(mailTo(address, change), sending());
        expect(sent).toMatchObject({ ok: false, error: { code: "invalid_input", happened: "no" } });
      }
      expect(await arrivedFor(address)).toEqual([]);
    });

    it("rejects a file over 10 MB, more than 20 MB together, and a mail without recipients", async () => {
      const { port } = open();
      const file = (size: number) => ({ filename: "a", contentType: "text/plain", bytes: new Uint8Array(size) });
      const over = mailTo(addressee(), { attachments: [file(10 * 1024 * 1024 + 1)] });
      expect(await port.send(over, sending())).toMatchObject({ ok: false, error: { code: "too_large" } });
      const many = mailTo(addressee(), { attachments: [0, 1, 2].map(() => file(7 * 1024 * 1024)) });
      expect(await port.send(many, sending())).toMatchObject({ ok: false, error: { code: "too_large" } });
      expect(await port.send(mailTo("", { to: [] }), sending())).toMatchObject({ error: { code: "invalid_input" } });
    });

    it("brings what is sent twice under one key once, where it is keyed", async () => {
      const { port, arrivedFor } = open();
      const address = addressee();
      const key = crypto.randomUUID();
      const first = await port.send(mailTo(address), sending(key));
      expect(await port.send(mailTo(address), sending(key))).toMatchObject({ ok: true });
      expect(first.ok).toBe(true);
      expect(await arrivedFor(address)).toHaveLength(port.keyedForMs === null ? 2 : 1);
    });
  });
}
