/**
 * Reads a reply that may be large: memory for more than a small reply is reserved first, since an isolate has 128 MB for
 * all its requests. So a redirect, an error page or a short file reserves nothing.
 */
import { joinBytes } from "../../core/base/join-bytes.ts";
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
  const reader = new BodyReader(body, maxBytes);
  let release: (() => void) | null = null;
  try {
    await reader.readBeyond(Math.min(SMALL_REPLY_BYTES, maxBytes));
    if (reader.isComplete) return ok({ status, headers, body: reader.take(), truncated: false });
    const size = Math.min(length ?? maxBytes, maxBytes);
    release = await memory.reserve(size, signal);
    reader.collect(size);
    await reader.readBeyond(maxBytes);
    const read = reader.take();
    const held = memory.hold(read.buffer.byteLength);
    return ok({ status, headers, body: read, truncated: !reader.isComplete, release: held });
  } finally {
    release?.();
    await reader.cancel();
  }
}

/** Reads at most `maxBytes` of a body, in steps. */
class BodyReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | null;
  readonly #maxBytes: number;
  readonly #pieces: Uint8Array[] = [];
  #buffer: Uint8Array | null = null;
  #bytes = 0;
  #hasEnded: boolean;

  constructor(body: WebStream["body"] | null, maxBytes: number) {
    this.#reader = body?.getReader() ?? null;
    this.#maxBytes = maxBytes;
    this.#hasEnded = this.#reader === null;
  }

  /** True when the body was read to its end. */
  get isComplete(): boolean {
    return this.#hasEnded;
  }

  /** Reads until more than these bytes have arrived, or to the end. */
  async readBeyond(bytes: number): Promise<void> {
    while (!this.#hasEnded && this.#bytes <= bytes) {
      const read = await this.#reader?.read();
      if (read?.value === undefined) this.#hasEnded = true;
      else this.#add(read.value);
    }
  }

  /** Continues in one buffer of this size: joining the pieces at the end would need the memory twice. */
  collect(size: number): void {
    this.#buffer = new Uint8Array(size);
    this.#bytes = 0;
    for (const piece of this.#pieces.splice(0)) this.#add(piece);
  }

  #add(piece: Uint8Array): void {
    if (this.#buffer === null) this.#pieces.push(piece);
    else {
      const end = Math.min(this.#bytes + piece.length, this.#maxBytes);
      // More than the server stated.
      if (end > this.#buffer.length)
        this.#buffer = joinBytes([this.#buffer, new Uint8Array(this.#maxBytes - this.#buffer.length)]);
      if (end > this.#bytes) this.#buffer.set(piece.subarray(0, end - this.#bytes), this.#bytes);
    }
    this.#bytes += piece.length;
  }

  /** Returns the bytes; those of a much larger buffer as a copy. */
  take(): Uint8Array {
    const buffer = this.#buffer ?? joinBytes(this.#pieces.splice(0));
    const size = Math.min(this.#bytes, this.#maxBytes);
    return size * 2 < buffer.length ? buffer.slice(0, size) : buffer.subarray(0, size);
  }

  /** Cancels what was not read. */
  async cancel(): Promise<void> {
    if (!this.#hasEnded) await this.#reader?.cancel().catch(() => undefined);
  }
}
