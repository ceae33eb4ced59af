/**
 * Compacts the older steps of a task by rule: messages of people stay, each call becomes a line, and the ids of all
 * results stay so that they can be read again. A model may replace the lines of calls with prose. A webhook or a mail
 * is summarised like a result, because it is not a person's message.
 */
import { cleanName } from "../gateway/model-names.ts";
import { cutBefore, EXPAND_RESULT } from "../gateway/shape.ts";
import type { Message } from "../model/messages.ts";
import { mayInstruct, PERSON } from "../provenance/label.ts";
import { readResultIds, writeResultIds } from "./result-ids.ts";

/** The most characters of the whole text. */
export const MAX_HISTORY_CHARACTERS = 12_000;
/** The most characters of a person's message. */
const MAX_WORDS = 2_000;
/** The least characters of each message when they do not all fit; then the newest messages stay. */
const MIN_WORDS = 40;
/** Characters reserved for what Otto did. */
const ROOM_FOR_DETAILS = 2_000;
const MAX_SAID = 300;
const MAX_ARGUMENTS = 150;
const MAX_RESULT = 200;

const TITLE = "[The earlier steps of this task in short.";
/** Part of the title, which no other line can equal. */
const NO_RECORDS = "None of them read memories, files or subagents' answers.";
const WORDS = "A person wrote: ";
const OUTSIDE_TEXT = "From outside: ";
const DETAILS_LEFT_OUT = "[The oldest details are left out.]";
const WORDS_LEFT_OUT = "[The oldest messages of people are left out.]";

/** A line: a person's message, or what Otto said or did. */
interface HistoryLine {
  readonly isWords: boolean;
  readonly text: string;
}

/**
 * Compacted steps. `lines` are in order; `ids` are those of every result; `notes` say what did not fit earlier.
 * `hasRecords` is false when no step read the tenant's records.
 */
export interface History {
  readonly hasRecords: boolean;
  readonly notes: readonly string[];
  readonly lines: readonly HistoryLine[];
  readonly ids: readonly string[];
}

/** The lines that fit, and whether any were dropped. */
interface Fitted {
  readonly lines: readonly HistoryLine[];
  readonly isCut: boolean;
}

/**
 * Reads the history of a text of `writeHistory` (null: none) and the messages after it. `records` are the ids of calls
 * whose results may contain the tenant's records; absent: any may.
 */
export function readHistory(
  previous: string | null,
  messages: readonly Message[],
  records?: ReadonlySet<string>,
): History {
  const before = previous === null ? EMPTY : parseHistory(previous);
  const called = messages.flatMap((message) => (message.role === "assistant" ? (message.calls ?? []) : []));
  const argumentsById = new Map(called.map((call) => [call.id, call.arguments]));
  const lines = messages.flatMap((message) => toLines(message, argumentsById));
  const ids = messages.flatMap((message) => (message.role === "tool" ? [message.callId] : []));
  const hasRecords = before.hasRecords || ids.some((id) => records?.has(id) ?? true);
  return { ...before, hasRecords, lines: [...before.lines, ...lines], ids: [...new Set([...before.ids, ...ids])] };
}

const EMPTY: History = { hasRecords: false, notes: [], lines: [], ids: [] };

/** Replaces the lines of what Otto said and did with a model's prose. */
export function replaceDetails(history: History, prose: string): History {
  const proseLines = prose.split("\n").filter((line) => line.trim() !== "");
  // Only a person's message may have their prefix.
  const details = proseLines.map((line) => ({ isWords: false, text: line.startsWith(WORDS) ? ` ${line}` : line }));
  return { ...history, lines: [...details, ...history.lines.filter(({ isWords }) => isWords)] };
}

/**
 * Writes the text that replaces the steps in the conversation. Over `maxCharacters` (at least 4,000), the oldest
 * details are dropped first; messages of people are shortened only when they alone are too long.
 */
export function writeHistory(
  { hasRecords, notes, lines, ids }: History,
  { canExpand, maxCharacters = MAX_HISTORY_CHARACTERS }: { canExpand: boolean; maxCharacters?: number },
): string {
  const records = hasRecords ? "" : ` ${NO_RECORDS}`;
  const expand = canExpand ? ` ${EXPAND_RESULT} reads any of their results again, by its id.` : "";
  const title = `${TITLE}${records}${expand}]`;
  const idLine = writeResultIds(ids);
  const end = idLine === null ? [] : [idLine];
  const room = maxCharacters - countCharacters([title, DETAILS_LEFT_OUT, WORDS_LEFT_OUT, ...end]);
  const words = fitWords(lines, room - ROOM_FOR_DETAILS);
  const details = fitDetails(words.lines, room - countCharacters(words.lines.filter(isWords).map(getText)));
  const left = new Set(notes);
  if (words.isCut) left.add(WORDS_LEFT_OUT);
  if (details.isCut) left.add(DETAILS_LEFT_OUT);
  return [title, ...left, ...details.lines.map(getText), ...end].join("\n");
}

