/** Formats a mail for the wire (RFC 5322, RFC 2045): ASCII, in CRLF lines of at most 76 characters. */
import { toBase64 } from "../../base/base64.ts";
import { formatMailbox } from "./address.ts";
import { foldHeader, encodeHeaderText, encodeNameParameters } from "./header-text.ts";
import type { Mail, Mailbox, MailFile } from "../../ports/mail.ts";

const BASE64_LINE = 76;

/** The fields that the mail itself does not have. */
export interface Envelope {
  readonly from: Mailbox;
  /** Without the angle brackets. */
  readonly messageId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Occurs nowhere in the mail, such as 16 random bytes in hex. */
  readonly boundary: string;
}

/** Yields the parts of a mail's text, in order. `checkMail` has to pass the mail first. */
export function* writeMime(mail: Mail, { from, messageId, at, boundary }: Envelope): Generator<string> {
  const [mixed, alternative] = [`mixed-${boundary}`, `text-${boundary}`];
  const headers: (readonly [string, string])[] = [
    ["From", formatMailbox(from)],
    ["To", mail.to.map(formatMailbox).join(", ")],
    ...(mail.cc.length === 0 ? [] : [["Cc", mail.cc.map(formatMailbox).join(", ")] as const]),
    ...(mail.replyTo === null ? [] : [["Reply-To", formatMailbox(mail.replyTo)] as const]),
    ["Subject", encodeHeaderText(mail.subject)],
    ["Date", new Date(at).toUTCString().replace("GMT", "+0000")],
    ["Message-ID", `<${messageId}>`],
    ...mail.headers,
    ["MIME-Version", "1.0"],
    ["Content-Type", `multipart/mixed; boundary="${mixed}"`],
  ];
  yield `${headers.map(([name, value]) => foldHeader(name, value)).join("\r\n")}\r\n\r\n`;
  yield `--${mixed}\r\nContent-Type: multipart/alternative;\r\n boundary="${alternative}"\r\n\r\n`;
  for (const [type, text] of [
    ["plain", mail.text],
    ["html", mail.html],
  ] as const) {
    if (text === "") continue;
    const head = `--${alternative}\r\nContent-Type: text/${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
    yield head + toBase64Lines(new TextEncoder().encode(text.replace(/\r?\n/g, "\r\n")));
  }
  yield `--${alternative}--\r\n`;
  for (const file of mail.attachments)
    yield `--${mixed}\r\n${formatFileHead(file)}\r\n\r\n${toBase64Lines(file.bytes)}`;
  yield `--${mixed}--\r\n`;
}

/** The addresses of a mail, each once. */
export function listRecipients({ to, cc }: Pick<Mail, "to" | "cc">): string[] {
  return [...new Set([...to, ...cc].map(({ address }) => address))];
}

function formatFileHead({ filename, contentType }: MailFile): string {
  return [
    `Content-Type: ${contentType};\r\n ${encodeNameParameters("name", filename)}`,
    `Content-Disposition: attachment;\r\n ${encodeNameParameters("filename", filename)}`,
    "Content-Transfer-Encoding: base64",
  ].join("\r\n");
}

function toBase64Lines(bytes: Uint8Array): string {
  const text = toBase64(bytes);
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += BASE64_LINE) lines.push(text.slice(at, at + BASE64_LINE));
  return `${lines.join("\r\n")}\r\n`;
}
