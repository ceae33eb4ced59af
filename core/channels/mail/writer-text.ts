/**
 * Finds where the text of a mail's writer ends and quoted text begins. Mail clients quote in many languages and forms,
 * so the signs are formal, and doubt ends the writer's text: that text may instruct. `docs/decisions/0065-labels.md`
 * lists the signs and what an honest mail loses by them.
 */
import { findHeaderKind, type HeaderKind } from "./header-names.ts";

/** What the headers and the subject say about a mail. */
interface MailForm {
  /** True when the mail answers or forwards another one. */
  readonly isInThread: boolean;
}

/** Most lines to read; the writer's text ends there. */
const MAX_LINES = 2_000;
/** The parts of a longer line that are read: sender names have any length. */
const [HEAD_CHARACTERS, TAIL_CHARACTERS] = [240, 260];
/** Most lines of one attribution. */
const MAX_BROKEN_LINES = 3;
/** Most lines to read of one block of headers. */
const MAX_HEADERS = 8;

/** Invisible characters, which mail clients put around header names. */
const INVISIBLE = /\p{Cf}/gu;
const QUOTE = /^[>＞]/;
const SIGNATURE = /^--\s?$/;
const RULE = /^([-_=*~\u2010-\u2015\u2500-\u2501])\1{4,}$/;
const LONG_RULE = /^_{10,}$/;
/** `---------- Forwarded message ---------`. A shorter run of other characters is Markdown. */
const TITLED_RULE =
  /^(?:[-\u2010-\u2015\u2500-\u2501]{2,}|[_=*~]{4,})\s?[^\s|+_=*~-][^|+]{0,80}(?:[-\u2010-\u2015\u2500-\u2501]{2,}|[_=*~]{4,})$/;
/** `short name: value`, also bold; one to four words. */
const HEADER =
  /^[*_]{0,2}(\p{L}[\p{L}\p{M}'’.-]{0,30}(?:[ \u00a0][\p{L}\p{M}'’.-]{1,20}){0,3})[*_]{0,2}\s?[:：][*_]{0,2}(.*)$/u;
