/** What has come so far of one reply, how much of it there may be, and the last chunk that it ends with. */
import type { ModelUsage } from "../../core/messages.ts";
import type { ModelChunk, ModelRequest } from "../../core/ports.ts";
import { ModelCallFailed, modelFailure } from "./model-failure.ts";
import { estimatedUsage } from "./usage.ts";

/** Characters of text and arguments that one reply may hold: escaped twice over, they still fit a row of 2 MB. */
const MAX_REPLY_CHARACTERS = 150_000;
/** Calls that one reply may ask for. */
const MAX_CALLS = 1_000;

/** A call as the model wrote it: `arguments` may be no JSON. */
export interface ReplyCall {
  readonly name: string;
  readonly arguments: string;
}

/** Why the model says that it stopped. `whole`: it said all that it had to say. */
export type ReplyEnd = "whole" | "length" | "filtered";

/** One reply, as it grows. */
export class Reply {
  #text = "";
  #characters = 0;
  /** Null until the model says why it stopped: until then, the reply is a part of one. */
  end: ReplyEnd | null = null;
  /** Null until the server sends one that can be true. */
  usage: ModelUsage | null = null;

  addText(piece: string): void {
    this.#text += piece;
    this.grow(piece.length, 0);
  }

  /** Counts characters of arguments, and the calls that there are. Throws `ModelCallFailed` over the bounds. */
  grow(characters: number, calls: number): void {
    this.#characters += characters;
    if (this.#characters > MAX_REPLY_CHARACTERS || calls > MAX_CALLS) {
      throw new ModelCallFailed(modelFailure("cut_off", true, "The model's reply was longer than a reply may be."));
    }
  }

  /** The last chunk of a stream that ended, with the calls that the reply asks for. */
  conclude(calls: readonly ReplyCall[], request: ModelRequest): ModelChunk {
    const text = this.#text;
    if (this.end === null) return failed("cut_off", true, "The model's reply was cut off.");
    if (this.end === "filtered" && text === "" && calls.length === 0) {
      return failed("refused", false, "The model's content filter held its reply back.");
    }
    const usage = this.usage ?? estimatedUsage(request, text, calls);
    const whole = calls.length > 0 ? "calls" : "stop";
    return { type: "done", text, calls, usage, finish: this.end === "whole" ? whole : this.end };
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
