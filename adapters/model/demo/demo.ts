/**
 * The demo model, which Otto uses without a language model. It calls real tools by fixed rules that read only the
 * messages and the tool list, and says that it is no language model. It writes at a readable pace.
 */
import type { ModelChunk, ModelPort, ModelRequest } from "../../../core/ports/model.ts";
import { measureTokens } from "../../../core/model/tokens.ts";
import { sleep } from "../../../core/base/deadline.ts";
import { replyTo } from "./reply.ts";
import { createModelFailure } from "../model-failure.ts";
import { estimateUsage } from "../usage.ts";

/** Pause between words, unless the whole text would take more than `MAX_SPEECH_MS`. */
const WORD_PACE_MS = 15;
const MAX_SPEECH_MS = 1_500;

/** The demo model as a port. `paceMs` is the time between two words; it never throws. */
export function demoModel(options: { readonly paceMs?: number } = {}): ModelPort {
  return {
    async *stream(request): AsyncGenerator<ModelChunk> {
      const { text, calls, isCut } = fitReply(replyTo(request.messages, request.tools), request);
      const words = text.match(/\S+\s*/g) ?? [];
      const paceMs = Math.min(options.paceMs ?? WORD_PACE_MS, MAX_SPEECH_MS / Math.max(1, words.length));
      for (const word of words) {
        if (paceMs > 0) await sleep(globalThis, paceMs, request.signal);
        if (request.signal.aborted) {
          yield { type: "failed", failure: createModelFailure("cut_off", true, "The call was cancelled.") };
          return;
        }
        yield { type: "text", text: word };
      }
      const whole = calls.length > 0 ? "calls" : "stop";
      yield {
        type: "done",
        text,
        calls,
        usage: estimateUsage(request, text, calls),
        finish: isCut ? "length" : whole,
      };
    },
  };
}

/** Cuts a reply to the output limit of the request: keeps the words that fit, and the calls if the whole reply fits. */
function fitReply(reply: ReturnType<typeof replyTo>, { maxOutputTokens }: ModelRequest) {
  const text = reply.text.toWellFormed();
  const calls = reply.calls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) }));
  let left = maxOutputTokens;
  const fitting: string[] = [];
  for (const word of text.match(/\s*\S+/g) ?? []) {
    left -= measureTokens(word);
    if (left < 0) return { text: fitting.join(""), calls: [], isCut: true };
    fitting.push(word);
  }
  for (const call of calls) left -= measureTokens(call.name) + measureTokens(call.arguments);
  return left < 0 ? { text, calls: [], isCut: true } : { text, calls, isCut: false };
}