const ADDRESS = /[^\s@<>"',;:]@[^\s@<>"',;:]/;
const BRACKETED_ADDRESS = /[<[(](?:mailto:)?[^\s@<>()[\]]{1,100}@[^\s@<>()[\]]{1,260}[>\])]/i;
const BEGINS_WITH_ADDRESS = /^[^\s@]{1,100}@\S{1,260}\s/;
const FINAL_COLON = /[:：]$/;
const ENDS_SENTENCE = /[.!?。！？]$/;
/** A date with its year, or a number with a time: common in an attribution, rare above a list. */
const DATE = new RegExp(
  [
    String.raw`(?<![\p{L}\d])\d{1,2}\D{1,20}(?:19|20)\d\d(?!\d)`,
    String.raw`(?<!\d)(?:19|20)\d\d\D{1,3}\d{1,2}\D`,
    String.raw`(?<!\d)\d\d[./-]\d\d[./-]\d\d(?!\d)`,
    String.raw`\d\D{0,20}\s\d{1,2}[:.h]\d\d`,
  ].join("|"),
  "u",
);
/** `On 3 May, Eve wrote:` in the languages whose attributions begin like that. */
const OPENS_ATTRIBUTION = /^(?:on|am|le|el|il|op|em|den)\s.{0,200}\d/i;

/** In a thread, a first paragraph of one short line with this ending is a greeting. */
const GREETING = /^.{1,60}[,!，،、！]$/;

/**
 * Finds the text of a mail that its writer wrote: a trimmed prefix of `text`, which has `\n` line breaks.
 * Empty unless the form of the mail proves a prefix. In a thread, at most a greeting and the first paragraph.
 */
export function findWriterText(text: string, { isInThread }: MailForm): string {
  const lines = text.split("\n", MAX_LINES);
  const signs = lines.map(toSign);
  const sign = signs.findIndex((_, index) => startsQuotation(signs, index, isInThread));
  const ends = sign === -1 ? lines.length : sign;
  const end = isInThread ? Math.min(ends, findParagraphEnd(signs)) : ends;
  return lines.slice(0, end).join("\n").trimEnd();
}

/** The prefixes that mail clients add to the subject of an answered or forwarded mail. */
const THREAD_MARKS = new Set(
  (
    "re|aw|sv|vs|vá|va|antw|odp|ref|rif|res|rép|ynt|cevap|atb|bls|ha|r|回复|回覆|答复|答覆|返信|回信|답장|رد|תגובה|fw|fwd|wg|vb|vl|tr|rv|" +
    "enc|enviado|i|inoltra|doorst|pd|fs|tov|továbbítás|ilt|i̇lt|trs|пер|转发|轉寄|轉發|転送|전달|إعادة توجيه|הועבר"
  ).split("|"),
);

/** UTF-16 units of the longest mark, and of a mark with its number. */
const MAX_MARK = 16;
const MAX_COUNTED_MARK = 40;
/** What may follow a mark before its colon: a number, as in `RE[2]:`, and invisible characters. */
const COUNTER = /(?:[\s\p{Cf}]*(?:\[\d{1,3}\]|\(\d{1,3}\)))?[\s\p{Cf}]*$/u;
/** Marks in these scripts need no space before them. */
const BEGINS_ANYWHERE = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
const ENDS_IN_WORD = /[\p{L}\p{M}\p{N}]$/u;

/**
 * Finds the part of a subject that the mail's writer wrote. The subject of an answered or forwarded mail begins at its
 * first mark. Empty when the headers name another mail: the whole subject may be that one's.
 */
export function findWriterSubject(subject: string, { isInThread }: MailForm): string {
  if (isInThread) return "";
  for (const { index } of subject.matchAll(/[:：]/g)) {
    const start = findMark(subject.slice(0, index));
    if (start !== null) return subject.slice(0, start);
  }
  return subject;
}

/** The start of the mark at the end of a text; null without one. */
function findMark(text: string): number | null {
  const end = text.length - (COUNTER.exec(text.slice(-MAX_COUNTED_MARK))?.[0].length ?? 0);
  for (let start = Math.max(0, end - MAX_MARK); start < end; start += 1) {
    const mark = text.slice(start, end);
    if (!THREAD_MARKS.has(mark.toLowerCase())) continue;
    if (BEGINS_ANYWHERE.test(mark) || !ENDS_IN_WORD.test(text.slice(Math.max(0, start - 2), start))) return start;
  }
  return null;
}

/** Prepares a line for the checks: without invisible characters, and without the middle of a long line. */
function toSign(line: string): string {
  const isLong = line.length > HEAD_CHARACTERS + TAIL_CHARACTERS;
  const part = isLong ? `${line.slice(0, HEAD_CHARACTERS)} ${line.slice(-TAIL_CHARACTERS)}` : line;
  return part.replace(INVISIBLE, "").trim();
}

function startsQuotation(lines: readonly string[], index: number, isInThread: boolean): boolean {
  const line = lines[index] ?? "";
  if (line === "") return false;
  if (QUOTE.test(line) || SIGNATURE.test(line) || LONG_RULE.test(line) || TITLED_RULE.test(line)) return true;
  if (RULE.test(line)) return HEADER.test(lines[findNextText(lines, index)] ?? "");
  return isAttribution(lines, index) || startsHeaders(lines, index, isInThread);
}

/** True for one to three lines that end with a colon and name the writer of what follows. */
function isAttribution(lines: readonly string[], index: number): boolean {
  const first = lines[index] ?? "";
  let joined = "";
  for (const line of lines.slice(index, index + MAX_BROKEN_LINES)) {
    if (line === "") return false;
    joined = joined === "" ? line : `${joined} ${line}`;
    if (FINAL_COLON.test(line)) return namesWriter(first, joined);
    if (ENDS_SENTENCE.test(line)) return false;
  }
  return false;
}

/** `joined` begins with the line `first`: an attribution starts at the line with a part of it. */
function namesWriter(first: string, joined: string): boolean {
  if (OPENS_ATTRIBUTION.test(first)) return true;
  if (BRACKETED_ADDRESS.test(first) || DATE.test(first) || BEGINS_WITH_ADDRESS.test(first)) return true;
  return BRACKETED_ADDRESS.test(joined) && /\d/.test(first);
}

/**
 * True for a mail header with an address in brackets, or for at least two lines that look like headers: one has an address,
 * or their names are two kinds of mail headers. In a thread, any two such lines count.
 */
function startsHeaders(lines: readonly string[], index: number, isInThread: boolean): boolean {
  const kinds = new Set<HeaderKind>();
  let count = 0;
  let hasAddress = false;
  for (let at = index; at < lines.length; at = findNextText(lines, at)) {
    const line = lines[at] ?? "";
    const [, name, value = ""] = /[:：]/.test(line) ? (HEADER.exec(line) ?? []) : [];
    if (name === undefined) break;
    count += 1;
    const kind = findHeaderKind(name);
    if (kind !== null) kinds.add(kind);
    if (BRACKETED_ADDRESS.test(value) || (kind === "from" && ADDRESS.test(value))) return true;
    hasAddress ||= ADDRESS.test(value);
    if (count >= 2 && (hasAddress || isInThread || (kinds.has("from") && kinds.size > 1))) return true;
    if (count === MAX_HEADERS) break;
  }
  return false;
}

/** The index of the next line, past one empty line at most. */
function findNextText(lines: readonly string[], index: number): number {
  return lines[index + 1] === "" ? index + 2 : index + 1;
}

/** Where the first paragraph ends; the second when the first is a greeting. */
function findParagraphEnd(lines: readonly string[]): number {
  const end = lines.indexOf("");
  if (end === -1) return lines.length;
  if (end !== 1 || !GREETING.test(lines[0] ?? "")) return end;
  const start = lines.findIndex((line, index) => index > end && line !== "");
  const next = start === -1 ? -1 : lines.indexOf("", start);
  return next === -1 ? lines.length : next;
}
