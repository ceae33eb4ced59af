/**
 * The older steps of a task in short, by rule: what people wrote stays, each call leaves a line, and every result's id
 * stays so that it can be read again. A model may tell the calls in prose; the rest is the same. What a hook or a mail
 * brought is summarised like a result: it is no person's word.
 */
import { cleanName } from "../gateway/model-names.ts";
import { cutBefore, EXPAND_RESULT } from "../gateway/shape.ts";
import type { Message } from "../model/messages.ts";
import { mayInstruct, PERSON } from "../provenance/label.ts";
import { readResultIds, writeResultIds } from "./result-ids.ts";

/** Characters of the whole text. */
export const MAX_HISTORY_CHARACTERS = 12_000;
/** Of what a person wrote; more is cut off. */
const MAX_WORDS = 2_000;
/** When people wrote more than the text holds, each message keeps at least this much, and the newest messages stay. */
const MIN_WORDS = 40;
/** Kept for what Otto did, however much people wrote. */
const ROOM_FOR_DETAILS = 2_000;
const MAX_SAID = 300;
const MAX_ARGUMENTS = 150;
const MAX_RESULT = 200;

const TITLE = "[The earlier steps of this task in short.";
/** In the title, which no line of the text can be. */
const NO_RECORDS = "None of them read memories, files or subagents' answers.";
const WORDS = "A person wrote: ";
const OUTSIDE_TEXT = "From outside: ";
const DETAILS_LEFT_OUT = "[The oldest details are left out.]";
const WORDS_LEFT_OUT = "[The oldest messages of people are left out.]";

/** A line: what a person wrote, as it was; or what Otto said or did. */
interface HistoryLine {
  readonly isWords: boolean;
  readonly text: string;
}

/**
 * Steps in short. `lines` are in order; `ids` are those of every result; `notes` say what did not fit before. `hasRecords`
 * is false when no step read the tenant's records, so that the text has none of them.
 */
export interface History {
  readonly hasRecords: boolean;
  readonly notes: readonly string[];
  readonly lines: readonly HistoryLine[];
  readonly ids: readonly string[];
}

/** What fits of some lines, and whether any had to go. */
interface Fitted {
  readonly lines: readonly HistoryLine[];
  readonly isCut: boolean;
}

/**
 * The history that a text of `writeHistory` (null: none) and the messages after it make together. `records` are the ids of
 * calls whose results may have the tenant's records; absent: any may.
 */
export function readHistory(
  previous: string | null,
  messages: readonly Message[],
  records?: ReadonlySet<string>,
): History {
  const before = previous === null ? EMPTY : parseHistory(previous);
  const called = messages.flatMap((message) => (message.role === "assistant" ? (message.calls ?? []) : []));
  const argumentsOf = new Map(called.map((call) => [call.id, call.arguments]));
  const lines = messages.flatMap((message) => linesOf(message, argumentsOf));
  const ids = messages.flatMap((message) => (message.role === "tool" ? [message.callId] : []));
  const hasRecords = before.hasRecords || ids.some((id) => records?.has(id) ?? true);
  return { ...before, hasRecords, lines: [...before.lines, ...lines], ids: [...new Set([...before.ids, ...ids])] };
}

const EMPTY: History = { hasRecords: false, notes: [], lines: [], ids: [] };

/** The history with a model's prose in the place of what Otto said and did. */
export function retell(history: History, prose: string): History {
  const told = prose.split("\n").filter((line) => line.trim() !== "");
  // Only what a person wrote may look like it.
  const details = told.map((line) => ({ isWords: false, text: line.startsWith(WORDS) ? ` ${line}` : line }));
  return { ...history, lines: [...details, ...history.lines.filter(({ isWords }) => isWords)] };
}

/**
 * The text that stands in the conversation for the steps. Over `maxCharacters` (at least 4,000), the oldest details go
 * first; what people wrote is shortened only when it alone is too much.
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
  const room = maxCharacters - lengthOf([title, DETAILS_LEFT_OUT, WORDS_LEFT_OUT, ...end]);
  const words = fitWords(lines, room - ROOM_FOR_DETAILS);
  const details = fitDetails(words.lines, room - lengthOf(words.lines.filter(isWords).map(textOf)));
  const left = new Set(notes);
  if (words.isCut) left.add(WORDS_LEFT_OUT);
  if (details.isCut) left.add(DETAILS_LEFT_OUT);
  return [title, ...left, ...details.lines.map(textOf), ...end].join("\n");
}

/** A text of `writeHistory` as its parts in order: runs of what people wrote, and runs of everything else. */
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

