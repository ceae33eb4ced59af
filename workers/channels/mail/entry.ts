/**
 * Receives mail: stores it, writes a note to the tenant's inbox, and accepts it. Any failure throws, so that the
 * sending server retries; only mail that can never be accepted is rejected permanently. Uses neither Postgres nor a
 * model.
 */
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import { mailsInFromEnv, ownAddressesFromEnv } from "../../../adapters/env/mail.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { normalizeAddress } from "../../../core/channels/mail/address.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { MAIL_MS, rateBody } from "../../../core/tenant/cost-rates.ts";
import { paceIncoming } from "../../http/charge-cost.ts";

const MAX_MAIL_BYTES = 25 * 1024 * 1024;
const MAX_QUEUE_KEY = 300;
/** UTF-16 units of a header of a mail that is too large. */
const MAX_HEADER = 2_000;

/** A note in the inbox. The mail itself is in the bucket under the note's id. */
export interface MailNote {
  /** From the envelope; empty for a report about an undelivered mail. */
  readonly from: string;
  readonly to: string;
  /** The tag of the recipient's address; null for new mail. */
  readonly tag: string | null;
  /** The mail was rejected, and only its headers are stored. */
  readonly isTooLarge: boolean;
}

/** The used part of a mail from Email Routing. */
export type IncomingMail = Pick<ForwardableEmailMessage, "from" | "to" | "raw" | "rawSize" | "headers" | "setReject">;

export async function acceptMail(env: Env, message: IncomingMail): Promise<void> {
  const own = (await ownAddressesFromEnv(env)?.read(message.to)) ?? null;
  if (own === null) return message.setReject("550 5.1.1 This address does not exist");
  const inboxName = `email/${own.tenant}`;
  const account = { inbox: inboxName, owner: own.tenant };
  await paceIncoming(env, account, { costMs: MAIL_MS + rateBody("file", message.rawSize) });
  const isTooLarge = message.rawSize > MAX_MAIL_BYTES;
  const id = await computeId(message);
  const kept = isTooLarge ? formatHeaders(message.headers) : { stream: message.raw, size: message.rawSize };
  const mails = mailsInFromEnv(env);
  const isKept = await mails.keep(own.tenant, id, kept.stream, kept.size);
  const note: MailNote = { from: message.from, to: message.to, tag: own.tag, isTooLarge };
  const item = { id, lane: getQueueKey(message.from), kind: "mail", body: { ...note } };
  const inbox = inboxesFromEnv(env)(inboxName);
  const { isOver, retryAfterMs } = await inbox.take({ ...item, receivedAt: Date.now() });
  // The note was refused, so nothing else would delete the stored mail.
  if (isKept && isOver === true) await mails.forget(own.tenant, id);
  if (isTooLarge) return message.setReject("552 5.3.4 The mail is larger than 25 MB");
  if (retryAfterMs !== undefined) throw new Error("the inbox is full: the sending server has to retry");
}

/** Returns the displayed headers. A value contains no line break. */
function formatHeaders(headers: Headers): { readonly stream: ReadableStream<Uint8Array>; readonly size: number } {
  const lines = ["from", "subject"].map((name) => `${name}: ${(headers.get(name) ?? "").slice(0, MAX_HEADER)}\r\n`);
  const bytes = new TextEncoder().encode(`${lines.join("")}\r\n`);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  return { stream, size: bytes.length };
}

/** The queue key of a sender, by the envelope. A report about a mail has none. */
function getQueueKey(from: string): string {
  return `from ${normalizeAddress(from).slice(0, MAX_QUEUE_KEY)}`;
}

/**
 * Computes the id of a mail, the same for each delivery of it: anybody with a copy of a signed mail can deliver it
 * again with its sender's proof and another envelope. A mail without an id is identified by its headers.
 */
async function computeId({ from, to, headers, rawSize }: IncomingMail): Promise<string> {
  const own = headers.get("message-id")?.replace(/\s+/g, "") ?? "";
  const said = ["date", "from", "subject"].map((name) => headers.get(name) ?? "");
  const known = own === "" ? [normalizeAddress(from), ...said, String(rawSize)] : [own];
  return (await sha256Hex(JSON.stringify([normalizeAddress(to), ...known]))).slice(0, 40);
}
