/**
 * Stores mail in the bucket while no provider is configured. Nothing is sent, and every view of such a mail says so.
 */
import { toBase64 } from "../../core/base/base64.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { formatMailbox } from "../../core/channels/mail/address.ts";
import { checkMail } from "../../core/channels/mail/check.ts";
import type { Mail, MailPort } from "../../core/ports/mail.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { catchFailure } from "../files/r2.ts";

/** Maximum mails of a tenant; R2 lists as many at once. */
const MAX_MAILS = 1_000;

/** A stored mail. */
export interface OutboxMail {
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: string | null;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly attachments: readonly { readonly filename: string; readonly contentType: string; readonly size: number }[];
  /** ISO 8601 in UTC. */
  readonly keptAt: string;
}

/** The stored form, with the bytes of the files in base64. */
type StoredMail = Omit<OutboxMail, "id" | "keptAt" | "attachments"> & {
  readonly attachments: readonly (OutboxMail["attachments"][number] & { readonly content: string })[];
};

/** The stored mails of a tenant. */
export interface MailOutbox {
  /** The newest first, at most `limit`. */
  list(tenant: string, limit: number): Promise<Result<readonly OutboxMail[]>>;
}

export function openMailOutbox(bucket: R2Bucket, from: string): MailPort & MailOutbox {
  return {
    provider: "outbox",
    keyedForMs: OWN_KEYED_FOR_MS,
    async send(tenant, mail, { key }) {
      const checked = checkMail(mail);
      if (!checked.ok) return checked;
      const id = (await sha256Hex(key)).slice(0, 32);
      return await catchFailure(async () => {
        const listed = await bucket.list({ prefix: getPrefix(tenant), limit: MAX_MAILS });
        const isThere = listed.objects.some((object) => object.key === getPrefix(tenant) + id);
        if (!isThere && listed.objects.length >= MAX_MAILS) return failed("quota_exceeded", FULL);
        if (!isThere) await bucket.put(getPrefix(tenant) + id, JSON.stringify(toStoredMail(mail, from)));
        return ok({ id });
      });
    },
    list: (tenant, limit) =>
      catchFailure(async () => {
        const { objects } = await bucket.list({ prefix: getPrefix(tenant), limit: MAX_MAILS });
        const newest = objects.toSorted((one, other) => other.uploaded.getTime() - one.uploaded.getTime());
        const read: OutboxMail[] = [];
        // Sequentially: each mail is read with its files, and together they exceed an isolate's memory.
        for (const object of newest.slice(0, limit)) {
          const mail = await readMail(bucket, object);
          if (mail !== null) read.push(mail);
        }
        return ok(read);
      }),
  };
}

const FULL = `No mail provider is configured, and ${MAX_MAILS} mails are stored. Set RESEND_API_KEY or SMTP_URL.`;

function getPrefix(tenant: string): string {
  return `${tenant}/mail/outbox/`;
}

function toStoredMail({ to, cc, replyTo, subject, html, text, attachments }: Mail, from: string): StoredMail {
  return {
    from,
    to: to.map(formatMailbox),
    cc: cc.map(formatMailbox),
    replyTo: replyTo === null ? null : formatMailbox(replyTo),
    subject,
    html,
    text,
    attachments: attachments.map(({ filename, contentType, bytes }) => {
      return { filename, contentType, size: bytes.length, content: toBase64(bytes) };
    }),
  };
}

async function readMail(bucket: R2Bucket, { key, uploaded }: R2Object): Promise<OutboxMail | null> {
  const blob = await bucket.get(key);
  if (blob === null) return null;
  const { attachments, ...mail } = await blob.json<StoredMail>();
  return {
    ...mail,
    id: key.slice(key.lastIndexOf("/") + 1),
    attachments: attachments.map(({ content: _, ...file }) => file),
    keptAt: uploaded.toISOString(),
  };
}
