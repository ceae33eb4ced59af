/**
 * Finds the origin of a value in the conversation: who named it, where it was read, and whether the model wrote it
 * first. `core/steps/read-ground.ts` sorts the texts by source.
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

/** A run of this many characters from a tenant's record counts as a copy. */
const MIN_COPIED_CHARACTERS = 16;

/** The source of a text of the conversation. */
export interface TextSource {
  /** Its position in the conversation. */
  readonly at: number;
  /** Its source in words: the name of a tool, or "the task's input". */
  readonly from: string;
  /** The page that was read; null for other sources. */
  readonly page: URL | null;
  /** The MCP server, or the host of a tenant's tool, that returned it; null for other sources. */
  readonly source: string | null;
}

/** A text of the conversation, with its source. */
export class GroundText extends SearchedText {
  readonly about: TextSource;

  constructor(text: string, about: TextSource) {
    super(text);
    this.about = about;
  }
}

/**
 * The texts of a conversation, by what they may vouch for. A text that is also a record vouches for no value and no
 * copy.
 */
export interface Ground {
  /**
   * Texts that may instruct: of the operator, the principal and people, and the input that an uninfluenced agent gave a
   * subtask.
   */
  readonly trusted: readonly GroundText[];
  /**
   * Texts that the agent wrote, or a tool returned, while only texts that may instruct had been read. Some are also
   * records.
   */
  readonly chosen: readonly GroundText[];
  /** Texts that may contain the tenant's own records: memories, files, and texts made from them. */
  readonly records: readonly GroundText[];
  /** Texts that the model read and did not write. */
  readonly read: readonly GroundText[];
  /** Texts that the model wrote after it had read a text that may not instruct. */
  readonly written: readonly GroundText[];
}

/**
 * Whether a person or the operator named the URL's host, or the agent wrote a link to it when it had read only such
 * texts. A file name that the agent chose names no host.
 */
export function isNamedHost(url: URL, { trusted, chosen }: Ground): boolean {
  return trusted.some((text) => namesHost(text, url)) || chosen.some((text) => namesHost(text, url, { asLink: true }));
}

/**
 * Whether the whole URL was in a text before the model wrote it: a person's text, or one that the model read. A text
 * that only repeats the model's does not count.
 */
export function isKnownLink(url: URL, ground: Ground): boolean {
  if (ground.trusted.some((text) => hasLink(text, url))) return true;
  const first = ground.read.find(
    (text) => hasLink(text, url) || (text.about.page !== null && hasRelativeLink(text, text.about.page, url)),
  );
  if (first === undefined) return false;
  return !ground.written.some((text) => text.about.at < first.about.at && mayHaveLink(text, url));
}

/** Whether a person or the operator named the tool or its server (null without one). */
export function isNamedTool(tool: string, server: string | null, { trusted }: Ground): boolean {
  return trusted.some((text) => namesTool(text, tool) || (server !== null && namesTool(text, server)));
}

/**
 * Counts the bits that the choice of this value can carry, if a person or the operator wrote it, or the same source
 * returned it before (`source` null: none). Null if no such text has it, so that it can carry anything.
 */
export function countValueChoice(value: string, source: string | null, ground: Ground): number | null {
  const fromSource = source === null ? [] : ground.read.filter(({ about }) => about.source === source);
  const stated = excludeRecords(ground.trusted, ground);
  const counts = [countPlacing(value, stated), countPlacing(value, fromSource)].filter((bits) => bits !== null);
  // One bit for the choice between the two groups of texts.
  return counts.length === 0 ? null : Math.min(...counts) + 1;
}

/** Counts the bits of a value's position in these texts, of its words and of its case; null if no text has it. */
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

/** Uniform case is one choice; mixed case is one for each letter. */
function countCaseBits(value: string): number {
  return value === value.toLowerCase() || value === value.toUpperCase() ? 2 : 2 * value.length;
}

/** Counts the bits of a number from 0 on in Elias gamma code: 1 for 0, 3 for 1 and 2, 13 for 100. */
export function countNumberBits(number: number): number {
  return 2 * Math.floor(Math.log2(number + 1)) + 1;
}

/**
 * Counts the bits that the choice of a stated header can carry; null if neither a person nor the operator stated it.
 */
export function countHeaderChoice(name: string, value: string, ground: Ground): number | null {
  const trusted = excludeRecords(ground.trusted, ground);
  const stating = trusted.filter((text) => hasHeader(text, name, value));
  if (stating.length === 0) return null;
  return Math.min(...stating.map(({ places }) => Math.log2(trusted.length * places)));
}

function excludeRecords(texts: readonly GroundText[], { records }: Ground): readonly GroundText[] {
  if (records.length === 0) return texts;
  const isRecord = new Set(records);
  return texts.filter((text) => !isRecord.has(text));
}

/**
 * Returns the tenant's record of which a text has a copied run; null if none. A run that another text also has, or that
 * the agent wrote before it read the record, is not a copy.
 */
export function findCopiedRecord(given: string, ground: Ground): GroundText | null {
  const { records, trusted, chosen, written, read } = ground;
  if (records.length === 0) return null;
  const shared = new SharedRuns(new SearchedText(decodeText(given)), MIN_COPIED_CHARACTERS);
  const own = excludeRecords([...chosen, ...written], ground);
  const elsewhere = excludeRecords([...trusted, ...read], ground);
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

/** Finds the first text that contains this, and the line, for the person who decides. Null if the model composed it. */
export function findOrigin(
  wanted: string,
  { read, records }: Ground,
): { readonly from: string; readonly line: number; readonly excerpt: string } | null {
  const folded = foldText(wanted.trim());
  if (folded === "") return null;
  for (const { text, lower, about } of [...read, ...records]) {
    const at = lower.indexOf(folded);
    if (at === -1) continue;
    return { from: about.from, line: text.slice(0, at).split("\n").length, excerpt: getExcerpt(text, at) };
  }
  return null;
}

/** Characters of an excerpt before and after its position. */
const EXCERPT_BEFORE = 40;
const EXCERPT_AFTER = 80;

function getExcerpt(text: string, at: number): string {
  const start = Math.max(text.lastIndexOf("\n", at) + 1, at - EXCERPT_BEFORE);
  const [line = ""] = text.slice(start, at + EXCERPT_AFTER).split("\n", 1);
  return cleanText(line);
}

/** Removes control and formatting characters, which could disguise the text on a card. */
export function cleanText(text: string): string {
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
