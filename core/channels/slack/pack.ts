/**
 * A long answer as messages of Slack: split between paragraphs, items and lines of code, and within a paragraph only where
 * it is too long for one block. Code that goes on in the next block is closed and opened again.
 */
import { partsOf } from "./escape.ts";
import { type Chunk, chunksOf } from "./mrkdwn.ts";
import type { SlackJson, SlackContent } from "../../ports/slack.ts";

/** Of a section's text (https://docs.slack.dev/reference/block-kit/blocks/section-block). */
export const MAX_SECTION_CHARACTERS = 3_000;
/** Of all texts of a message together: Slack refuses what is much longer with `msg_blocks_too_long`. */
export const MAX_MESSAGE_CHARACTERS = 12_000;
/** Of Markdown that is read for one message: its marks take room that the message does not need. */
const MAX_READ_CHARACTERS = 24_000;
/** Of a message's `text`, which notifications show. */
const MAX_FALLBACK_CHARACTERS = 3_000;
const FENCE = "```";

/** A text in sections, each at most `MAX_SECTION_CHARACTERS` long and none empty. */
export function sectionsOf(markdown: string): string[] {
  const sections: string[] = [];
  let open = "";
  for (const { text, gap } of chunksOf(markdown).flatMap(fitting)) {
    const longer = open === "" ? text : `${open}${gap}${text}`;
    if (longer.length <= MAX_SECTION_CHARACTERS) {
      open = longer;
    } else {
      sections.push(open);
      open = text;
    }
  }
  return [...sections, open].map((section) => section.trimEnd()).filter((section) => section.trim() !== "");
}

/** A text as messages, the first of them at most `max`; `isWhole` false: more would have followed. */
export function messagesOf(markdown: string, max: number): { messages: SlackContent[]; isWhole: boolean } {
  const groups: string[][] = [];
  let room = 0;
  const read = markdown.slice(0, max * MAX_READ_CHARACTERS);
  for (const section of sectionsOf(read)) {
    const last = groups.at(-1);
    if (last !== undefined && section.length <= room) {
      last.push(section);
      room -= section.length;
    } else {
      groups.push([section]);
      room = MAX_MESSAGE_CHARACTERS - section.length;
    }
  }
  return { messages: groups.slice(0, max).map(saying), isWhole: groups.length <= max && read === markdown };
}

/** Sections as what a message says; they hold no mention, and nothing in them is made one. */
export function saying(sections: readonly string[]): SlackContent {
  return { text: fallbackOf(sections.join("\n")), blocks: sections.map(sectionBlock) };
}

/** `verbatim`: Slack makes no links and no mentions of bare words. */
export function sectionBlock(text: string): SlackJson {
  return { type: "section", text: { type: "mrkdwn", text, verbatim: true } };
}

/** What notifications and old clients show of a message. It may end in the middle of a link's markup, and so has none of it. */
export function fallbackOf(mrkdwn: string): string {
  const plain = mrkdwn.replace(/<([^<>|]*)(?:\|([^<>]*))?>/g, (_, address: string, text?: string) => text ?? address);
  const [first = "", ...rest] = partsOf(plain.trim(), MAX_FALLBACK_CHARACTERS - 1);
  return rest.length === 0 ? first : `${first}…`;
}

interface Piece {
  readonly text: string;
  /** What stands between it and the piece above where both are in one section. */
  readonly gap: string;
}

/** A chunk in pieces of which each fits a section. */
function fitting(chunk: Chunk): Piece[] {
  const texts = chunk.kind === "code" ? codePieces(chunk.lines) : textPieces(chunk.atoms);
  return texts.map((text, index) => ({ text, gap: index > 0 || chunk.isClose ? "\n" : "\n\n" }));
}

function textPieces(atoms: readonly string[]): string[] {
  return gathered(
    atoms.flatMap((atom) => partsOf(atom, MAX_SECTION_CHARACTERS)),
    "",
    MAX_SECTION_CHARACTERS,
  );
}

function codePieces(lines: readonly string[]): string[] {
  const room = MAX_SECTION_CHARACTERS - 2 * (FENCE.length + 1);
  const pieces = gathered(
    lines.flatMap((line) => partsOf(line, room)),
    "\n",
    room,
  );
  return pieces.map((piece) => `${FENCE}\n${piece}\n${FENCE}`);
}

/** Parts one after the other in texts of at most `max` characters. */
function gathered(parts: readonly string[], between: string, max: number): string[] {
  const texts: string[] = [];
  let open: string | null = null;
  for (const part of parts) {
    const longer: string = open === null ? part : `${open}${between}${part}`;
    if (longer.length <= max) {
      open = longer;
    } else {
      if (open !== null) texts.push(open);
      open = part;
    }
  }
  return open === null ? texts : [...texts, open];
}
