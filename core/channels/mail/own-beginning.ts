/**
 * Where the words of a mail's writer end and those of others begin. Readers of mail write what they quote or forward in many
 * languages and forms, so the signs are of form and not of words, and doubt ends the writer's words: text that is taken for
 * the writer's may instruct. `docs/decisions/0065-labels.md` lists the signs and what an honest mail loses by them.
 */
import { findHeaderKind, type HeaderKind } from "./header-names.ts";

/** What is known of a mail besides its text. */
interface MailForm {
  /** It answers or forwards another mail, as its headers or its subject say. */
  readonly isInThread: boolean;
}

/** Lines that are looked at; the writer's words end there. */
const MAX_LINES = 2_000;
/** Of a longer line its beginning and its end are looked at: names of senders are as long as somebody else wants. */
const [HEAD_CHARACTERS, TAIL_CHARACTERS] = [240, 260];
/** Lines that one attribution may be broken into. */
const MAX_BROKEN_LINES = 3;
/** Lines of one block of headers that are looked at. */
const MAX_HEADERS = 8;

/** Characters that show nothing, which readers of mail put around the names of headers. */
const INVISIBLE = /\p{Cf}/gu;
const QUOTE = /^[>＞]/;
const SIGNATURE = /^--\s?$/;
const RULE = /^([-_=*~\u2010-\u2015\u2500-\u2501])\1{4,}$/;
const LONG_RULE = /^_{10,}$/;
/** `---------- Forwarded message ---------`; fewer signs that are no dashes are Markdown. */
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
/** A day with its year, or a number with a time: what an attribution says and a line above a list seldom does. */
const DATE = new RegExp(
  [
    String.raw`(?<![\p{L}\d])\d{1,2}\D{1,20}(?:19|20)\d\d(?!\d)`,
    String.raw`(?<!\d)(?:19|20)\d\d\D{1,3}\d{1,2}\D`,
    String.raw`(?<!\d)\d\d[./-]\d\d[./-]\d\d(?!\d)`,
    String.raw`\d\D{0,20}\s\d{1,2}[:.h]\d\d`,
  ].join("|"),
  "u",
);
/** `On 3 May, Eve wrote:` in the languages whose attributions begin so. */
const OPENS_ATTRIBUTION = /^(?:on|am|le|el|il|op|em|den)\s.{0,200}\d/i;

/** Of the writer's words in a thread: a first paragraph of one short line that ends so is a greeting. */
const GREETING = /^.{1,60}[,!，،、！]$/;

/**
 * Finds the beginning of a mail that its writer wrote: a trimmed prefix of `text`, whose lines end with \n. Empty unless the
 * form of the mail proves a beginning. In a thread, at most a greeting and the first paragraph.
 */
export function ownBeginning(text: string, { isInThread }: MailForm): string {
  const lines = text.split("\n", MAX_LINES);
  const signs = lines.map(toSign);
  const sign = signs.findIndex((_, index) => beginsOthers(signs, index, isInThread));
  const ends = sign === -1 ? lines.length : sign;
  const end = isInThread ? Math.min(ends, endOfParagraph(signs)) : ends;
  return lines.slice(0, end).join("\n").trimEnd();
}

/** What readers of mail put before the subject of a mail that they answer or forward. */
const THREAD_MARKS = new Set(
  (
    "re|aw|sv|vs|vá|va|antw|odp|ref|rif|res|rép|ynt|cevap|atb|bls|ha|r|回复|回覆|答复|答覆|返信|回信|답장|رد|תגובה|fw|fwd|wg|vb|vl|tr|rv|" +
    "enc|enviado|i|inoltra|doorst|pd|fs|tov|továbbítás|ilt|i̇lt|trs|пер|转发|轉寄|轉發|転送|전달|إعادة توجيه|הועבר"
  ).split("|"),
);

/** UTF-16 units of the longest mark, and of a mark with its number. */
const MAX_MARK = 16;
const MAX_COUNTED_MARK = 40;
/** What may be between a mark and its colon: a number, as in `RE[2]:`, and signs that show nothing. */
const COUNTER = /(?:[\s\p{Cf}]*(?:\[\d{1,3}\]|\(\d{1,3}\)))?[\s\p{Cf}]*$/u;
/** A mark of other letters is a word of its own. */
const BEGINS_ANYWHERE = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
const ENDS_IN_WORD = /[\p{L}\p{M}\p{N}]$/u;

