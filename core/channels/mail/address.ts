/** Mail addresses: their form, and how they are written in a header (RFC 5321, RFC 5322, RFC 2047). */
import { failed, ok, type Result } from "../../base/errors.ts";
import { encodeWords, isAscii } from "./header-text.ts";
import type { Mailbox } from "../../ports/mail.ts";

/** RFC 5321, 4.5.3.1: limits of the whole address and of the part before the `@`. */
const MAX_ADDRESS = 254;
const MAX_LOCAL_PART = 64;
const MAX_NAME = 200;
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** Whether a text is one ASCII address, `local@domain`, without quotes: the form that every provider accepts. */
export function isAddress(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (text.length > MAX_ADDRESS || local.length > MAX_LOCAL_PART || !LOCAL_PART.test(local)) return false;
  return domain.split(".").every((label) => LABEL.test(label));
}

/** The form in which addresses are compared: providers ignore case. */
export function normalizeAddress(address: string): string {
  return address.trim().toLowerCase();
}

export function getDomain(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

/** Parses one mailbox: `local@domain` or `Name <local@domain>`. */
export function parseMailbox(text: string, field: string): Result<Mailbox> {
  const trimmed = text.trim();
  const [, named, inside] = /^(.*)<([^<>]*)>$/s.exec(trimmed) ?? [];
  const address = (inside ?? trimmed).trim();
  const name = unquote((named ?? "").trim());
  const excerpt = trimmed.slice(0, 100);
  if (!isAddress(address)) return failed("invalid_input", `${field}: "${excerpt}" is not an email address.`, { field });
  if (name.length > MAX_NAME || !isHeaderText(name))
    return failed("invalid_input", `${field}: the name of ${address} has a line break or is too long.`, { field });
  return ok({ name, address });
}

/** Parses mailboxes separated by commas or semicolons. Empty and repeated ones are dropped. */
export function parseMailboxes(text: string, field: string): Result<readonly Mailbox[]> {
  const found = new Map<string, Mailbox>();
  for (const part of splitList(text)) {
    const mailbox = parseMailbox(part, field);
    if (!mailbox.ok) return mailbox;
    const known = normalizeAddress(mailbox.value.address);
    if (!found.has(known)) found.set(known, mailbox.value);
  }
  return ok([...found.values()]);
}

/** Formats a mailbox for a header. */
export function formatMailbox({ name, address }: Mailbox): string {
  if (name === "") return address;
  const quoted = isAscii(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : encodeWords(name);
  return `${quoted} <${address}>`;
}

/** True without control characters: a line break would begin another header. */
export function isHeaderText(text: string): boolean {
  return !/\p{Cc}|[\u2028\u2029]/u.test(text) && text.isWellFormed();
}

/** A comma inside quotes belongs to a name. */
function splitList(text: string): string[] {
  const parts = text.match(/(?:"(?:[^"\\]|\\.)*"|[^,;"]|")+/gs) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function unquote(name: string): string {
  const [, inside] = /^"(.*)"$/s.exec(name) ?? [];
  return inside === undefined ? name : inside.replace(/\\(.)/gs, "$1");
}
