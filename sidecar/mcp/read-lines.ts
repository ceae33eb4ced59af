/** Reads the lines of a stream, up to a length limit. */
import type { Readable } from "node:stream";

const LF = 10;

/**
 * Calls `onLine` with each line without its terminator, and `onTooLong` once for a line of more than `maxBytes`, after which it stops. An
 * unterminated last line is ignored.
 */
export function readLines(
  stream: Readable,
  maxBytes: number,
  { onLine, onTooLong }: { onLine: (line: string) => void; onTooLong: () => void },
): void {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  stream.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      const line = Buffer.concat([...pending, chunk.subarray(from, end)]);
      pending = [];
      pendingBytes = 0;
      from = end + 1;
      onLine(line.toString("utf8"));
    }
    pending.push(chunk.subarray(from));
    pendingBytes += chunk.length - from;
    if (pendingBytes <= maxBytes) return;
    pending = [];
    pendingBytes = -Infinity;
    onTooLong();
  });
}
