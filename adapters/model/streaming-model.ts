/**
 * A model behind a server that streams its reply. One request per call and no retry here: retries are the task's, and
 * durable. See docs/decisions/0006-model-adapter.md.
 */
import { getEncoding } from "../../core/model/table.ts";
import type { ModelChunk, ModelFailure, ModelPort, ModelRequest } from "../../core/ports/model.ts";
import { CallWatch } from "./call-watch.ts";
import type { ModelAddress } from "./guarded-fetch.ts";
import { failureOfThrown } from "./model-failure.ts";
import { Reply } from "./reply.ts";

/** Makes one call: yields the text as it is written, then the last chunk. Throws what the call failed with. */
export type StreamReply = (
  address: ModelAddress,
  request: ModelRequest,
  watch: CallWatch,
  reply: Reply,
) => AsyncGenerator<ModelChunk>;

/** A `ModelPort` over HTTP. It never throws: every failure is the last chunk. */
export function streamingModel(address: ModelAddress, streamReply: StreamReply): ModelPort {
  return {
    async *stream(request) {
      const watch = new CallWatch(request, request.signal);
      const reply = new Reply(getEncoding(request.model));
      try {
        watch.signal.throwIfAborted();
        for await (const chunk of streamReply(address, request, watch, reply)) {
          yield chunk.type === "failed" ? { ...chunk, failure: inTheMiddle(chunk.failure, reply) } : chunk;
        }
      } catch (thrown) {
        // The reason of an abort says more than the error that the abort caused further down.
        const cause: unknown = watch.signal.aborted ? watch.signal.reason : thrown;
        const failure = failureOfThrown(cause, address.apiKey ?? "");
        yield { type: "failed", failure: inTheMiddle(failure, reply) };
      } finally {
        watch.end();
      }
    },
  };
}

/** Turns an outage after the first output into `cut_off`, so that the written output is charged. */
function inTheMiddle(failure: ModelFailure, { outputTokens }: Reply): ModelFailure {
  return outputTokens > 0 && failure.kind === "unavailable" ? { ...failure, kind: "cut_off" } : failure;
}
