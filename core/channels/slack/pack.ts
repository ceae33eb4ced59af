/**
 * Splits a long answer into Slack messages: between paragraphs, items and lines of code, and inside a paragraph only
 * when it is too long for a block. Code is closed at the end of a block and reopened in the next.
 */
import { type Chunk, toChunks } from "./mrkdwn.ts";
import type { SlackJson, SlackContent } from "../../ports/slack.ts";
import { splitEscaped } from "./escape.ts";

/** Limit of a section's text (https://docs.slack.dev/reference/block-kit/blocks/section-block). */
export const MAX_SECTION_CHARACTERS = 3_000;
/** Limit of all texts of a message: Slack rejects much longer ones with `msg_blocks_too_long`. */
export const MAX_MESSAGE_CHARACTERS = 12_000;
/** Markdown to read for one message; its marks need extra room. */
const MAX_READ_CHARACTERS = 24_000;
/** Limit of a message's `text`, which notifications show. */
const MAX_FALLBACK_CHARACTERS = 3_000;
const FENCE = "```";

/** Converts a text to non-empty sections of at most `MAX_SECTION_CHARACTERS`. */
export function toSections(markdown: string): string[] {
  const sections: string[] = [];
  let open = "";
  for (const { text, gap } of toChunks(markdown).flatMap(splitToFit)) {
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

/** Converts a text to at most `max` messages. `isWhole` is false when more would follow. */
export function toMessages(markdown: string, max: number): { messages: SlackContent[]; isWhole: boolean } {
  const groups: string[][] = [];
  let room = 0;
  const read = markdown.slice(0, max * MAX_READ_CHARACTERS);
  for (const section of toSections(read)) {
    const last = groups.at(-1);
    if (last !== undefined && section.length <= room) {
      last.push(section);
      room -= section.length;
    } else {
      groups.push([section]);
      room = MAX_MESSAGE_CHARACTERS - section.length;
    }
  }
  return { messages: groups.slice(0, max).map(toSlackMessage), isWhole: groups.length <= max && read === markdown };
}

/** Turns sections into a message. They contain no mentions. */
export function toSlackMessage(sections: readonly string[]): SlackContent {
  return { text: toFallback(sections.join("\n")), blocks: sections.map(toSectionBlock) };
}

/** With `verbatim`, Slack makes no links and no mentions from bare words. */
export function toSectionBlock(text: string): SlackJson {
  return { type: "section", text: { type: "mrkdwn", text, verbatim: true } };
}

/** The text for notifications and old clients. It may be cut inside a link, so it contains no markup. */
export function toFallback(mrkdwn: string): string {
  const plain = mrkdwn.replace(/<([^<>|]*)(?:\|([^<>]*))?>/g, (_, address: string, text?: string) => text ?? address);
  const [first = "", ...rest] = splitEscaped(plain.trim(), MAX_FALLBACK_CHARACTERS - 1);
  return rest.length === 0 ? first : `${first}…`;
}

interface Piece {
  readonly text: string;
  /** The separator from the piece above in the same section. */
  readonly gap: string;
}

/** Splits a chunk into pieces that each fit a section. */
function splitToFit(chunk: Chunk): Piece[] {
  const texts = chunk.kind === "code" ? splitCode(chunk.lines) : splitText(chunk.atoms);
  return texts.map((text, index) => ({ text, gap: index > 0 || chunk.isClose ? "\n" : "\n\n" }));
}

function splitText(atoms: readonly string[]): string[] {
  return joinUpTo(
    atoms.flatMap((atom) => splitEscaped(atom, MAX_SECTION_CHARACTERS)),
    "",
    MAX_SECTION_CHARACTERS,
  );
}

function splitCode(lines: readonly string[]): string[] {
  const room = MAX_SECTION_CHARACTERS - 2 * (FENCE.length + 1);
  const pieces = joinUpTo(
    lines.flatMap((line) => splitEscaped(line, room)),
    "\n",
    room,
  );
  return pieces.map((piece) => `${FENCE}\n${piece}\n${FENCE}`);
}

/** Joins parts into texts of at most `max` characters. */
function joinUpTo(parts: readonly string[], between: string, max: number): string[] {
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
