/**
 * Splits texts for storage in several rows: a row of an object is limited to 2 MB
 * (https://developers.cloudflare.com/durable-objects/platform/limits/).
 */

/** UTF-16 units of one part: at most 1.5 MB in UTF-8, three quarters of a row. */
export const PART_UNITS = 500_000;

/**
 * Splits a text into parts, in order; a text of at most `maxUnits` (2 or more) is one part. No part ends within a
 * character.
 */
export function splitText(text: string, maxUnits = PART_UNITS): string[] {
  if (text.length <= maxUnits) return [text];
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const cut = Math.min(start + maxUnits, text.length);
    // Half of a surrogate pair has no UTF-8.
    const end = cut < text.length && isHighSurrogate(text.charCodeAt(cut - 1)) ? cut - 1 : cut;
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
