/** Converts the bytes of a chat-completions stream to a reply. It waits for nothing and owns no stream. */
import { createParser, type EventSourceParser } from "eventsource-parser";
import type { ModelChunk, ModelFailure, ModelRequest } from "../../../core/ports/model.ts";
import { type CallPiece, CallPieces } from "../call-pieces.ts";
import { parseChatChunk } from "./chat-chunk.ts";
import { MAX_LINE_BYTES, createTooLargeFailure } from "../guarded-fetch.ts";
import { fromErrorEvent, ModelCallFailed } from "../model-failure.ts";
import { type Reply, type ReplyEnd, TOO_LONG_FAULT, toUsage } from "../reply.ts";

/** The last event. The end of the stream has the same meaning. */
const LAST_EVENT = "[DONE]";

/** The content of some bytes: pieces of text, and the failure that ended the reply. */
export interface ChatPieces {
  readonly texts: readonly string[];
  readonly failure: ModelFailure | null;
}

/** Reads one reply. The key is scrubbed from the provider's text. */
export class ChatReader {
  readonly #apiKey: string;
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  readonly #reply: Reply;
  readonly #calls = new CallPieces();
  #texts: string[] = [];
  #finishReason: string | null = null;
  #refused = false;

  constructor(apiKey: string, reply: Reply) {
    this.#apiKey = apiKey;
    this.#reply = reply;
    this.#parser = createParser({
      onEvent: ({ data }) => this.#takeEvent(data),
      // An event may have many lines, each within the limit of one.
      maxBufferSize: MAX_LINE_BYTES,
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") throw createTooLargeFailure();
      },
    });
  }

  /** Adds the next bytes, cut anywhere. After a failure nothing follows. */
  take(bytes: Uint8Array): ChatPieces {
    this.#texts = [];
    let failure: ModelFailure | null = null;
    try {
      this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    } catch (thrown) {
      if (!(thrown instanceof ModelCallFailed)) throw thrown;
      failure = thrown.failure;
    }
    return { texts: this.#texts, failure };
  }

  /** Returns the last chunk of an ended stream. */
  conclude(request: ModelRequest): ModelChunk {
    this.#reply.end = toReplyEnd(this.#finishReason, this.#refused);
    return this.#reply.conclude(this.#calls.listCalls(), request);
  }

  #takeEvent(data: string): void {
    if (data === LAST_EVENT || this.#reply.isFull) return;
    const { error, choices, usage } = parseChatChunk(data);
    if (error !== null) throw new ModelCallFailed(fromErrorEvent(error, this.#apiKey));
    if (usage !== null) this.#reply.usage = toUsage(usage.input ?? 0, usage.output ?? 0);
    const choice = choices?.[0];
    if (choice === undefined) return;
    this.#finishReason = choice.finishReason ?? this.#finishReason;
    this.#takeText(choice.content);
    this.#takeText(choice.refusal);
    if (choice.refusal) this.#refused = true;
    if (choice.reasoning !== null) this.#reply.addThought(choice.reasoning);
    for (const piece of choice.calls) this.#takeCall(piece);
  }

  #takeCall(piece: CallPiece): void {
    if (this.#reply.isFull) return;
    if (!this.#reply.addArguments(piece.arguments)) return this.#calls.invalidate(piece, TOO_LONG_FAULT);
    this.#calls.add(piece);
    if (!this.#reply.addCall(this.#calls.count)) this.#calls.drop();
  }

  #takeText(piece: string | null): void {
    if (!piece) return;
    const fitting = this.#reply.addText(piece);
    if (fitting !== "") this.#texts.push(fitting);
  }
}

/** An unknown reason is still a reason: the reply is complete. */
function toReplyEnd(finishReason: string | null, refused: boolean): ReplyEnd | null {
  switch (finishReason) {
    case null:
      return null;
    case "length":
      return "length";
    case "content_filter":
      return "filtered";
    case "stop":
      return refused ? "filtered" : "whole";
    default:
      return "whole";
  }
}
