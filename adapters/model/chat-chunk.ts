/** One event of a chat-completions stream: the fields that Otto reads, each of which may be absent or null. */
import { z } from "zod";
import { unreadable } from "./model-failure.ts";

const text = z.string().nullish();

const callPiece = z
  .object({
    // The provider's number of the call. Some give every call the same.
    index: z.number(),
    // The provider's own id of the call: it tells calls apart, and is not kept.
    id: text,
    function: z.object({ name: text, arguments: text }),
  })
  .transform(({ index, id, function: called }) => ({
    index,
    id: blankIsNone(id),
    name: blankIsNone(called.name),
    arguments: called.arguments ?? "",
  }));

const chatChunk = z.object({
  error: z.unknown().optional(),
  choices: z
    .array(
      z.object({
        // `refusal` is what the model writes in place of `content` when it declines.
        delta: z.object({ content: text, refusal: text, tool_calls: z.array(callPiece).nullish() }).nullish(),
        finish_reason: text,
      }),
    )
    .nullish(),
  usage: z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
});

/** A piece of a call: the first one names it, and the arguments are the sum of all. */
export type CallPiece = z.output<typeof callPiece>;

/** What an event says. After an `error`, which may be anything but null, there is nothing more to read. */
export type ChatChunk = z.output<typeof chatChunk>;

/** Reads an event's data. Throws `ModelCallFailed` when it is not what the API says. */
export function parseChatChunk(data: string): ChatChunk {
  const parsed = chatChunk.safeParse(parseJson(data));
  if (!parsed.success) throw unreadable();
  const { error, choices } = parsed.data;
  if ((error ?? null) === null && !choices) throw unreadable();
  return parsed.data;
}

function blankIsNone(value: string | null | undefined): string | null {
  return value === undefined || value === null || value.trim() === "" ? null : value;
}

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw unreadable();
  }
}
