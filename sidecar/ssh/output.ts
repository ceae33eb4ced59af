/** Stores the beginning of a stream that is read to its end. */
import type { Readable } from "node:stream";

/** The returned function gives the first `maxBytes` received so far. The rest is discarded, so that the writer never blocks. */
export function readBeginning(stream: Readable, maxBytes: number): () => Buffer {
  const chunks: Buffer[] = [];
  let left = maxBytes;
  stream.on("data", (chunk: Buffer) => {
    if (left <= 0) return;
    chunks.push(chunk.subarray(0, left));
    left -= chunk.length;
  });
  return () => Buffer.concat(chunks);
}
