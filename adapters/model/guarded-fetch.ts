/**
 * One call's connection to the model server: its time limits, its bounds, and what is refused before a byte is parsed.
 * The key goes to the configured address only, so a redirect is never followed.
 */
import { failureOfStatus, ModelCallFailed, modelFailure, quoteOfBody, scrubQuote } from "./model-failure.ts";

/** Bytes of an error reply that are read. */
const MAX_ERROR_BYTES = 65_536;
/** Bytes of one line of the stream; an event is one line, and a parser holds it whole. */
const MAX_LINE_BYTES = 4_194_304;
/** Bytes of a whole stream. A token arrives in an envelope of 200 to 300 bytes. */
const MAX_STREAM_BYTES = 134_217_728;

/** Limits of one call, in milliseconds. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** Watches one call: aborts it, with the failure as the reason, when it takes too long or its caller gives up. */
export class CallWatch {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #idleTimeoutMs: number;
  readonly #total: ReturnType<typeof setTimeout>;
  #idle: ReturnType<typeof setTimeout>;
  #lastByteAt = Date.now();

  constructor(limits: CallLimits, caller: AbortSignal) {
    this.#caller = caller;
    this.#idleTimeoutMs = limits.idleTimeoutMs;
    this.#total = setTimeout(() => {
      this.#abort(modelFailure("timeout", true, `The model did not finish within ${seconds(limits.timeoutMs)}.`));
    }, limits.timeoutMs);
    this.#idle = setTimeout(this.#checkIdle, limits.idleTimeoutMs);
    if (caller.aborted) this.#giveUp();
    else caller.addEventListener("abort", this.#giveUp);
  }

  /** Aborted with a `ModelCallFailed` as its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something arrived. */
  touch(): void {
    this.#lastByteAt = Date.now();
  }

  /** Gives up the connection if it is still open, and stops the timers. */
  end(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#idle);
    this.#caller.removeEventListener("abort", this.#giveUp);
    this.#abort(modelFailure("cut_off", true, "The call is over."));
  }

  /** The result of `pending`, or the reason of the abort, whichever is first. */
  async race<T>(pending: PromiseLike<T>): Promise<T> {
    let onAbort = (): void => undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(this.signal.reason as Error);
      if (this.signal.aborted) onAbort();
      else this.signal.addEventListener("abort", onAbort);
    });
    try {
      return await Promise.race([pending, aborted]);
    } finally {
      this.signal.removeEventListener("abort", onAbort);
    }
  }

  readonly #giveUp = (): void => this.#abort(modelFailure("cut_off", true, "The call was cancelled."));

  readonly #checkIdle = (): void => {
    const quietMs = Date.now() - this.#lastByteAt;
    if (quietMs >= this.#idleTimeoutMs) {
      this.#abort(modelFailure("timeout", true, `The model server sent nothing for ${seconds(this.#idleTimeoutMs)}.`));
    } else {
      this.#idle = setTimeout(this.#checkIdle, this.#idleTimeoutMs - quietMs);
    }
  };

  #abort(failure: ReturnType<typeof modelFailure>): void {
    if (!this.signal.aborted) this.#controller.abort(new ModelCallFailed(failure));
  }
}

/** A `fetch` for one call. It throws `ModelCallFailed` for every reply that is no event stream. */
export function guardedFetch(watch: CallWatch, apiKey: string): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual", signal: watch.signal });
    watch.touch();
    if (!response.ok) {
      const quote = scrubQuote(quoteOfBody(await readAtMost(response, MAX_ERROR_BYTES)), apiKey);
      throw new ModelCallFailed(
        failureOfStatus(response.status, response.headers.get("retry-after"), quote, Date.now()),
      );
    }
    const type = (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
    const body = response.body as ReadableStream<Uint8Array> | null;
    if (type !== "text/event-stream" || body === null) {
      await body?.cancel();
      throw new ModelCallFailed(
        modelFailure("unavailable", true, "The model server's reply is no event stream. Check the base URL."),
      );
    }
    return new Response(bounded(body, watch), { status: response.status, headers: response.headers });
  };
}

/** The same bytes, up to the bounds; over them the stream fails. */
function bounded(body: ReadableStream<Uint8Array>, watch: CallWatch): ReadableStream<Uint8Array> {
  let total = 0;
  let line = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        watch.touch();
        total += bytes.length;
        const newline = bytes.lastIndexOf(10);
        line = newline === -1 ? line + bytes.length : bytes.length - newline - 1;
        if (total > MAX_STREAM_BYTES || line > MAX_LINE_BYTES) {
          throw new ModelCallFailed(modelFailure("cut_off", true, "The model server sent more than a reply can hold."));
        }
        controller.enqueue(bytes);
      },
    }),
  );
}

async function readAtMost(response: Response, maxBytes: number): Promise<string> {
  const body = response.body as ReadableStream<Uint8Array> | null;
  if (body === null) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  for (let read = 0; read < maxBytes; ) {
    const { done, value } = await reader.read();
    if (done) return text;
    read += value.length;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
