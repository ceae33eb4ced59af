/** A program's output: its beginning is kept, and the rest is read all the same, as a full pipe would hold the program up. */
import type { Readable } from "node:stream";

export interface Output {
  readonly text: string;
  readonly truncated: boolean;
}

/** Reads to the end. A letter that the limit cuts through is left out; bytes that are no UTF-8 become U+FFFD. */
export async function readOutput(stream: Readable, maxBytes: number): Promise<Output> {
  const kept: Buffer[] = [];
  let [bytes, truncated] = [0, false];
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const room = maxBytes - bytes;
      if (chunk.length > room) truncated = true;
      if (room <= 0) continue;
      kept.push(chunk.subarray(0, room));
      bytes += Math.min(chunk.length, room);
    }
  } catch {
    // It broke off with the program.
  }
  const whole = Buffer.concat(kept);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(whole, { stream: truncated });
  return { text, truncated };
}
