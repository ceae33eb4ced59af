/** Chat completions: one streamed request, read by one reader. See docs/decisions/0015-chat-reader.md. */
import type { ModelChunk, ModelRequest } from "../../../core/ports/model.ts";
import type { CallWatch } from "../call-watch.ts";
import { ChatReader } from "./chat-reader.ts";
import { formatChatBody } from "./chat-wire.ts";
import type { Reply } from "../reply.ts";
import { getRequestKey, type ModelAddress, openEventStream } from "../guarded-fetch.ts";

/** One call: yields text as it is written, then the end. Throws the failure of the call. */
export async function* chatReply(
  address: ModelAddress,
  request: ModelRequest,
  watch: CallWatch,
  reply: Reply,
): AsyncGenerator<ModelChunk> {
  const init = {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${getRequestKey(address.apiKey)}`,
      // A Worker sends none by default, and some servers reject a request without one.
      "user-agent": "otto",
    },
    body: formatChatBody(request),
  };
  const bytes = await watch.race(openEventStream(`${address.baseUrl}/chat/completions`, init, watch, address.apiKey));
  const reader = new ChatReader(address.apiKey ?? "", reply);
  for (;;) {
    const next = await watch.race(bytes.read());
    if (next === null) break;
    const { texts, failure } = reader.take(next);
    for (const text of texts) yield { type: "text", text };
    const outputTokens = reply.takeProgress();
    if (outputTokens !== null) yield { type: "progress", outputTokens };
    if (failure !== null) {
      yield { type: "failed", failure };
      return;
    }
    if (reply.isFull) break;
  }
  yield reader.conclude(request);
}
