/** What somebody wrote into a reply, without the mail that it replies to and without a signature. */

/** Part of every mail that asks for a reply, and the surest sign of where the mail's own text begins. */
export const REPLY_MARK = "--- reply above this line ---";

/** A line that begins a quoted mail: as readers of mail write it above what they quote. */
const BEGINS_QUOTE = [
  /^>/,
  /^-{2,}\s*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original)\s*-{2,}$/i,
  /^_{10,}$/,
  /^\*?(?:from|von|de|da|van)\s?:\*?\s.{0,200}@/i,
];
/** `On Monday, Otto wrote:` in whatever language: it ends with a colon, and the quote follows. */
const ATTRIBUTION = /:$/;
const OPENS_ATTRIBUTION = /^(?:on|am|le|el|il|op|em|den)\s.{0,200}\d/i;
const SIGNATURE = /^--\s?$/;

/** What a reply says above the mail that it answers. Empty: nothing. It is a person's answer, quotations in its midst too. */
export function replyText(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const found = lines.findIndex(
    (line) => line.includes(REPLY_MARK) || BEGINS_QUOTE.some((sign) => sign.test(line.trim())),
  );
  const own = withoutAttribution(lines.slice(0, found === -1 ? lines.length : found), found !== -1);
  const signature = own.findIndex((line) => SIGNATURE.test(line));
  return (signature === -1 ? own : own.slice(0, signature)).join("\n").trim();
}

/** The line above a quote says whose it is; it can be broken in two. */
function withoutAttribution(lines: readonly string[], isQuoted: boolean): readonly string[] {
  if (!isQuoted) return lines;
  const last = lines.findLastIndex((line) => line.trim() !== "");
  if (last === -1 || !ATTRIBUTION.test((lines[last] ?? "").trim())) return lines;
  for (const first of [last, last - 1, last - 2])
    if (OPENS_ATTRIBUTION.test((lines[first] ?? "").trim())) return lines.slice(0, first);
  return lines;
}
