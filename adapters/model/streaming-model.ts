/**
 * A model behind a server that streams its reply. One request per call without retry: retries belong to the task, and
 * are durable. See docs/decisions/0006-model-adapter.md.
 */
import { getEncoding } from "../../core/model/table.ts";
import type { ModelChunk, ModelFailure, ModelPort, ModelRequest } from "../../core/ports/model.ts";
import { CallWatch } from "./call-watch.ts";
import type { ModelAddress } from "./guarded-fetch.ts";
import { fromThrown } from "./model-failure.ts";
import { Reply } from "./reply.ts";

/** Makes one call: yields text as it is written, then the last chunk. Throws the failure of the call. */
export type StreamReply = (
  address: ModelAddress,
  request: ModelRequest,
  watch: CallWatch,
  reply: Reply,
) => AsyncGenerator<ModelChunk>;

/** A `ModelPort` over HTTP. Never throws: every failure is the last chunk. */
export function streamingModel(address: ModelAddress, streamReply: StreamReply): ModelPort {
  return {
    async *stream(request) {
      const watch = new CallWatch(request, request.signal);
      const reply = new Reply(getEncoding(request.model));
      try {
        watch.signal.throwIfAborted();
        for await (const chunk of streamReply(address, request, watch, reply)) {
          yield chunk.type === "failed" ? { ...chunk, failure: toInterrupted(chunk.failure, reply) } : chunk;
        }
      } catch (thrown) {
        // The reason of an abort is more precise than the error that it caused.
        const cause: unknown = watch.signal.aborted ? watch.signal.reason : thrown;
        const failure = fromThrown(cause, address.apiKey ?? "");
        yield { type: "failed", failure: toInterrupted(failure, reply) };
      } finally {
        watch.end();
      }
    },
  };
}

/** Turns an outage after the first output into `cut_off`, so that the written output is charged. */
function toInterrupted(failure: ModelFailure, { outputTokens }: Reply): ModelFailure {
  return outputTokens > 0 && failure.kind === "unavailable" ? { ...failure, kind: "cut_off" } : failure;
}
