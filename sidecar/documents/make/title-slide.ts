/** Takes the title slide of a presentation from the beginning of its text. */
import { extractText, getParts, getNodes, type Node } from "./ast.ts";
import { isNotes, isVisual } from "./slide-lines.ts";
import { MAX_SUBTITLE_CHARACTERS, SLIDE_LEVEL } from "./slides.ts";

/** `rest` are the blocks of the other slides, after the notes of the title slide. */
export interface TitleSlide {
  readonly title: readonly Node[];
  readonly subtitle: readonly Node[] | null;
  readonly rest: readonly Node[];
}

/**
 * A text's first heading is its title if the next one is deeper. A short paragraph between them is the subtitle; longer content begins a
 * slide of the same name. Null if the text has no title.
 */
export function takeTitleSlide(blocks: readonly Node[]): TitleSlide | null {
  const [first, ...others] = blocks;
  if (first?.t !== "Header") return null;
  const end = others.findIndex(({ t }) => t === "Header" || t === "HorizontalRule");
  const next = others[end];
  if (next === undefined || (next.t === "Header" && getLevel(next) <= getLevel(first))) return null;
  const title = getNodes(getParts(first)[2]);
  const opening = others.slice(0, end);
  const rest = others.slice(end);
  const content = opening.filter((block) => !isNotes(block));
  if (content.length === 0) return { title, subtitle: null, rest: [...opening, ...rest] };
  const [only] = content;
  if (content.length === 1 && only !== undefined && isSubtitle(only))
    return { title, subtitle: getNodes(only.c), rest: [...opening.filter(isNotes), ...rest] };
  const level = next.t === "Header" ? getLevel(next) : SLIDE_LEVEL;
  return {
    title,
    subtitle: null,
    rest: [{ t: first.t, c: [level, ...getParts(first).slice(1)] }, ...opening, ...rest],
  };
}

function isSubtitle(block: Node): boolean {
  return block.t === "Para" && !isVisual(block) && extractText(block.c).length <= MAX_SUBTITLE_CHARACTERS;
}

function getLevel(header: Node): number {
  const [level] = getParts(header);
  return typeof level === "number" ? level : 6;
}
