/** Reads the rest of a request's body and discards it, so that a client that is still sending receives its reply. */

export interface DiscardBounds {
  readonly maxBytes: number;
  /** Maximum time without a byte, and in total, in milliseconds. */
  readonly idleMs: number;
  readonly totalMs: number;
}

const PIECE_BYTES = 262_144;

/** Reads and discards a body within the bounds; cancels it beyond them. Never rejects. */
export async function discardBody(
  body: ReadableStream<Uint8Array>,
  { maxBytes, idleMs, totalMs }: DiscardBounds,
): Promise<void> {
  // Without its own buffer, the runtime returns 4 KB at a time.
  const reader = body.getReader({ mode: "byob" });
  const stop = () => void reader.cancel().catch(() => undefined);
  const total = setTimeout(stop, totalMs);
  let idle = setTimeout(stop, idleMs);
  try {
    let buffer = new Uint8Array(PIECE_BYTES);
    for (let dropped = 0; dropped <= maxBytes; ) {
      const { done, value } = await reader.read(buffer);
      if (done) return;
      clearTimeout(idle);
      idle = setTimeout(stop, idleMs);
      dropped += value.byteLength;
      buffer = new Uint8Array(value.buffer);
    }
    await reader.cancel();
  } catch {
    // The client closed the connection.
  } finally {
    clearTimeout(total);
    clearTimeout(idle);
  }
}
