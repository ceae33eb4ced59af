/** Finds characters that a model reads but a person does not see: they reorder a text or hide words in it. */
import type { ScanFinding } from "./scan-finding.ts";

/** Latin letters have no joining marks; they end here. */
const LAST_LATIN = 0x24f;
/** The flags of England, Scotland and Wales, which use invisible tags (Unicode, Technical Standard 51). */
const TAGGED_FLAG =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu;
/** Invisible characters (Unicode, Standard Annex 44). */
const IS_IGNORED = /\p{Default_Ignorable_Code_Point}/u;

/** Returns one finding for each line with such characters. */
export function findHiddenCharacters(file: string, text: string): ScanFinding[] {
  if (!IS_IGNORED.test(text)) return [];
  const findings: ScanFinding[] = [];
  let line = 0;
  for (const content of text.split("\n")) {
    line += 1;
    const found = findHidden(content, line === 1);
    if (found.length === 0) continue;
    const names = [...new Set(found.map((point) => `U+${point.toString(16).toUpperCase().padStart(4, "0")}`))];
    const turns = found.some(turnsText);
    const what = turns ? "characters that reorder the displayed text" : "invisible characters";
    const message = `contains ${found.length === 1 ? "one of the" : `${found.length}`} ${what} (${names.slice(0, 5).join(", ")})`;
    findings.push({ file, line, field: null, kind: "hidden_characters", message });
  }
  return findings;
}

function findHidden(line: string, isFirst: boolean): number[] {
  const found: number[] = [];
  let before = 0;
  let at = 0;
  for (const character of line.replace(TAGGED_FLAG, "\u{1f3f4}")) {
    const point = character.codePointAt(0) ?? 0;
    const isMark = isFirst && at === 0 && point === 0xfeff;
    if (!isMark && isHidden(point, before)) found.push(point);
    before = point;
    at += 1;
  }
  return found;
}

/**
 * `before` is the previous character. One joiner is legitimate in emoji and joining scripts; several in a row can spell
 * a text.
 */
function isHidden(point: number, before: number): boolean {
  if (isSelector(point)) return isJoiner(before) || isSelector(before) || (before <= LAST_LATIN && !isKeycap(before));
  if (isJoiner(point)) return isJoiner(before) || (before <= LAST_LATIN && !isKeycap(before));
  return IS_IGNORED.test(String.fromCodePoint(point));
}

function isJoiner(point: number): boolean {
  return point === 0x200c || point === 0x200d;
}

/** Marks that change the text's direction (Unicode, Standard Annex 9). */
function turnsText(point: number): boolean {
  return (
    point === 0x61c ||
    point === 0x200e ||
    point === 0x200f ||
    (point >= 0x202a && point <= 0x202e) ||
    (point >= 0x2066 && point <= 0x2069)
  );
}

function isSelector(point: number): boolean {
  return point >= 0xfe00 && point <= 0xfe0f;
}

/** `#`, `*`, digits, © and ®, which a selector turns into emoji. */
function isKeycap(point: number): boolean {
  return point === 0x23 || point === 0x2a || (point >= 0x30 && point <= 0x39) || point === 0xa9 || point === 0xae;
}