/**
 * Finds the beginning of a subject that the mail's writer wrote: the subject of another mail, which this one answers or forwards,
 * begins at the first mark of that. Empty in a mail whose headers say that it answers or forwards one: the whole subject may be that one's.
 */
export function ownSubject(subject: string, { isInThread }: MailForm): string {
  if (isInThread) return "";
  for (const { index } of subject.matchAll(/[:：]/g)) {
    const start = findMark(subject.slice(0, index));
    if (start !== null) return subject.slice(0, start);
  }
  return subject;
}

/** The place of the mark that a text ends with; null: it ends with none. */
function findMark(text: string): number | null {
  const end = text.length - (COUNTER.exec(text.slice(-MAX_COUNTED_MARK))?.[0].length ?? 0);
  for (let start = Math.max(0, end - MAX_MARK); start < end; start += 1) {
    const mark = text.slice(start, end);
    if (!THREAD_MARKS.has(mark.toLowerCase())) continue;
    if (BEGINS_ANYWHERE.test(mark) || !ENDS_IN_WORD.test(text.slice(Math.max(0, start - 2), start))) return start;
  }
  return null;
}

/** A line as it is looked at: without what shows nothing, and without the midst of a long one. */
function toSign(line: string): string {
  const isLong = line.length > HEAD_CHARACTERS + TAIL_CHARACTERS;
  const part = isLong ? `${line.slice(0, HEAD_CHARACTERS)} ${line.slice(-TAIL_CHARACTERS)}` : line;
  return part.replace(INVISIBLE, "").trim();
}

function beginsOthers(lines: readonly string[], index: number, isInThread: boolean): boolean {
  const line = lines[index] ?? "";
  if (line === "") return false;
  if (QUOTE.test(line) || SIGNATURE.test(line) || LONG_RULE.test(line) || TITLED_RULE.test(line)) return true;
  if (RULE.test(line)) return HEADER.test(lines[nextText(lines, index)] ?? "");
  return isAttribution(lines, index) || beginsHeaders(lines, index, isInThread);
}

/** A line, or one that is broken in up to three, that says who wrote what follows, and ends with a colon. */
function isAttribution(lines: readonly string[], index: number): boolean {
  const first = lines[index] ?? "";
  let joined = "";
  for (const line of lines.slice(index, index + MAX_BROKEN_LINES)) {
    if (line === "") return false;
    joined = joined === "" ? line : `${joined} ${line}`;
    if (FINAL_COLON.test(line)) return saysWhoWrote(first, joined);
    if (ENDS_SENTENCE.test(line)) return false;
  }
  return false;
}

/** `joined` begins with the line `first`: the place where the attribution begins is the line that says somewhat of it. */
function saysWhoWrote(first: string, joined: string): boolean {
  if (OPENS_ATTRIBUTION.test(first)) return true;
  if (BRACKETED_ADDRESS.test(first) || DATE.test(first) || BEGINS_WITH_ADDRESS.test(first)) return true;
  return BRACKETED_ADDRESS.test(joined) && /\d/.test(first);
}

/**
 * True for a mail header with an address in brackets, or for at least two lines that look like headers: one has an address,
 * or their names are two kinds of mail headers. In a thread, any two such lines count.
 */
function beginsHeaders(lines: readonly string[], index: number, isInThread: boolean): boolean {
  const kinds = new Set<HeaderKind>();
  let count = 0;
  let hasAddress = false;
  for (let at = index; at < lines.length; at = nextText(lines, at)) {
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

/** The next line that is not empty, past one empty line at most. */
function nextText(lines: readonly string[], index: number): number {
  return lines[index + 1] === "" ? index + 2 : index + 1;
}

/** Where the first paragraph ends; the second when the first is a greeting. */
function endOfParagraph(lines: readonly string[]): number {
  const end = lines.indexOf("");
  if (end === -1) return lines.length;
  if (end !== 1 || !GREETING.test(lines[0] ?? "")) return end;
  const start = lines.findIndex((line, index) => index > end && line !== "");
  const next = start === -1 ? -1 : lines.indexOf("", start);
  return next === -1 ? lines.length : next;
}
