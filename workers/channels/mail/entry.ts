/**
 * Mail as it comes in: kept whole, then noted for its tenant, then taken. Whatever fails here throws, and the server that
 * sent it tries again; only what can never be right is refused for good. Neither Postgres nor a model is asked.
 */
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import { mailsInFromEnv, ownAddressesFromEnv } from "../../../adapters/env/mail.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { normalizeAddress } from "../../../core/channels/mail/address.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { MAIL_MS, rateBody } from "../../../core/tenant/cost-rates.ts";
import { paceIncoming } from "../../http/charge-cost.ts";

const MAX_MAIL_BYTES = 25 * 1024 * 1024;
const MAX_LANE = 300;
/** Of a header of a mail that is too large, in UTF-16 units. */
const MAX_HEADER = 2_000;

/** What a note in the inbox says: the mail itself stands in the bucket under the note's id. */
export interface MailNote {
  /** Of the envelope; empty: a mail about a mail that did not arrive. */
  readonly from: string;
  readonly to: string;
  /** Of the address that it came to; null: new mail. */
  readonly tag: string | null;
  /** It was refused, and of the mail its headers alone are kept. */
  readonly isTooLarge: boolean;
}

/** The part of a mail from Email Routing that is used. */
export type IncomingMail = Pick<ForwardableEmailMessage, "from" | "to" | "raw" | "rawSize" | "headers" | "setReject">;

export async function takeMail(env: Env, message: IncomingMail): Promise<void> {
  const own = (await ownAddressesFromEnv(env)?.read(message.to)) ?? null;
  if (own === null) return message.setReject("550 5.1.1 There is nobody of this address here");
  const inboxName = `email/${own.tenant}`;
  const account = { inbox: inboxName, owner: own.tenant };
  await paceIncoming(env, account, { costMs: MAIL_MS + rateBody("file", message.rawSize) });
  const isTooLarge = message.rawSize > MAX_MAIL_BYTES;
  const id = await idOf(message);
  const kept = isTooLarge ? headOf(message.headers) : { stream: message.raw, size: message.rawSize };
  const mails = mailsInFromEnv(env);
  const isKept = await mails.keep(own.tenant, id, kept.stream, kept.size);
  const note: MailNote = { from: message.from, to: message.to, tag: own.tag, isTooLarge };
  const item = { id, lane: laneOf(message.from), kind: "mail", body: { ...note } };
  const inbox = inboxesFromEnv(env)(inboxName);
  const { isOver, retryAfterMs } = await inbox.take({ ...item, receivedAt: Date.now() });
  // Nobody will work it once more, and so nobody else would take away what was kept just now.
  if (isKept && isOver === true) await mails.forget(own.tenant, id);
  if (isTooLarge) return message.setReject("552 5.3.4 Mail is at most 25 MB here");
  if (retryAfterMs !== undefined) throw new Error("the inbox is full: the mail has to be brought again");
}

/** The headers as far as they are shown. A line break cannot stand in a value. */
function headOf(headers: Headers): { readonly stream: ReadableStream<Uint8Array>; readonly size: number } {
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

/** One after the other from one sender, as the envelope says; a report about a mail has none. */
function laneOf(from: string): string {
  return `from ${normalizeAddress(from).slice(0, MAX_LANE)}`;
}

/**
 * The same for a mail that is brought again, by whomever: who has a copy of a signed mail can bring it with the proof of its
 * sender, and with another envelope. One without an id of its own is known by what it says of itself.
 */
async function idOf({ from, to, headers, rawSize }: IncomingMail): Promise<string> {
  const own = headers.get("message-id")?.replace(/\s+/g, "") ?? "";
  const said = ["date", "from", "subject"].map((name) => headers.get(name) ?? "");
  const known = own === "" ? [normalizeAddress(from), ...said, String(rawSize)] : [own];
  return (await sha256Hex(JSON.stringify([normalizeAddress(to), ...known]))).slice(0, 40);
}
