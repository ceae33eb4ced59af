/** What a mail has to be before any provider sees it. No header can be made to hold another one. */
import { notSent, ok, type Result } from "../../base/errors.ts";
import { isAddress, isHeaderText } from "./address.ts";
import {
  type Mail,
  type Mailbox,
  MAX_ATTACHMENT_BYTES,
  MAX_ATTACHMENTS,
  MAX_ATTACHMENTS_BYTES,
  MAX_RECIPIENTS,
} from "../../ports/mail.ts";

const MAX_SUBJECT = 998;
const MAX_FILENAME = 255;
const MAX_CONTENT_TYPE = 200;
/** No sign begins both a value and what follows it, so that there is one way to read a text. */
const CONTENT_TYPE = /^[a-zA-Z0-9!#$&^_.+-]+\/[a-zA-Z0-9!#$&^_.+-]+(; ?[a-zA-Z0-9-]+=("[ -!#-[\]-~]*"|[!#-:<-~]+))*$/;
const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]*$/;
const HEADER_VALUE = /^[\x20-\x7e]{1,900}$/;

/** Passes a mail that can be sent. Failures name the field, and surely nothing left. */
export function checkMail(mail: Mail): Result<void> {
  const { to, cc, subject, html, text, attachments, headers } = mail;
  if (to.length === 0) return refuse("to", "a mail needs somebody whom it goes to");
  if (to.length + cc.length > MAX_RECIPIENTS) return refuse("to", `a mail goes to at most ${MAX_RECIPIENTS} addresses`);
  const wrong = wrongMailbox("to", to) ?? wrongMailbox("cc", cc) ?? wrongMailbox("reply_to", replyTo(mail));
  if (wrong !== null) return wrong;
  if (!isHeaderText(subject)) return refuse("subject", "the subject must not hold line breaks or control characters");
  if (subject.length > MAX_SUBJECT) return refuse("subject", `the subject is over ${MAX_SUBJECT} characters`);
  if (html === "" && text === "") return refuse("body", "a mail needs a body");
  if (!html.isWellFormed() || !text.isWellFormed()) return refuse("body", "the body holds half of a surrogate pair");
  const header = headers.find(([name, value]) => !HEADER_NAME.test(name) || !HEADER_VALUE.test(value));
  if (header !== undefined) return refuse("headers", "a header is not valid");
  return checkFiles(attachments);
}

function checkFiles(files: Mail["attachments"]): Result<void> {
  const field = "attachments";
  if (files.length > MAX_ATTACHMENTS) return refuse(field, `a mail carries at most ${MAX_ATTACHMENTS} files`);
  for (const { filename, contentType, bytes } of files) {
    if (filename === "" || filename.length > MAX_FILENAME || !isHeaderText(filename))
      return refuse(field, "the name of a file is not valid");
    if (!isContentType(contentType)) return refuse(field, `the content type of ${filename} is not valid`);
    if (bytes.length > MAX_ATTACHMENT_BYTES) return tooLarge(tooLargeFile(filename, bytes.length));
  }
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return total > MAX_ATTACHMENTS_BYTES ? tooLarge(tooLargeFiles(total)) : ok(undefined);
}

/** The content type of a file as a mail says it: what its writer gave may be one that no header can hold. */
export function mailContentType(given: string): string {
  return isContentType(given) ? given : "application/octet-stream";
}

function isContentType(text: string): boolean {
  return text.length <= MAX_CONTENT_TYPE && CONTENT_TYPE.test(text);
}

/** Said of a file that no mail carries. */
export function tooLargeFile(filename: string, size: number): string {
  return `Attachment too large: ${filename} is ${size} bytes (limit 10 MB, ${MAX_ATTACHMENT_BYTES} bytes).`;
}

/** Said of files that no mail carries together. */
export function tooLargeFiles(total: number): string {
  return `The attachments are ${total} bytes together (limit 20 MB, ${MAX_ATTACHMENTS_BYTES} bytes). Send fewer of them.`;
}

function replyTo({ replyTo: mailbox }: Mail): readonly Mailbox[] {
  return mailbox === null ? [] : [mailbox];
}

function wrongMailbox(field: string, mailboxes: readonly Mailbox[]): Result<never> | null {
  const wrong = mailboxes.find(({ name, address }) => !isAddress(address) || !isHeaderText(name));
  return wrong === undefined ? null : refuse(field, `"${wrong.address.slice(0, 100)}" is no e-mail address`);
}

function refuse(field: string, message: string): Result<never> {
  return notSent("invalid_input", `${field}: ${message}.`, { field });
}

function tooLarge(message: string): Result<never> {
  return notSent("too_large", message, { field: "attachments" });
}
