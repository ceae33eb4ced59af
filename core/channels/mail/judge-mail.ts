/** Decides whether a received mail is from a person with a proven address, and turns it into a task's input. */
import { type Label, OUTSIDE, PRINCIPAL } from "../../provenance/label.ts";
import { joinParts, type LabelledText } from "../../model/label-parts.ts";
import { normalizeAddress, getDomain, isAddress } from "./address.ts";
import { isAuthentic, type MailHeader } from "./authentication.ts";
import { findWriterText, findWriterSubject } from "./writer-text.ts";

/** The parts of a mail that the verdict depends on. */
interface JudgedMail {
  readonly headers: readonly MailHeader[];
  readonly from: readonly string[];
}

/**
 * `written`: a person wrote the mail, from a proven address. `ignored`: the mail is ignored, with the reason for
 * operators.
 */
export type MailVerdict =
  | { readonly kind: "written"; readonly from: string }
  | { readonly kind: "ignored"; readonly why: string };

/**
 * Headers that may occur once (RFC 5322, 3.6; RFC 2045, 3): a signature covers one of two, and a client may show the
 * other.
 */
const ONCE = ["from", "subject", "date", "message-id", "mime-version", "content-type", "content-transfer-encoding"];
/** Excludes characters with which a quoted address could end its comment in the receiving server's findings. */
const SENDER = /^[^\s"();\\]*$/;

/** `envelopeFrom` is empty for a bounce; `own` is the address that Otto sends from. */
export function judgeMail(
  mail: JudgedMail,
  { envelopeFrom, own }: { readonly envelopeFrom: string; readonly own: string },
): MailVerdict {
  const [from, ...others] = mail.from;
  if (from === undefined || others.length > 0 || !isAddress(from))
    return ignoreMail("it does not name exactly one sender");
  const twice = ONCE.find((name) => mail.headers.filter(({ key }) => key === name).length > 1);
  if (twice !== undefined) return ignoreMail(`it has more than one ${twice}`);
  if (!SENDER.test(envelopeFrom)) return ignoreMail("its sender's address is ambiguous");
  if (envelopeFrom.replace(/[<>\s]/g, "") === "" || /^(?:mailer-daemon|postmaster)@/i.test(envelopeFrom))
    return ignoreMail("it is a bounce");
  if (isAutomatic(mail.headers)) return ignoreMail("it was sent automatically");
  if (normalizeAddress(from) === normalizeAddress(own)) return ignoreMail("Otto sent it");
  if (!isAuthentic(mail.headers, getDomain(from))) return ignoreMail("its sender's domain is not authenticated");
  return { kind: "written", from: normalizeAddress(from) };
}

/** RFC 3834, and older headers of servers and lists. */
function isAutomatic(headers: readonly MailHeader[]): boolean {
  return headers.some(({ key, value }) => {
    const text = value.trim().toLowerCase();
    if (key === "auto-submitted") return !/^no\b/.test(text);
    if (key === "precedence") return ["bulk", "junk", "list", "auto_reply"].includes(text);
    return key === "list-id" || key === "x-autoreply" || key === "x-autorespond";
  });
}

function ignoreMail(why: string): MailVerdict {
  return { kind: "ignored", why };
}

/** The title after `New Task` in a subject; null without that prefix. */
export function findNewTaskTitle(subject: string): string | null {
  const [, title] = /^\s*new\s+task\b[\s:–—-]*(.*)$/is.exec(subject) ?? [];
  return title === undefined ? null : title.replace(/\s+/g, " ").trim();
}

/** The decision in a reply to an approval. Null when it does not begin with approve or refuse, or is a question. */
export function findDecision(
  text: string,
): { readonly decision: "approve" | "refuse"; readonly reason: string } | null {
  const [, word = "", rest = ""] =
    /^[^\p{L}\p{N}]*(approved?|refused?)(?![\p{L}\p{N}]|\s*\?)[\s.,:;!–—-]*(.*)$/isu.exec(text) ?? [];
  if (word === "") return null;
  return { decision: word.toLowerCase().startsWith("approve") ? "approve" : "refuse", reason: rest.trim() };
}

/** The texts of a mail. `title` is the subject after `New Task`. */
interface MailText {
  readonly title: string;
  readonly text: string;
  /** True when the headers say that the mail answers or forwards another one. */
  readonly isInThread: boolean;
}

/** [MS-OXOMSG] 2.2.1.3: a new mail has 22 bytes, and each answer or forward adds five. */
const NEW_THREAD_INDEX_CHARACTERS = 32;

/** True when the headers say that the mail answers or forwards another one. */
export function isInThread(headers: readonly MailHeader[]): boolean {
  return headers.some(({ key, value }) => {
    if (key === "thread-index") return value.replace(/\s/g, "").length > NEW_THREAD_INDEX_CHARACTERS;
    const names = ["in-reply-to", "references", "x-forwarded-message-id", "resent-from"];
    return names.includes(key) && value.trim() !== "";
  });
}

/** The attachments of a mail: the paths of the stored ones, and how many were not stored. */
interface MailFiles {
  readonly names: readonly string[];
  readonly skipped: number;
}

/** Limit of the mail's text in a task's input, in UTF-16 units. */
const MAX_TEXT = 100_000;

/** Formats a mail as a task's input: its text, its files, and what was left out. Empty when the mail is empty. */
export function formatMailInput(mail: Pick<MailText, "title" | "text">, files: MailFiles): string {
  const text = mail.text.trim();
  const body = text.length <= MAX_TEXT ? text : text.slice(0, MAX_TEXT);
  const parts = [
    mail.title,
    body.toWellFormed(),
    body === text ? "" : `(The mail is longer: this is the first ${MAX_TEXT} of its ${text.length} characters.)`,
    files.names.length === 0 ? "" : `Files that came with the mail: ${files.names.join(", ")}`,
    files.skipped === 0 ? "" : `(${files.skipped} more files came with the mail, and were not stored.)`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/**
 * The same input in labelled parts. The writer's own text is a principal's: `judgeMail` proved the address, and a
 * person of the tenant has it. Quoted and forwarded text, its subject and file names are from outside.
 */
export function toMailTexts(mail: MailText, files: MailFiles): LabelledText[] {
  const text = mail.text.replace(/\r\n?/g, "\n").trim();
  const whole = formatMailInput({ ...mail, text }, files);
  const ownTitle = findWriterSubject(mail.title, mail);
  const isThreaded = mail.isInThread || ownTitle !== mail.title;
  const own = findWriterText(text.slice(0, MAX_TEXT).toWellFormed(), { isInThread: isThreaded });
  const titled = mail.title === "" || own === "" ? mail.title : `${mail.title}\n\n`;
  // A text that was cut inside a character is not a prefix of the input.
  const written = whole.startsWith(`${titled}${own}`) ? own : "";
  const ownTitled = ownTitle === mail.title && !mail.isInThread ? titled : ownTitle;
  const parts: readonly (readonly [string, Label])[] = [
    [ownTitled, PRINCIPAL],
    [titled.slice(ownTitled.length), OUTSIDE],
    [written, PRINCIPAL],
    [whole.slice(titled.length + written.length), OUTSIDE],
  ];
  return joinParts(parts);
}

/** Limit of a file name in UTF-16 units: with a number before it, it fits 255 bytes. */
const MAX_NAME = 80;

/** Chooses paths for a mail's files in the sandbox: valid and unique. */
export function chooseFilePaths(given: readonly (string | null)[]): string[] {
  const taken = new Set<string>();
  return given.map((name, index) => {
    const plain = (name ?? "")
      .normalize("NFC")
      .toWellFormed()
      .replace(/^.*[/\\]/s, "")
      .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "")
      .trim()
      .slice(-MAX_NAME)
      .replace(/^[\udc00-\udfff]/, "");
    const good = /^\.*$/.test(plain) ? `file-${index + 1}` : plain;
    let free = good;
    for (let number = index + 1; taken.has(free.toLowerCase()); number += 1) free = `${number}-${good}`;
    taken.add(free.toLowerCase());
    return `inbox/${free}`;
  });
}
