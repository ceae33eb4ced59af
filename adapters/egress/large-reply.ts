/**
 * Reads a reply that may be large: memory for more than a small reply is reserved first, since an isolate has 128 MB for
 * all its requests. So a redirect, an error page or a short file reserves nothing.
 */
import { ok, type Result } from "../../core/base/errors.ts";
import type { WebStream } from "../../core/ports/web.ts";
import { type ResultMemory, resultMemory } from "../sidecar/result-memory.ts";
import type { ExchangeLimits, Reply } from "./follow.ts";

/** A larger reply is read with a reservation. */
export const SMALL_REPLY_BYTES = 4 * 1024 * 1024;

/** A reply whose body is read here. `length`: of the body as it arrives, where the server states it. */
export interface StreamedReply extends Pick<WebStream, "status" | "headers"> {
  readonly body: WebStream["body"] | null;
  readonly length?: number | undefined;
}

/** Reads the body up to the limit. Rejects when the connection breaks. */
export async function readLargeReply(
  { status, headers, body, length }: StreamedReply,
  { maxBytes, signal }: Pick<ExchangeLimits, "maxBytes" | "signal">,
  memory: ResultMemory = resultMemory,
): Promise<Result<Reply>> {
  const reader = new BodyReader(body);
  let release: (() => void) | null = null;
  try {
    await reader.readBeyond(Math.min(SMALL_REPLY_BYTES, maxBytes));
    if (reader.isComplete) return ok({ status, headers, body: reader.take(maxBytes), truncated: false });
    release = await memory.reserve(Math.min(length ?? maxBytes, maxBytes), signal);
    await reader.readBeyond(maxBytes);
    const { isComplete } = reader;
    const read = reader.take(maxBytes);
    return ok({ status, headers, body: read, truncated: !isComplete, release: memory.hold(read.length) });
  } finally {
    release?.();
    await reader.cancel();
  }
}

/** Reads a body in steps. */
class BodyReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | null;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #hasEnded: boolean;

  constructor(body: WebStream["body"] | null) {
    this.#reader = body?.getReader() ?? null;
    this.#hasEnded = this.#reader === null;
  }

  /** True when the body was read to its end. */
  get isComplete(): boolean {
    return this.#hasEnded;
  }

  /** Reads until more than these bytes are here, or the end. */
  async readBeyond(bytes: number): Promise<void> {
    while (!this.#hasEnded && this.#bytes <= bytes) {
      const read = await this.#reader?.read();
      if (read?.value === undefined) this.#hasEnded = true;
      else {
        this.#chunks.push(read.value);
        this.#bytes += read.value.length;
      }
    }
  }

  /** Returns the first bytes, at most `maxBytes`, and frees the pieces while it joins them. */
  take(maxBytes: number): Uint8Array {
    const joined = new Uint8Array(Math.min(this.#bytes, maxBytes));
    let at = 0;
    for (let chunk = this.#chunks.shift(); chunk !== undefined && at < joined.length; chunk = this.#chunks.shift()) {
      const part = chunk.subarray(0, joined.length - at);
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }

  /** Cancels what was not read. */
  async cancel(): Promise<void> {
    if (!this.#hasEnded) await this.#reader?.cancel().catch(() => undefined);
  }
}
