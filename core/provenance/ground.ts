/**
 * Finds the origin of a value in the conversation: who named it, where it was read, and whether the model wrote it first.
 * The texts come sorted by their source (`core/steps/read-ground.ts`).
 */
import {
  findValue,
  hasHeader,
  hasLink,
  hasRelativeLink,
  mayHaveLink,
  namesHost,
  namesTool,
  SearchedText,
} from "./find-text.ts";
import { countPlaces, foldText, SharedRuns } from "./shared-runs.ts";

/** A run of this many characters from a tenant's record is taken for a copy of it. */
const MIN_COPIED_CHARACTERS = 16;

/** Where a text of the conversation is from. */
export interface TextSource {
  /** Its place in the conversation. */
  readonly at: number;
  /** Its source in words: the name of a tool, or "the task's input". */
  readonly from: string;
  /** The page that was read; null: it is no page. */
  readonly page: URL | null;
  /** The MCP server, or the host of a tenant's tool, that returned it; null for other sources. */
  readonly source: string | null;
}

/** A text of the conversation, with where it is from. */
export class GroundText extends SearchedText {
  readonly about: TextSource;

  constructor(text: string, about: TextSource) {
    super(text);
    this.about = about;
  }
}

/** The texts of a conversation, by what they may vouch for. A text that is a record too vouches for no value and no copy. */
export interface Ground {
  /** Texts that may instruct: of the operator, the principal and people, and what an agent that read no others asked of a subtask. */
  readonly trusted: readonly GroundText[];
  /** Texts that the agent wrote, or a tool gave, while only texts that may instruct had been read. Some are records too. */
  readonly chosen: readonly GroundText[];
  /** Texts that may have the tenant's own records in them: memories, files, and what was made of them. */
  readonly records: readonly GroundText[];
  /** Texts that the model read and did not write. */
  readonly read: readonly GroundText[];
  /** Texts that the model wrote after it had read a text that may not instruct. */
  readonly written: readonly GroundText[];
}

/**
 * Whether a person or the operator named the URL's host, or the agent wrote a link of it when only such texts had been read:
 * a file name that it chose names no host.
 */
export function isNamedHost(url: URL, { trusted, chosen }: Ground): boolean {
  return trusted.some((text) => namesHost(text, url)) || chosen.some((text) => namesHost(text, url, { asLink: true }));
}

/**
 * Whether the whole URL was in a text before the model wrote it: a person's, or one that it read. A text that only repeats
 * what the model wrote does not count.
 */
export function isKnownLink(url: URL, ground: Ground): boolean {
  if (ground.trusted.some((text) => hasLink(text, url))) return true;
  const first = ground.read.find(
    (text) => hasLink(text, url) || (text.about.page !== null && hasRelativeLink(text, text.about.page, url)),
  );
  if (first === undefined) return false;
  return !ground.written.some((text) => text.about.at < first.about.at && mayHaveLink(text, url));
}

/** Whether a person or the operator named the tool, or the server that it is of; null: it is of none. */
export function isNamedTool(tool: string, server: string | null, { trusted }: Ground): boolean {
  return trusted.some((text) => namesTool(text, tool) || (server !== null && namesTool(text, server)));
}

/**
 * How many bits choosing this value can tell: it is one of the texts that a person or the operator wrote, or that the same
 * source said before (`source` null: no source did). Null: it is in none of them, so that it can tell anything.
 */
export function countValueChoice(value: string, source: string | null, ground: Ground): number | null {
  const said = source === null ? [] : ground.read.filter(({ about }) => about.source === source);
  const stated = withoutRecords(ground.trusted, ground);
  const counts = [countPlacing(value, stated), countPlacing(value, said)].filter((bits) => bits !== null);
  // Of the two groups of texts, one was chosen.
  return counts.length === 0 ? null : Math.min(...counts) + 1;
}

