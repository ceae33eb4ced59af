/**
 * The fields of a chat-completions event that Otto reads. Validated by hand: a Worker must not compile code at run
 * time, so a schema library would interpret its schema for every event. See docs/decisions/0016-chat-events-by-hand.md.
 */
import type { CallPiece } from "../call-pieces.ts";
import { createUnreadableFailure } from "../model-failure.ts";

/** What an event adds to one of the requested replies; Otto requests one. */
export interface ChatChoice {
  readonly content: string | null;
  /** The model's text instead of `content` when it declines. */
  readonly refusal: string | null;
  /** The model's reasoning, if its server streams it. */
  readonly reasoning: string | null;
  readonly calls: readonly CallPiece[];
  readonly finishReason: string | null;
}

/** The fields of an event; null if absent. Nothing follows an `error`. */
export interface ChatChunk {
  readonly error: unknown;
  readonly choices: readonly ChatChoice[] | null;
  readonly usage: { readonly input: number | null; readonly output: number | null } | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Parses an event's data. Throws `ModelCallFailed` if it violates the API. */
export function parseChatChunk(data: string): ChatChunk {
  const { error = null, choices, usage } = readFields(parseJson(data));
  const chunk = { error, choices: isNone(choices) ? null : readList(choices, readChoice), usage: readUsage(usage) };
  if (chunk.error === null && chunk.choices === null) throw createUnreadableFailure();
  return chunk;
}

function readChoice(value: unknown): ChatChoice {
  const { delta, finish_reason } = readFields(value);
  const { content, refusal, tool_calls, reasoning_content, reasoning } = isNone(delta) ? NO_FIELDS : readFields(delta);
  const thought = reasoning_content ?? reasoning;
  return {
    content: readText(content),
    refusal: readText(refusal),
    // Not part of the API: servers use either name. Other forms are ignored.
    reasoning: typeof thought === "string" ? thought : null,
    calls: isNone(tool_calls) ? NO_CALLS : readList(tool_calls, readCallPiece),
    finishReason: readText(finish_reason),
  };
}

function readCallPiece(value: unknown): CallPiece {
  const { index, id, function: called } = readFields(value);
  const { name, arguments: args } = readFields(called);
  const number = readNumber(index);
  if (number === null) throw createUnreadableFailure();
  return {
    index: number,
    id: blankToNull(readText(id)),
    name: blankToNull(readText(name)),
    arguments: readText(args) ?? "",
  };
}

function readUsage(value: unknown): ChatChunk["usage"] {
  if (isNone(value)) return null;
  const { prompt_tokens, completion_tokens } = readFields(value);
  return { input: readNumber(prompt_tokens), output: readNumber(completion_tokens) };
}

const NO_FIELDS: Fields = {};
const NO_CALLS: readonly CallPiece[] = [];

function isNone(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function readFields(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw createUnreadableFailure();
  return value as Fields;
}

function readList<Item>(value: unknown, itemOf: (item: unknown) => Item): Item[] {
  if (!Array.isArray(value)) throw createUnreadableFailure();
  return value.map(itemOf);
}

function readText(value: unknown): string | null {
  if (isNone(value)) return null;
  if (typeof value !== "string") throw createUnreadableFailure();
  return value;
}

/** JSON can contain a number beyond the range: `1e999` becomes infinite. */
function readNumber(value: unknown): number | null {
  if (isNone(value)) return null;
  if (!Number.isFinite(value)) throw createUnreadableFailure();
  return value as number;
}

function blankToNull(text: string | null): string | null {
  return text === null || text.trim() === "" ? null : text;
}

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw createUnreadableFailure();
  }
}
