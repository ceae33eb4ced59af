/** Reads a program's output. Stores its beginning and discards the rest, since a full pipe would block the program. */
import type { Readable } from "node:stream";

export interface Output {
  readonly text: string;
  readonly truncated: boolean;
}

/** Reads to the end. Drops a character that the limit splits; replaces invalid UTF-8 by U+FFFD. */
export async function readOutput(stream: Readable, maxBytes: number): Promise<Output> {
  const chunks: Buffer[] = [];
  let [bytes, truncated] = [0, false];
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const room = maxBytes - bytes;
      if (chunk.length > room) truncated = true;
      if (room <= 0) continue;
      chunks.push(chunk.subarray(0, room));
      bytes += Math.min(chunk.length, room);
    }
  } catch {
    // The stream broke when the program ended.
  }
  const beginning = Buffer.concat(chunks);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(beginning, { stream: truncated });
  return { text, truncated };
}
