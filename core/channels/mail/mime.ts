/** A mail as it stands on the wire (RFC 5322, RFC 2045): ASCII, lines that end in CRLF and are at most 76 characters. */
import { toBase64 } from "../../base/base64.ts";
import { shownMailbox } from "./address.ts";
import { headerLine, headerText, nameParameters } from "./header-text.ts";
import type { Mail, Mailbox, MailFile } from "../../ports/mail.ts";

const BASE64_LINE = 76;

/** What the mail itself does not say. */
export interface Envelope {
  readonly from: Mailbox;
  /** Without the angle brackets. */
  readonly messageId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Stands in no part of the mail: 16 random bytes in hex, say. */
  readonly boundary: string;
}

/** The parts of a mail's text, in order. Of a mail that `checkMail` passes. */
export function* mimeText(mail: Mail, { from, messageId, at, boundary }: Envelope): Generator<string> {
  const [mixed, alternative] = [`mixed-${boundary}`, `text-${boundary}`];
  const headers: (readonly [string, string])[] = [
    ["From", shownMailbox(from)],
    ["To", mail.to.map(shownMailbox).join(", ")],
    ...(mail.cc.length === 0 ? [] : [["Cc", mail.cc.map(shownMailbox).join(", ")] as const]),
    ...(mail.replyTo === null ? [] : [["Reply-To", shownMailbox(mail.replyTo)] as const]),
    ["Subject", headerText(mail.subject)],
    ["Date", new Date(at).toUTCString().replace("GMT", "+0000")],
    ["Message-ID", `<${messageId}>`],
    ...mail.headers,
    ["MIME-Version", "1.0"],
    ["Content-Type", `multipart/mixed; boundary="${mixed}"`],
  ];
  yield `${headers.map(([name, value]) => headerLine(name, value)).join("\r\n")}\r\n\r\n`;
  yield `--${mixed}\r\nContent-Type: multipart/alternative;\r\n boundary="${alternative}"\r\n\r\n`;
  for (const [type, text] of [
    ["plain", mail.text],
    ["html", mail.html],
  ] as const) {
    if (text === "") continue;
    const head = `--${alternative}\r\nContent-Type: text/${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
    yield head + base64Lines(new TextEncoder().encode(text.replace(/\r?\n/g, "\r\n")));
  }
  yield `--${alternative}--\r\n`;
  for (const file of mail.attachments) yield `--${mixed}\r\n${fileHead(file)}\r\n\r\n${base64Lines(file.bytes)}`;
  yield `--${mixed}--\r\n`;
}

/** Everybody whom a mail goes to, each once. */
export function recipientsOf({ to, cc }: Pick<Mail, "to" | "cc">): string[] {
  return [...new Set([...to, ...cc].map(({ address }) => address))];
}

function fileHead({ filename, contentType }: MailFile): string {
  return [
    `Content-Type: ${contentType};\r\n ${nameParameters("name", filename)}`,
    `Content-Disposition: attachment;\r\n ${nameParameters("filename", filename)}`,
    "Content-Transfer-Encoding: base64",
  ].join("\r\n");
}

function base64Lines(bytes: Uint8Array): string {
  const text = toBase64(bytes);
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += BASE64_LINE) lines.push(text.slice(at, at + BASE64_LINE));
  return `${lines.join("\r\n")}\r\n`;
}
