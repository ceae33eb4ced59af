/**
 * One event of a chat-completions stream: the fields that Otto reads. Judged by hand, as a Worker may not compile code
 * at run time and a schema library then walks its schema at every event. See docs/decisions/0016-chat-events-by-hand.md.
 */
import type { CallPiece } from "../call-pieces.ts";
import { unreadable } from "../model-failure.ts";

/** What an event adds to one of the replies that were asked for; Otto asks for one. */
export interface ChatChoice {
  readonly content: string | null;
  /** What the model writes in place of `content` when it declines. */
  readonly refusal: string | null;
  /** The model's reasoning, if its server streams it. */
  readonly reasoning: string | null;
  readonly calls: readonly CallPiece[];
  readonly finishReason: string | null;
}

/** What an event says: null where it says nothing. After an `error` there is nothing more to read. */
export interface ChatChunk {
  readonly error: unknown;
  readonly choices: readonly ChatChoice[] | null;
  readonly usage: { readonly input: number | null; readonly output: number | null } | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads an event's data. Throws `ModelCallFailed` when it is not what the API says. */
export function parseChatChunk(data: string): ChatChunk {
  const { error = null, choices, usage } = fieldsOf(parseJson(data));
  const chunk = { error, choices: isNone(choices) ? null : listOf(choices, choiceOf), usage: usageOf(usage) };
  if (chunk.error === null && chunk.choices === null) throw unreadable();
  return chunk;
}

function choiceOf(value: unknown): ChatChoice {
  const { delta, finish_reason } = fieldsOf(value);
  const { content, refusal, tool_calls, reasoning_content, reasoning } = isNone(delta) ? NO_FIELDS : fieldsOf(delta);
  const thought = reasoning_content ?? reasoning;
  return {
    content: textOf(content),
    refusal: textOf(refusal),
    // Not part of the API: servers use either name. Other forms are ignored.
    reasoning: typeof thought === "string" ? thought : null,
    calls: isNone(tool_calls) ? NO_CALLS : listOf(tool_calls, callPieceOf),
    finishReason: textOf(finish_reason),
  };
}

function callPieceOf(value: unknown): CallPiece {
  const { index, id, function: called } = fieldsOf(value);
  const { name, arguments: args } = fieldsOf(called);
  const number = numberOf(index);
  if (number === null) throw unreadable();
  return { index: number, id: blankIsNone(textOf(id)), name: blankIsNone(textOf(name)), arguments: textOf(args) ?? "" };
}

function usageOf(value: unknown): ChatChunk["usage"] {
  if (isNone(value)) return null;
  const { prompt_tokens, completion_tokens } = fieldsOf(value);
  return { input: numberOf(prompt_tokens), output: numberOf(completion_tokens) };
}

const NO_FIELDS: Fields = {};
const NO_CALLS: readonly CallPiece[] = [];

function isNone(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unreadable();
  return value as Fields;
}

function listOf<Item>(value: unknown, itemOf: (item: unknown) => Item): Item[] {
  if (!Array.isArray(value)) throw unreadable();
  return value.map(itemOf);
}

function textOf(value: unknown): string | null {
  if (isNone(value)) return null;
  if (typeof value !== "string") throw unreadable();
  return value;
}

/** JSON can write a number that is too large for one: `1e999` is read as infinite. */
function numberOf(value: unknown): number | null {
  if (isNone(value)) return null;
  if (!Number.isFinite(value)) throw unreadable();
  return value as number;
}

function blankIsNone(text: string | null): string | null {
  return text === null || text.trim() === "" ? null : text;
}

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw unreadable();
  }
}