function linesOf(message: Message, argumentsOf: ReadonlyMap<string, string>): HistoryLine[] {
  switch (message.role) {
    case "system":
      return [];
    case "user": {
      if (mayInstruct(message.label ?? PERSON)) return [wordsLine(message.content, MAX_WORDS)];
      return [{ isWords: false, text: `${OUTSIDE_TEXT}${short(message.content, MAX_SAID)}` }];
    }
    case "assistant": {
      const said = short(message.content, MAX_SAID);
      return said === "" ? [] : [{ isWords: false, text: `Otto: ${said}` }];
    }
    case "tool": {
      const given = short(argumentsOf.get(message.callId) ?? "", MAX_ARGUMENTS);
      const result = short(message.content, MAX_RESULT);
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

/** A text of `writeHistory`, taken apart. What a person wrote stands as JSON on one line, so nothing else can end it. */
function parseHistory(text: string): History {
  const all = text.split("\n");
  const ids = readResultIds(all.at(-1) ?? "");
  const notes = all.slice(1, 3).filter((line) => line === DETAILS_LEFT_OUT || line === WORDS_LEFT_OUT);
  const body = all.slice(1 + notes.length, ids.length > 0 ? -1 : undefined);
  const lines = body.map((line) => {
    const words = line.startsWith(WORDS) ? parseWords(line.slice(WORDS.length)) : null;
    return words === null ? { isWords: false, text: line } : wordsLine(words, MAX_WORDS);
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

function wordsLine(words: string, most: number): HistoryLine {
  const shown = words.length <= most ? words : `${cutBefore(words, most - 1)}…`;
  return { isWords: true, text: `${WORDS}${JSON.stringify(shown)}` };
}

/** What people wrote, each message as whole as the room allows for all of them; the newest stay. Other lines stay too. */
function fitWords(lines: readonly HistoryLine[], room: number): Fitted {
  const cutTo = (most: number) =>
    lines.map((line) => (line.isWords ? wordsLine(parseWords(line.text.slice(WORDS.length)) ?? "", most) : line));
  const used = (all: readonly HistoryLine[]) => lengthOf(all.filter(isWords).map(textOf));
  let most = MAX_WORDS;
  let fitted = cutTo(most);
  while (most > MIN_WORDS && used(fitted) > room) {
    most = Math.max(MIN_WORDS, Math.floor(most * 0.8));
    fitted = cutTo(most);
  }
  let tooMuch = used(fitted) - room;
  const kept = fitted.filter((line) => {
    if (!line.isWords || tooMuch <= 0) return true;
    tooMuch -= line.text.length + 1;
    return false;
  });
  return { lines: kept, isCut: kept.length < fitted.length };
}

/** The newest details that fit, with what people wrote between them; of the first that does not, its beginning. */
function fitDetails(lines: readonly HistoryLine[], room: number): Fitted {
  const kept: HistoryLine[] = [];
  let left = room;
  let isCut = false;
  for (const line of lines.toReversed()) {
    if (line.isWords) kept.push(line);
    if (line.isWords || isCut) continue;
    isCut = line.text.length + 1 > left;
    const text = isCut ? `${cutBefore(line.text, Math.max(0, left - 2))}…` : line.text;
    left -= text.length + 1;
    if (text !== "…") kept.push({ isWords: false, text });
  }
  return { lines: kept.toReversed(), isCut };
}

function isWords(line: HistoryLine): boolean {
  return line.isWords;
}

function textOf({ text }: HistoryLine): string {
  return text;
}

/** The characters of lines with their line breaks. */
function lengthOf(lines: readonly string[]): number {
  return lines.reduce((total, line) => total + line.length + 1, 0);
}

/** A text on one line, cut at its length. */
function short(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= most ? line : `${cutBefore(line, most - 1)}…`;
}
