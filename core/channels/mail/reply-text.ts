/** Extracts what a person wrote in a reply, without the quoted mail and without a signature. */

/** Part of every mail that asks for a reply: the surest sign of where the quoted mail begins. */
export const REPLY_MARK = "--- reply above this line ---";

/** Lines with which mail clients begin a quotation. */
const BEGINS_QUOTE = [
  /^>/,
  /^-{2,}\s*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original)\s*-{2,}$/i,
  /^_{10,}$/,
  /^\*?(?:from|von|de|da|van)\s?:\*?\s.{0,200}@/i,
];
/** `On Monday, Otto wrote:` in any language: it ends with a colon, and the quotation follows. */
const ATTRIBUTION = /:$/;
const OPENS_ATTRIBUTION = /^(?:on|am|le|el|il|op|em|den)\s.{0,200}\d/i;
const SIGNATURE = /^--\s?$/;

/** The text of a reply above the quoted mail; empty without one. Quotations inside it are part of the answer. */
export function extractReply(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const found = lines.findIndex(
    (line) => line.includes(REPLY_MARK) || BEGINS_QUOTE.some((sign) => sign.test(line.trim())),
  );
  const own = stripAttribution(lines.slice(0, found === -1 ? lines.length : found), found !== -1);
  const signature = own.findIndex((line) => SIGNATURE.test(line));
  return (signature === -1 ? own : own.slice(0, signature)).join("\n").trim();
}

/** Drops the attribution above a quotation, which may have two lines. */
function stripAttribution(lines: readonly string[], isQuoted: boolean): readonly string[] {
  if (!isQuoted) return lines;
  const last = lines.findLastIndex((line) => line.trim() !== "");
  if (last === -1 || !ATTRIBUTION.test((lines[last] ?? "").trim())) return lines;
  for (const first of [last, last - 1, last - 2])
    if (OPENS_ATTRIBUTION.test((lines[first] ?? "").trim())) return lines.slice(0, first);
  return lines;
}
