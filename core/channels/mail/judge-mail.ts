/** What a mail that came in is: whose it is, and whether anybody wrote it at all. */
import { type Label, OUTSIDE, PRINCIPAL } from "../../provenance/label.ts";
import { joinParts, type LabelledText } from "../../model/label-parts.ts";
import { comparable, domainOf, isAddress } from "./address.ts";
import { isAuthentic, type MailHeader } from "./authentication.ts";
import { ownBeginning, ownSubject } from "./own-beginning.ts";

/** A mail as far as it is judged. */
interface JudgedMail {
  readonly headers: readonly MailHeader[];
  readonly from: readonly string[];
}

/** A mail that a person wrote, from an address that is proven; or why it is not looked at, for operators. */
export type Judged =
  | { readonly kind: "written"; readonly from: string }
  | { readonly kind: "unheard"; readonly why: string };

/** What a mail has once (RFC 5322, 3.6; RFC 2045, 3): a signature vouches for one of two, and a reader may take the other. */
const ONCE = ["from", "subject", "date", "message-id", "mime-version", "content-type", "content-transfer-encoding"];
/** Without the signs by which an address, quoted among the findings of the server that received it, could end its comment. */
const SENDER = /^[^\s"();\\]*$/;

/** `envelopeFrom` is empty for a mail about a mail; `own` is the address that Otto's mail comes from. */
export function judgeMail(
  mail: JudgedMail,
  { envelopeFrom, own }: { readonly envelopeFrom: string; readonly own: string },
): Judged {
  const [from, ...others] = mail.from;
  if (from === undefined || others.length > 0 || !isAddress(from))
    return unheard("it does not say whom it comes from, in one address");
  const twice = ONCE.find((name) => mail.headers.filter(({ key }) => key === name).length > 1);
  if (twice !== undefined) return unheard(`it has more than one ${twice}`);
  if (!SENDER.test(envelopeFrom)) return unheard("its sender's address can be taken for more than that");
  if (envelopeFrom.replace(/[<>\s]/g, "") === "" || /^(?:mailer-daemon|postmaster)@/i.test(envelopeFrom))
    return unheard("it is a report about a mail");
  if (isAutomatic(mail.headers)) return unheard("no person wrote it");
  if (comparable(from) === comparable(own)) return unheard("Otto sent it itself");
  if (!isAuthentic(mail.headers, domainOf(from))) return unheard("it is not proven to come from where it says");
  return { kind: "written", from: comparable(from) };
}

/** RFC 3834, and what servers and lists wrote before it. */
function isAutomatic(headers: readonly MailHeader[]): boolean {
  return headers.some(({ key, value }) => {
    const said = value.trim().toLowerCase();
    if (key === "auto-submitted") return !/^no\b/.test(said);
    if (key === "precedence") return ["bulk", "junk", "list", "auto_reply"].includes(said);
    return key === "list-id" || key === "x-autoreply" || key === "x-autorespond";
  });
}

function unheard(why: string): Judged {
  return { kind: "unheard", why };
}

/** What follows `New Task` in a subject; null: the subject does not begin so. */
export function newTaskTitle(subject: string): string | null {
  const [, title] = /^\s*new\s+task\b[\s:–—-]*(.*)$/is.exec(subject) ?? [];
  return title === undefined ? null : title.replace(/\s+/g, " ").trim();
}

/** What a reply to an approval decides; null: it does not begin with the one word or the other, or asks. */
export function decisionIn(text: string): { readonly decision: "approve" | "refuse"; readonly reason: string } | null {
  const [, word = "", rest = ""] =
    /^[^\p{L}\p{N}]*(approved?|refused?)(?![\p{L}\p{N}]|\s*\?)[\s.,:;!–—-]*(.*)$/isu.exec(text) ?? [];
  if (word === "") return null;
  return { decision: word.toLowerCase().startsWith("approve") ? "approve" : "refuse", reason: rest.trim() };
}

/** The texts of a mail. `title` is the subject after `New Task`. */
interface MailWords {
  readonly title: string;
  readonly text: string;
  /** Its headers say that it answers or forwards another mail. */
  readonly isInThread: boolean;
}

/** [MS-OXOMSG] 2.2.1.3: 22 bytes stand for a new mail, and each answer or forward adds five. */
const NEW_THREAD_INDEX_CHARACTERS = 32;

/** Whether a mail's headers say that it answers or forwards another. */
export function isInThread(headers: readonly MailHeader[]): boolean {
  return headers.some(({ key, value }) => {
    if (key === "thread-index") return value.replace(/\s/g, "").length > NEW_THREAD_INDEX_CHARACTERS;
    const names = ["in-reply-to", "references", "x-forwarded-message-id", "resent-from"];
    return names.includes(key) && value.trim() !== "";
  });
}

/** The files of a mail: the names of those that were stored, and how many were not. */
interface MailFiles {
  readonly names: readonly string[];
  readonly leftOut: number;
}

/** UTF-16 units of a text, quotes and signature included, that a task is given. */
const MAX_TEXT = 100_000;

/** What a task is asked by a mail: its text, where its files stand, and what was left out. Empty: the mail says nothing. */
export function mailInput(mail: Pick<MailWords, "title" | "text">, files: MailFiles): string {
  const text = mail.text.trim();
  const body = text.length <= MAX_TEXT ? text : text.slice(0, MAX_TEXT);
  const parts = [
    mail.title,
    body.toWellFormed(),
    body === text ? "" : `(The mail goes on: this is the first ${MAX_TEXT} of its ${text.length} characters.)`,
    files.names.length === 0 ? "" : `Files that came with the mail: ${files.names.join(", ")}`,
    files.leftOut === 0 ? "" : `(${files.leftOut} more files came with the mail, and were not kept.)`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/**
 * The same input as parts of one message: what the writer wrote is a principal's, since `judgeMail` proved the address and a
 * person of the tenant has it. What the writer quotes or forwards is from outside, its subject too, and so are names of files.
 */
export function mailTexts(mail: MailWords, files: MailFiles): LabelledText[] {
  const text = mail.text.replace(/\r\n?/g, "\n").trim();
  const whole = mailInput({ ...mail, text }, files);
  const ownTitle = ownSubject(mail.title, mail);
  const isThreaded = mail.isInThread || ownTitle !== mail.title;
  const own = ownBeginning(text.slice(0, MAX_TEXT).toWellFormed(), { isInThread: isThreaded });
  const titled = mail.title === "" || own === "" ? mail.title : `${mail.title}\n\n`;
  // A text that was cut in the midst of a character is not the input's beginning.
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

/** Of a file's name, in UTF-16 units: with a number before it, a file system that gives it 255 bytes takes it. */
const MAX_NAME = 80;

/** Names under which the files of a mail stand in a sandbox: each a good path, and no two alike. */
export function fileNames(given: readonly (string | null)[]): string[] {
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
