/** A fake model that answers by a function of the request. It passes the same contract as the real adapter. */
import type { ModelChunk, ModelFailure, ModelPort, ModelRequest } from "../../core/ports/model.ts";

/** The fake's answer. `hang` waits until the call is cancelled or times out. */
export interface FakeReply {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[];
  readonly failure?: ModelFailure;
  readonly hang?: boolean;
  readonly usage?: { readonly input: number; readonly output: number } | null;
  readonly finish?: "stop" | "calls" | "length" | "filtered";
}

/** Creates a `ModelPort` from a function of the request. */
export function fakeModel(reply: (request: ModelRequest) => FakeReply): ModelPort {
  return {
    async *stream(request): AsyncGenerator<ModelChunk> {
      if (request.signal.aborted) return yield fail("cut_off", "The call was cancelled.");
      const said = reply(request);
      if (said.failure !== undefined) return yield { type: "failed", failure: said.failure };
      if (said.hang === true) return yield await hang(request);
      const text = said.text ?? "";
      const calls = said.calls ?? [];
      for (const word of text.match(/\S+\s*|\s+/g) ?? []) yield { type: "text", text: word };
      const counted = said.usage ?? null;
      yield {
        type: "done",
        text,
        calls,
        usage:
          counted === null
            ? { inputTokens: 1, outputTokens: 1, estimated: true }
            : { inputTokens: counted.input, outputTokens: counted.output, estimated: false },
        finish: said.finish ?? (calls.length > 0 ? "calls" : "stop"),
      };
    },
  };
}

function fail(kind: ModelFailure["kind"], message: string): ModelChunk {
  return { type: "failed", failure: { kind, retryable: true, retryAfterMs: null, message } };
}

async function hang(request: ModelRequest): Promise<ModelChunk> {
  return await new Promise((resolve) => {
    const timer = setTimeout(
      () => resolve(fail("timeout", "Nothing came.")),
      Math.min(request.timeoutMs, request.idleTimeoutMs),
    );
    request.signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve(fail("cut_off", "The call was cancelled."));
    });
  });
}
