/** The lines of a stream, as they come, none of them longer than a limit. */
import type { Readable } from "node:stream";

const LF = 10;

/**
 * Calls `onLine` with each line, without its end, and `onTooLong` once, when a line has more than `maxBytes`; nothing is
 * read after that. A last line without an end is none.
 */
export function readLines(
  stream: Readable,
  maxBytes: number,
  { onLine, onTooLong }: { onLine: (line: string) => void; onTooLong: () => void },
): void {
  let held: Buffer[] = [];
  let heldBytes = 0;
  stream.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      const line = Buffer.concat([...held, chunk.subarray(from, end)]);
      held = [];
      heldBytes = 0;
      from = end + 1;
      onLine(line.toString("utf8"));
    }
    held.push(chunk.subarray(from));
    heldBytes += chunk.length - from;
    if (heldBytes <= maxBytes) return;
    held = [];
    heldBytes = -Infinity;
    onTooLong();
  });
}
