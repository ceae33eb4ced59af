/** Addresses of mail: what is one, and how it is written into a header (RFC 5321, RFC 5322, RFC 2047). */
import { failed, ok, type Result } from "../../base/errors.ts";
import { encodeWords, isAscii } from "./header-text.ts";
import type { Mailbox } from "../../ports/mail.ts";

/** RFC 5321, 4.5.3.1: of the whole address, and of what stands before the `@`. */
const MAX_ADDRESS = 254;
const MAX_LOCAL_PART = 64;
const MAX_NAME = 200;
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** Whether a text is one address, `local@domain`, of ASCII and without quotes: what every provider takes. */
export function isAddress(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (text.length > MAX_ADDRESS || local.length > MAX_LOCAL_PART || !LOCAL_PART.test(local)) return false;
  return domain.split(".").every((label) => LABEL.test(label));
}

/** The address as two of them are compared: providers tell no letters apart by case. */
export function comparable(address: string): string {
  return address.trim().toLowerCase();
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

/** One mailbox: `local@domain` or `Name <local@domain>`. */
export function readMailbox(text: string, field: string): Result<Mailbox> {
  const trimmed = text.trim();
  const [, named, inside] = /^(.*)<([^<>]*)>$/s.exec(trimmed) ?? [];
  const address = (inside ?? trimmed).trim();
  const name = unquoted((named ?? "").trim());
  const shown = trimmed.slice(0, 100);
  if (!isAddress(address)) return failed("invalid_input", `${field}: "${shown}" is no e-mail address.`, { field });
  if (name.length > MAX_NAME || !isHeaderText(name))
    return failed("invalid_input", `${field}: the name of ${address} has a line break or is too long.`, { field });
  return ok({ name, address });
}

/** Mailboxes that stand between commas (or semicolons); those that say nothing are left out, repeated ones too. */
export function readMailboxes(text: string, field: string): Result<readonly Mailbox[]> {
  const found = new Map<string, Mailbox>();
  for (const part of splitList(text)) {
    const mailbox = readMailbox(part, field);
    if (!mailbox.ok) return mailbox;
    const known = comparable(mailbox.value.address);
    if (!found.has(known)) found.set(known, mailbox.value);
  }
  return ok([...found.values()]);
}

/** A mailbox as a header says it. */
export function shownMailbox({ name, address }: Mailbox): string {
  if (name === "") return address;
  const said = isAscii(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : encodeWords(name);
  return `${said} <${address}>`;
}

/** Without control characters, and so without an end of the line that another header could follow. */
export function isHeaderText(text: string): boolean {
  return !/\p{Cc}|[\u2028\u2029]/u.test(text) && text.isWellFormed();
}

/** A comma inside quotes belongs to a name. */
function splitList(text: string): string[] {
  const parts = text.match(/(?:"(?:[^"\\]|\\.)*"|[^,;"]|")+/gs) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function unquoted(name: string): string {
  const [, inside] = /^"(.*)"$/s.exec(name) ?? [];
  return inside === undefined ? name : inside.replace(/\\(.)/gs, "$1");
}