/** Splits a text of `writeHistory` into parts in order: runs of people's messages, and runs of everything else. */
export function splitHistory(text: string): HistoryLine[] {
  const parts: HistoryLine[] = [];
  for (const line of text.split("\n")) {
    const isWords = line.startsWith(WORDS) && parseWords(line.slice(WORDS.length)) !== null;
    const last = parts.at(-1);
    if (last?.isWords === isWords) parts[parts.length - 1] = { isWords, text: `${last.text}\n${line}` };
    else parts.push({ isWords, text: line });
  }
  return parts;
}

function toLines(message: Message, argumentsOf: ReadonlyMap<string, string>): HistoryLine[] {
  switch (message.role) {
    case "system":
      return [];
    case "user": {
      if (mayInstruct(message.label ?? PERSON)) return [toWordsLine(message.content, MAX_WORDS)];
      return [{ isWords: false, text: `${OUTSIDE_TEXT}${shorten(message.content, MAX_SAID)}` }];
    }
    case "assistant": {
      const sentence = shorten(message.content, MAX_SAID);
      return sentence === "" ? [] : [{ isWords: false, text: `Otto: ${sentence}` }];
    }
    case "tool": {
      const given = shorten(argumentsOf.get(message.callId) ?? "", MAX_ARGUMENTS);
      const result = shorten(message.content, MAX_RESULT);
      const name = cleanName(message.name);
      return [{ isWords: false, text: `- ${name}(${given}) gave: ${result} [${message.callId}]` }];
    }
  }
}

/** True for a text of `writeHistory`. */
export function isHistory(text: string): boolean {
  return text.startsWith(TITLE);
}

/** False for a text of `writeHistory` about steps that read none of the tenant's records. */
export function mayHaveRecords(history: string): boolean {
  return !history.startsWith(`${TITLE} ${NO_RECORDS}`);
}

/** Parses a text of `writeHistory`. A person's message is JSON on one line, so nothing else can end it. */
function parseHistory(text: string): History {
  const all = text.split("\n");
  const ids = readResultIds(all.at(-1) ?? "");
  const notes = all.slice(1, 3).filter((line) => line === DETAILS_LEFT_OUT || line === WORDS_LEFT_OUT);
  const body = all.slice(1 + notes.length, ids.length > 0 ? -1 : undefined);
  const lines = body.map((line) => {
    const words = line.startsWith(WORDS) ? parseWords(line.slice(WORDS.length)) : null;
    return words === null ? { isWords: false, text: line } : toWordsLine(words, MAX_WORDS);
  });
  return { hasRecords: mayHaveRecords(text), notes, lines, ids };
}

function parseWords(text: string): string | null {
  try {
    const words: unknown = JSON.parse(text);
    return typeof words === "string" ? words : null;
  } catch {
    return null;
  }
}

function toWordsLine(words: string, most: number): HistoryLine {
  const cutWords = words.length <= most ? words : `${cutBefore(words, most - 1)}…`;
  return { isWords: true, text: `${WORDS}${JSON.stringify(cutWords)}` };
}

/** Shortens people's messages equally until they fit; the newest stay. Other lines stay too. */
function fitWords(lines: readonly HistoryLine[], room: number): Fitted {
  const cutTo = (most: number) =>
    lines.map((line) => (line.isWords ? toWordsLine(parseWords(line.text.slice(WORDS.length)) ?? "", most) : line));
  const used = (all: readonly HistoryLine[]) => countCharacters(all.filter(isWords).map(getText));
  let most = MAX_WORDS;
  let fitted = cutTo(most);
  while (most > MIN_WORDS && used(fitted) > room) {
    most = Math.max(MIN_WORDS, Math.floor(most * 0.8));
    fitted = cutTo(most);
  }
  let tooMuch = used(fitted) - room;
  const remaining = fitted.filter((line) => {
    if (!line.isWords || tooMuch <= 0) return true;
    tooMuch -= line.text.length + 1;
    return false;
  });
  return { lines: remaining, isCut: remaining.length < fitted.length };
}

/**
 * Returns the newest details that fit, with people's messages between them, and the start of the first that does not
 * fit.
 */
function fitDetails(lines: readonly HistoryLine[], room: number): Fitted {
  const fitting: HistoryLine[] = [];
  let left = room;
  let isCut = false;
  for (const line of lines.toReversed()) {
    if (line.isWords) fitting.push(line);
    if (line.isWords || isCut) continue;
    isCut = line.text.length + 1 > left;
    const text = isCut ? `${cutBefore(line.text, Math.max(0, left - 2))}…` : line.text;
    left -= text.length + 1;
    if (text !== "…") fitting.push({ isWords: false, text });
  }
  return { lines: fitting.toReversed(), isCut };
}

function isWords(line: HistoryLine): boolean {
  return line.isWords;
}

function getText({ text }: HistoryLine): string {
  return text;
}

/** Counts the characters of lines with their line breaks. */
function countCharacters(lines: readonly string[]): number {
  return lines.reduce((total, line) => total + line.length + 1, 0);
}

/** Shortens a text to one line. */
function shorten(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= most ? line : `${cutBefore(line, most - 1)}…`;
}
