/** Validates a mail before a provider sees it. No header can contain another one. */
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
/** No character begins both a value and what follows it, so matching takes linear time. */
const CONTENT_TYPE = /^[a-zA-Z0-9!#$&^_.+-]+\/[a-zA-Z0-9!#$&^_.+-]+(; ?[a-zA-Z0-9-]+=("[ -!#-[\]-~]*"|[!#-:<-~]+))*$/;
const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]*$/;
const HEADER_VALUE = /^[\x20-\x7e]{1,900}$/;

/** Validates a mail. Failures name the field, and nothing was sent. */
export function checkMail(mail: Mail): Result<void> {
  const { to, cc, subject, html, text, attachments, headers } = mail;
  if (to.length === 0) return refuse("to", "a mail needs a recipient");
  if (to.length + cc.length > MAX_RECIPIENTS) return refuse("to", `a mail has at most ${MAX_RECIPIENTS} recipients`);
  const wrong =
    findInvalidMailbox("to", to) ?? findInvalidMailbox("cc", cc) ?? findInvalidMailbox("reply_to", listReplyTo(mail));
  if (wrong !== null) return wrong;
  if (!isHeaderText(subject))
    return refuse("subject", "the subject must not contain line breaks or control characters");
  if (subject.length > MAX_SUBJECT) return refuse("subject", `the subject is longer than ${MAX_SUBJECT} characters`);
  if (html === "" && text === "") return refuse("body", "a mail needs a body");
  if (!html.isWellFormed() || !text.isWellFormed()) return refuse("body", "the body contains half of a surrogate pair");
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
    if (bytes.length > MAX_ATTACHMENT_BYTES) return refuseSize(describeTooLargeFile(filename, bytes.length));
  }
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return total > MAX_ATTACHMENTS_BYTES ? refuseSize(describeTooLargeFiles(total)) : ok(undefined);
}

/** The content type of an attachment: the given one when a header can contain it. */
export function toMailContentType(given: string): string {
  return isContentType(given) ? given : "application/octet-stream";
}

function isContentType(text: string): boolean {
  return text.length <= MAX_CONTENT_TYPE && CONTENT_TYPE.test(text);
}

/** The error for a file that is too large for a mail. */
export function describeTooLargeFile(filename: string, size: number): string {
  return `Attachment too large: ${filename} is ${size} bytes (limit 10 MB, ${MAX_ATTACHMENT_BYTES} bytes).`;
}

/** The error for files that are together too large for a mail. */
export function describeTooLargeFiles(total: number): string {
  return `The attachments are ${total} bytes together (limit 20 MB, ${MAX_ATTACHMENTS_BYTES} bytes). Send fewer of them.`;
}

function listReplyTo({ replyTo: mailbox }: Mail): readonly Mailbox[] {
  return mailbox === null ? [] : [mailbox];
}

function findInvalidMailbox(field: string, mailboxes: readonly Mailbox[]): Result<never> | null {
  const wrong = mailboxes.find(({ name, address }) => !isAddress(address) || !isHeaderText(name));
  return wrong === undefined ? null : refuse(field, `"${wrong.address.slice(0, 100)}" is not an email address`);
}

function refuse(field: string, message: string): Result<never> {
  return notSent("invalid_input", `${field}: ${message}.`, { field });
}

function refuseSize(message: string): Result<never> {
  return notSent("too_large", message, { field: "attachments" });
}
