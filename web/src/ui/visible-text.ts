/**
 * Characters of a text that a reader would not see: they turn its direction, take no room, or look like a plain space.
 * What a person approves must be what stands on the screen (https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing):
 * places that take plain text have them as `⟨U+202E⟩`; where elements may stand, `exact-text.tsx` shows them by their names.
 */

/** A run of a text: as it is, or one hidden character by its name. */
export interface TextPiece {
  readonly text: string;
  /** The name of the hidden character that `text` is; null for what is seen as it is. */
  readonly hidden: string | null;
}

const NAMES: Readonly<Record<string, string>> = {
  "\u00a0": "no-break space",
  "\u00ad": "soft hyphen",
  "\u061c": "Arabic letter mark",
  "\u200b": "zero-width space",
  "\u200c": "zero-width non-joiner",
  "\u200d": "zero-width joiner",
  "\u200e": "left-to-right mark",
  "\u200f": "right-to-left mark",
  "\u2028": "line separator",
  "\u2029": "paragraph separator",
  "\u202a": "left-to-right embedding",
  "\u202b": "right-to-left embedding",
  "\u202c": "end of direction",
  "\u202d": "left-to-right override",
  "\u202e": "right-to-left override",
  "\u2060": "word joiner",
  "\u2066": "left-to-right isolate",
  "\u2067": "right-to-left isolate",
  "\u2068": "first-strong isolate",
  "\u2069": "end of isolate",
  "\ufeff": "byte order mark",
};

/** All but the line break, the tab and the space: they are seen. */
const HIDDEN = String.raw`(?![\n\t ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]`;
/** Inside an emoji, a joiner and a variation selector are part of what is seen. */
const EMOJI = String.raw`\p{Extended_Pictographic}\ufe0f?(?:[\u{1f3fb}-\u{1f3ff}])?(?:\u200d\p{Extended_Pictographic}\ufe0f?(?:[\u{1f3fb}-\u{1f3ff}])?)*`;
const NOTABLE = new RegExp(`(${EMOJI})|(${HIDDEN})`, "gu");

/** `text` in pieces that are it when joined; each hidden character is a piece of its own. */
export function revealHidden(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const found of text.matchAll(NOTABLE)) {
    const hidden = found[2];
    if (hidden === undefined) continue;
    if (found.index > from) pieces.push({ text: text.slice(from, found.index), hidden: null });
    pieces.push({ text: hidden, hidden: findName(hidden) });
    from = found.index + hidden.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: null });
  return pieces;
}

/** The names of the hidden characters of a text, each once. */
export function hiddenNames(text: string): string[] {
  return [...new Set(revealHidden(text).flatMap(({ hidden }) => (hidden === null ? [] : [hidden])))];
}

function findName(character: string): string {
  const code = formatCode(character);
  const name = NAMES[character];
  return name === undefined ? code : `${code} ${name}`;
}

/** What no honest prose needs: orders to turn the direction around or to a terminal, and letters that only a model reads. */
const DECEIVING = /(?![\n\r\t])[\p{Cc}\u202D\u202E\u{E0000}-\u{E007F}]/gu;

/** Marks, modifiers and joined signs that stand upon one letter; a family of four with its skins has ten. */
const PILE = /(?:[\p{M}\p{Emoji_Modifier}\u200d]|(?<=\u200d)\p{Extended_Pictographic}){25,}/gu;

/**
 * `text` with letters that bear at most so many marks as writing knows: a browser lays a letter out with all of its marks
 * as one, in time that grows with the square of their number, and stands still for minutes at a hundred thousand.
 */
export function withoutPiles(text: string): string {
  return text.replace(PILE, (pile) => `⟨${Array.from(pile).length} marks on one letter⟩`);
}

/** For code, names and arguments: everything unseen is seen. */
export function visibleText(text: string): string {
  return revealHidden(withoutPiles(text.replaceAll("\r\n", "\n")))
    .map(({ text: piece, hidden }) => (hidden === null ? piece : named(piece)))
    .join("");
}

/** For prose, which may join letters and mark a direction: only what deceives is shown. */
export function honestProse(text: string): string {
  return withoutPiles(text).replace(DECEIVING, named);
}

/** A text for where no element can hold its direction in, such as a window's title: without what turns it. */
export function withoutTurns(text: string): string {
  return text.replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
}

function named(character: string): string {
  return `⟨${formatCode(character)}⟩`;
}

function formatCode(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** One line of at most `most` characters. */
export function oneLine(text: string, most: number): string {
  // What is cut away is not worth looking at: a text may have megabytes.
  const start = text
    .slice(0, most * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  const isCut = start.length > most || text.length > most * 4;
  return visibleText(isCut ? `${start.slice(0, most)}…` : start);
}