/** Bits of a value's place in these texts, of its words and of its case; null: it is in none of them. */
function countPlacing(value: string, texts: readonly GroundText[]): number | null {
  let least: number | null = null;
  for (const text of texts) {
    const found = findValue(text, value);
    if (found === null) continue;
    const words = countNumberBits(countPlaces(value) - 1);
    const bits = Math.log2(texts.length * text.places) + words + (found === "exact" ? 0 : countCaseBits(value));
    least = Math.min(least ?? bits, bits);
  }
  return least;
}

/** All in small or all in capital letters is one choice; a mixture is one for each letter. */
function countCaseBits(value: string): number {
  return value === value.toLowerCase() || value === value.toUpperCase() ? 2 : 2 * value.length;
}

/** Bits of a number from 0 on in a code for all of them (Elias gamma): 1 for 0, 3 for 1 and 2, 13 for 100. */
export function countNumberBits(number: number): number {
  return 2 * Math.floor(Math.log2(number + 1)) + 1;
}

/** How many bits choosing this header can tell, which a person or the operator stated; null: none of them did. */
export function countHeaderChoice(name: string, value: string, ground: Ground): number | null {
  const trusted = withoutRecords(ground.trusted, ground);
  const stating = trusted.filter((text) => hasHeader(text, name, value));
  if (stating.length === 0) return null;
  return Math.min(...stating.map(({ places }) => Math.log2(trusted.length * places)));
}

function withoutRecords(texts: readonly GroundText[], { records }: Ground): readonly GroundText[] {
  if (records.length === 0) return texts;
  const isRecord = new Set(records);
  return texts.filter((text) => !isRecord.has(text));
}

/**
 * The tenant's record that a text has a copied run of; null: none. A run that is in a text from elsewhere too, or that the
 * agent had written before the record was read, is no copy.
 */
export function findCopiedRecord(given: string, ground: Ground): GroundText | null {
  const { records, trusted, chosen, written, read } = ground;
  if (records.length === 0) return null;
  const shared = new SharedRuns(new SearchedText(decodeText(given)), MIN_COPIED_CHARACTERS);
  const own = withoutRecords([...chosen, ...written], ground);
  const elsewhere = withoutRecords([...trusted, ...read], ground);
  for (const record of records) {
    const runs = new Set(shared.findIn(record));
    for (const text of [...elsewhere, ...own.filter(({ about }) => about.at < record.about.at)]) {
      if (runs.size === 0) break;
      for (const run of shared.findIn(text)) runs.delete(run);
    }
    if (runs.size > 0) return record;
  }
  return null;
}

/**
 * Finds the first text that was read with this in it, and the line, for the person who decides. Null: the model
 * composed it.
 */
export function findOrigin(
  wanted: string,
  { read, records }: Ground,
): { readonly from: string; readonly line: number; readonly excerpt: string } | null {
  const folded = foldText(wanted.trim());
  if (folded === "") return null;
  for (const { text, lower, about } of [...read, ...records]) {
    const at = lower.indexOf(folded);
    if (at === -1) continue;
    return { from: about.from, line: text.slice(0, at).split("\n").length, excerpt: excerptAt(text, at) };
  }
  return null;
}

/** Characters of an excerpt on either side of its place. */
const EXCERPT_BEFORE = 40;
const EXCERPT_AFTER = 80;

function excerptAt(text: string, at: number): string {
  const start = Math.max(text.lastIndexOf("\n", at) + 1, at - EXCERPT_BEFORE);
  const [line = ""] = text.slice(start, at + EXCERPT_AFTER).split("\n", 1);
  return toShownText(line);
}

/** Without control and formatting characters, which could disguise the text on a card. */
export function toShownText(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, " ").trim();
}

/** Rounds of percent-decoding. */
const MAX_DECODINGS = 3;

/** Decodes percent-encodings, nested ones too. Bytes that are not UTF-8 stay encoded; the text around them is decoded. */
export function decodeText(text: string): string {
  let decoded = text;
  for (let round = 0; round < MAX_DECODINGS && ENCODED.test(decoded); round += 1)
    decoded = decoded.replace(ENCODED_RUNS, decodeRun);
  return decoded;
}

const ENCODED = /%[0-9a-f]{2}/i;
const ENCODED_RUNS = /(?:%[0-9a-f]{2})+/gi;

function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent);
  }
}
