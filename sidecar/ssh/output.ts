/** The beginning of a stream that is read to its end. */
import type { Readable } from "node:stream";

/** The function gives what came so far, at most `maxBytes`. The rest is read too, so that whoever writes can go on. */
export function keepBeginning(stream: Readable, maxBytes: number): () => Buffer {
  const kept: Buffer[] = [];
  let left = maxBytes;
  stream.on("data", (chunk: Buffer) => {
    if (left <= 0) return;
    kept.push(chunk.subarray(0, left));
    left -= chunk.length;
  });
  return () => Buffer.concat(kept);
}
