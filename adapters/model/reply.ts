/**
 * Collects one reply within its bounds and builds its last chunk. A malformed reply (endless text or arguments, a call
 * without a name) is an answer, not an outage: it ends at its bound, and each malformed call states its fault.
 */
import type { ModelUsage } from "../../core/model/messages.ts";
import { CHECKPOINT_TOKENS } from "../../core/task/budget.ts";
import type { ModelChunk, ModelRequest, ReplyCall } from "../../core/ports/model.ts";
import { estimateRequest } from "../../core/steps/request-size.ts";
import { type Encoding, measureTokens } from "../../core/model/tokens.ts";
import { modelFailure } from "./model-failure.ts";
import { estimatedUsage } from "./usage.ts";

/** Characters of text and arguments that one reply may hold: escaped twice over, they still fit a row of 2 MB. */
const MAX_REPLY_CHARACTERS = 150_000;
/** Calls that one reply may ask for. */
const MAX_CALLS = 1_000;

/** The fault of a call whose arguments did not fit; what was written of them is not stored. */
export const TOO_LONG_FAULT = `This call was not made: a reply holds at most ${MAX_REPLY_CHARACTERS} characters, and its arguments are longer. Write less at once, for example a part of the file in each call.`;

/** Why the model says that it stopped. `whole`: it said all that it had to say. */
export type ReplyEnd = "whole" | "length" | "filtered";

/** One reply, as it grows. */
export class Reply {
  readonly #encoding: Encoding;
  #text = "";
  #characters = 0;
  #outputTokens = 0;
  #reportedTokens = 0;
  #isFull = false;
  /** Null until the model says why it stopped: until then, the reply is a part of one. */
  end: ReplyEnd | null = null;
  /** Null until the server sends one that can be true. */
  usage: ModelUsage | null = null;

  /** `encoding`: the one that the model's tokens are estimated by. */
  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  /** True once the reply reached its bound. The rest is not read. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** The estimated output so far, in tokens: text, arguments and streamed reasoning. The provider charges for it. */
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

  /** Counts streamed reasoning. It is billed as output and is not part of the reply. */
  addThought(piece: string): void {
    this.#outputTokens += measureTokens(piece, this.#encoding);
  }

  /** Counts arguments. False when they do not fit. */
  addArguments(piece: string): boolean {
    this.addThought(piece);
    this.#characters += piece.length;
    if (this.#characters > MAX_REPLY_CHARACTERS) this.#isFull = true;
    return !this.#isFull;
  }

  /** Counts a call that begins. False when there are too many. */
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

  /** The last chunk of a stream that ended, or that is read no further, with the calls that the reply asks for. */
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
    if (this.end === null) return failed("cut_off", true, "The model's reply was cut off.");
    if (this.end === "filtered" && text === "" && calls.length === 0) {
      return failed("refused", false, "The model's content filter held its reply back.");
    }
    const usage = this.usage ?? estimatedUsage(request, text, calls);
    const whole = calls.length > 0 ? "calls" : "stop";
    return { type: "done", text, calls, usage, finish: this.end === "whole" ? whole : this.end };
  }

  /** Estimates the use of a reply that was cut at its bound: the provider sends its count last, so it was not read. */
  #usageSoFar(request: ModelRequest): ModelUsage {
    const outputTokens = Math.ceil(this.#outputTokens);
    return this.usage ?? { inputTokens: estimateRequest(request), outputTokens, estimated: true };
  }
}

/** Null when a server sent no counts, or none that can be true. */
export function usageOf(input: number | null | undefined, output: number | null | undefined): ModelUsage | null {
  if (!isCount(input) || !isCount(output) || (input === 0 && output === 0)) return null;
  return { inputTokens: Math.ceil(input), outputTokens: Math.ceil(output), estimated: false };
}

function isCount(count: number | null | undefined): count is number {
  return typeof count === "number" && Number.isFinite(count) && count >= 0;
}

function failed(...failure: Parameters<typeof modelFailure>): ModelChunk {
  return { type: "failed", failure: modelFailure(...failure) };
}
