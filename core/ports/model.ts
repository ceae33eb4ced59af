/** A language model. */
import type { Message, ModelUsage } from "../model/messages.ts";

/** A tool in a model request. `parameters` is JSON Schema. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** One model call. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  /** Empty: the model must answer in text. */
  readonly tools: readonly ToolSpec[];
  readonly maxOutputTokens: number;
  /** Total time; the adapter also gives up when nothing arrives for `idleTimeoutMs`. */
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** Why a model call failed, and whether a retry can help. */
export interface ModelFailure {
  readonly kind:
    | "rate_limited"
    | "unavailable"
    | "timeout"
    | "cut_off"
    | "refused"
    | "context_overflow"
    | "not_configured";
  readonly retryable: boolean;
  /** The provider's Retry-After, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** Safe for the tenant to read; holds no key and no URL query. */
  readonly message: string;
}

/**
 * A call as the model wrote it: `arguments` may be invalid JSON. `fault` is why it is invalid, in a sentence for the
 * model.
 */
export interface ReplyCall {
  readonly name: string;
  readonly arguments: string;
  readonly fault?: string;
}

/**
 * The output of a model call: text as it arrives and, at every `CHECKPOINT_TOKENS` of output, an estimate of the output
 * so far (text, arguments, visible reasoning); then exactly one of `done` and `failed`.
 */
export type ModelChunk =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "progress"; readonly outputTokens: number }
  | {
      readonly type: "done";
      readonly text: string;
      readonly calls: readonly ReplyCall[];
      readonly usage: ModelUsage;
      readonly finish: "stop" | "calls" | "length" | "filtered";
    }
  | { readonly type: "failed"; readonly failure: ModelFailure };

/** A language model (or the demo model). Never throws. */
export interface ModelPort {
  stream(request: ModelRequest): AsyncIterable<ModelChunk>;
}
