/** Token counts without a tokenizer: three bytes of UTF-8 a token, which errs on the high side for prose and code. */
import type { Message } from "../messages.ts";

const BYTES_PER_TOKEN = 3;
/** Role, separators and ids of one message. */
const TOKENS_PER_MESSAGE = 8;

/** The tokens of a text, at a guess that is rarely too low. */
export function estimateTokens(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >= 0xd800 && unit <= 0xdfff ? 2 : 3;
  }
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** The tokens of messages as a request holds them. */
export function estimateMessages(messages: readonly Message[]): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += TOKENS_PER_MESSAGE + estimateTokens(message.content);
    if (message.role === "assistant")
      for (const call of message.calls ?? []) tokens += estimateTokens(call.arguments) + TOKENS_PER_MESSAGE;
  }
  return tokens;
}
