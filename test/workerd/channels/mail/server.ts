/** What arrived at the mock server of providers of mail. */
import PostalMime, { type Address } from "postal-mime";
import { inject } from "vitest";
import { sha256Hex } from "../../../../core/base/sha256.ts";
import type { ReadMail } from "../../../contracts/channels/mail/suite.ts";

export interface ArrivedMail {
  readonly to: readonly string[];
  readonly from: string;
  readonly raw: string;
  readonly user: string | null;
}

/** The mails that arrived for an address, in order. */
export async function arrivedMail(address: string): Promise<ArrivedMail[]> {
  const { mail } = inject("servers");
  return await (await fetch(`${mail.url}/mails?${encodeURIComponent(address)}`)).json();
}

/** Lets the server that holds its answer to a mail for this address give it. */
export async function releaseMail(address: string): Promise<void> {
  const { mail } = inject("servers");
  await fetch(`${mail.url}/release?${encodeURIComponent(address)}`, { method: "POST" });
}

/** Makes Resend forget the keys of the mails that arrived for this address, as it does after a day. */
export async function forgetMailKeys(address: string): Promise<void> {
  const { mail } = inject("servers");
  await fetch(`${mail.url}/forget?${encodeURIComponent(address)}`, { method: "POST" });
}

/** Reads the data of SMTP, in base64, by a library that had no part in writing it. */
export async function readSmtpMail(raw: string): Promise<ReadMail> {
  const mail = await PostalMime.parse(Uint8Array.from(atob(raw), (character) => character.charCodeAt(0)));
  const names = (list: readonly Address[] | undefined) =>
    (list ?? []).map(({ name, address = "" }) => (name === "" ? address : `${name} <${address}>`));
  return {
    to: names(mail.to),
    cc: names(mail.cc),
    replyTo: names(mail.replyTo)[0] ?? null,
    subject: mail.subject ?? "",
    html: withPlainEnds(mail.html),
    text: withPlainEnds(mail.text),
    attachments: await Promise.all(
      mail.attachments.map(async ({ filename, mimeType, content }) => ({
        filename: filename ?? "",
        contentType: mimeType,
        hash: await sha256Hex(new Uint8Array(content as ArrayBuffer)),
      })),
    ),
  };
}

/** Lines end in CRLF on the wire. */
function withPlainEnds(text = ""): string {
  return text.replaceAll("\r\n", "\n");
}
