/**
 * Where mail goes while no provider is set up: into the bucket, to be looked at. Nothing leaves, and every place that shows
 * such a mail says so.
 */
import { toBase64 } from "../../core/base/base64.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { OWN_KEYED_FOR_MS } from "../../core/gateway/outcome.ts";
import { formatMailbox } from "../../core/channels/mail/address.ts";
import { checkMail } from "../../core/channels/mail/check.ts";
import type { Mail, MailPort } from "../../core/ports/mail.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { guarded } from "../files/r2.ts";

/** Mails of one tenant; R2 lists as many at once. */
const MAX_MAILS = 1_000;

/** A mail that was kept. */
export interface KeptMail {
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

/** What is stored: with the bytes of the files, in base64, so that nothing of a mail is lost. */
type StoredMail = Omit<KeptMail, "id" | "keptAt" | "attachments"> & {
  readonly attachments: readonly (KeptMail["attachments"][number] & { readonly content: string })[];
};

/** The mails that were kept for a tenant. */
export interface MailOutbox {
  /** The newest first, at most `limit`. */
  list(tenant: string, limit: number): Promise<Result<readonly KeptMail[]>>;
}

export function openMailOutbox(bucket: R2Bucket, from: string): MailPort & MailOutbox {
  return {
    provider: "outbox",
    keyedForMs: OWN_KEYED_FOR_MS,
    async send(tenant, mail, { key }) {
      const checked = checkMail(mail);
      if (!checked.ok) return checked;
      const id = (await sha256Hex(key)).slice(0, 32);
      return await guarded(async () => {
        const listed = await bucket.list({ prefix: prefixOf(tenant), limit: MAX_MAILS });
        const isThere = listed.objects.some((object) => object.key === prefixOf(tenant) + id);
        if (!isThere && listed.objects.length >= MAX_MAILS) return failed("quota_exceeded", FULL);
        if (!isThere) await bucket.put(prefixOf(tenant) + id, JSON.stringify(storedMail(mail, from)));
        return ok({ id });
      });
    },
    list: (tenant, limit) =>
      guarded(async () => {
        const { objects } = await bucket.list({ prefix: prefixOf(tenant), limit: MAX_MAILS });
        const newest = objects.toSorted((one, other) => other.uploaded.getTime() - one.uploaded.getTime());
        const read: KeptMail[] = [];
        // One after the other: each is read with its files, and all of them together are more than an isolate may hold.
        for (const object of newest.slice(0, limit)) {
          const mail = await readMail(bucket, object);
          if (mail !== null) read.push(mail);
        }
        return ok(read);
      }),
  };
}

const FULL = `No provider of mail is set up, and ${MAX_MAILS} mails are kept. Set RESEND_API_KEY or SMTP_URL.`;

function prefixOf(tenant: string): string {
  return `${tenant}/mail/outbox/`;
}

function storedMail({ to, cc, replyTo, subject, html, text, attachments }: Mail, from: string): StoredMail {
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

async function readMail(bucket: R2Bucket, { key, uploaded }: R2Object): Promise<KeptMail | null> {
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
