/** The bytes of a chat-completions stream, as they come, made into a reply. It waits for nothing and holds no stream. */
import { createParser, type EventSourceParser } from "eventsource-parser";
import type { ModelChunk, ModelFailure, ModelRequest } from "../../../core/ports/model.ts";
import { type CallPiece, CallPieces } from "../call-pieces.ts";
import { parseChatChunk } from "./chat-chunk.ts";
import { MAX_LINE_BYTES, tooMuch } from "../guarded-fetch.ts";
import { failureOfErrorEvent, ModelCallFailed } from "../model-failure.ts";
import { type Reply, type ReplyEnd, TOO_LONG_FAULT, usageOf } from "../reply.ts";

/** The event that says that nothing follows. The end of the stream says so too. */
const LAST_EVENT = "[DONE]";

/** What some bytes held: pieces of the text, and the failure that the reply ended with. */
export interface ChatNews {
  readonly texts: readonly string[];
  readonly failure: ModelFailure | null;
}

/** Reads one reply. The key is scrubbed from what the provider says. */
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
      // An event may be many lines, each within the bound of one.
      maxBufferSize: MAX_LINE_BYTES,
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") throw tooMuch();
      },
    });
  }

  /** Takes the next bytes, cut anywhere. After a failure there is nothing more to take. */
  take(bytes: Uint8Array): ChatNews {
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

  /** The last chunk of a stream that ended. */
  conclude(request: ModelRequest): ModelChunk {
    this.#reply.end = endOf(this.#finishReason, this.#refused);
    return this.#reply.conclude(this.#calls.inOrder(), request);
  }

  #takeEvent(data: string): void {
    if (data === LAST_EVENT || this.#reply.isFull) return;
    const { error, choices, usage } = parseChatChunk(data);
    if (error !== null) throw new ModelCallFailed(failureOfErrorEvent(error, this.#apiKey));
    if (usage !== null) this.#reply.usage = usageOf(usage.input ?? 0, usage.output ?? 0);
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
    if (!this.#reply.addArguments(piece.arguments)) return this.#calls.spoil(piece, TOO_LONG_FAULT);
    this.#calls.add(piece);
    if (!this.#reply.addCall(this.#calls.count)) this.#calls.drop();
  }

  #takeText(piece: string | null): void {
    if (!piece) return;
    const fitting = this.#reply.addText(piece);
    if (fitting !== "") this.#texts.push(fitting);
  }
}

/** A reason that nobody knows is a reason: the reply is whole. */
function endOf(finishReason: string | null, refused: boolean): ReplyEnd | null {
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
