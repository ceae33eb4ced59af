/**
 * Collects one reply within its limits and builds its last chunk. A malformed reply (endless text or arguments, a call
 * without a name) is an answer rather than an outage: it ends at its limit, and each malformed call states its fault.
 */
import type { ModelUsage } from "../../core/model/messages.ts";
import { CHECKPOINT_TOKENS } from "../../core/task/budget.ts";
import type { ModelChunk, ModelRequest, ReplyCall } from "../../core/ports/model.ts";
import { estimateRequest } from "../../core/steps/request-size.ts";
import { type Encoding, measureTokens } from "../../core/model/tokens.ts";
import { createModelFailure } from "./model-failure.ts";
import { estimateUsage } from "./usage.ts";

/** Maximum characters of text and arguments in a reply: escaped twice, they still fit a row of 2 MB. */
const MAX_REPLY_CHARACTERS = 150_000;
/** Maximum calls in a reply. */
const MAX_CALLS = 1_000;

/** The fault of a call whose arguments exceed the limit; they are not stored. */
export const TOO_LONG_FAULT = `This call was not made: a reply holds at most ${MAX_REPLY_CHARACTERS} characters, and its arguments are longer. Write less at once, for example a part of the file in each call.`;

/** Why the model stopped. `whole`: it finished. */
export type ReplyEnd = "whole" | "length" | "filtered";

/** One reply while it grows. */
export class Reply {
  readonly #encoding: Encoding;
  #text = "";
  #characters = 0;
  #outputTokens = 0;
  #reportedTokens = 0;
  #isFull = false;
  /** Null until the model says why it stopped: the reply is incomplete. */
  end: ReplyEnd | null = null;
  /** Null until the server sends plausible counts. */
  usage: ModelUsage | null = null;

  /** `encoding` estimates the model's tokens. */
  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  /** True once the reply reached its limit. The rest is not read. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** The estimated output so far, in tokens: text, arguments and streamed reasoning, as the provider charges them. */
  get outputTokens(): number {
    return this.#outputTokens;
  }

  /** Adds text and returns the part that fits. */
  addText(piece: string): string {
    const fitting = piece.slice(0, MAX_REPLY_CHARACTERS - this.#characters);
    this.#text += fitting;
    this.addThought(fitting);
    this.#characters += fitting.length;
    if (fitting.length < piece.length) this.#isFull = true;
    return fitting;
  }

  /** Counts streamed reasoning. It is charged as output but is not part of the reply. */
  addThought(piece: string): void {
    this.#outputTokens += measureTokens(piece, this.#encoding);
  }

  /** Counts arguments. False when they exceed the limit. */
  addArguments(piece: string): boolean {
    this.addThought(piece);
    this.#characters += piece.length;
    if (this.#characters > MAX_REPLY_CHARACTERS) this.#isFull = true;
    return !this.#isFull;
  }

  /** Counts a new call. False when there are too many. */
  addCall(count: number): boolean {
    if (count > MAX_CALLS) this.#isFull = true;
    return !this.#isFull;
  }

  /** Returns the output so far, in tokens, after each further `CHECKPOINT_TOKENS`; null before that. */
  takeProgress(): number | null {
    if (this.#outputTokens - this.#reportedTokens < CHECKPOINT_TOKENS) return null;
    this.#reportedTokens = Math.floor(this.#outputTokens);
    return this.#reportedTokens;
  }

  /** Returns the last chunk of a stream that ended or is no longer read, with the requested calls. */
  conclude(calls: readonly ReplyCall[], request: ModelRequest): ModelChunk {
    const text = this.#text;
    if (this.#isFull)
      return {
        type: "done",
        text,
        calls,
        usage: this.#usageSoFar(request),
        finish: calls.length > 0 ? "calls" : "length",
      };
    if (this.end === null) return createFailure("cut_off", true, "The model's reply was cut off.");
    if (this.end === "filtered" && text === "" && calls.length === 0) {
      return createFailure("refused", false, "The model's content filter blocked its reply.");
    }
    const usage = this.usage ?? estimateUsage(request, text, calls);
    const whole = calls.length > 0 ? "calls" : "stop";
    return { type: "done", text, calls, usage, finish: this.end === "whole" ? whole : this.end };
  }

  /** Estimates the use of a reply that was cut at its limit: the provider sends its count last. */
  #usageSoFar(request: ModelRequest): ModelUsage {
    const outputTokens = Math.ceil(this.#outputTokens);
    return this.usage ?? { inputTokens: estimateRequest(request), outputTokens, estimated: true };
  }
}

/** Null if a server sent no counts, or implausible ones. */
export function toUsage(input: number | null | undefined, output: number | null | undefined): ModelUsage | null {
  if (!isCount(input) || !isCount(output) || (input === 0 && output === 0)) return null;
  return { inputTokens: Math.ceil(input), outputTokens: Math.ceil(output), estimated: false };
}

function isCount(count: number | null | undefined): count is number {
  return typeof count === "number" && Number.isFinite(count) && count >= 0;
}

function createFailure(...failure: Parameters<typeof createModelFailure>): ModelChunk {
  return { type: "failed", failure: createModelFailure(...failure) };
}
