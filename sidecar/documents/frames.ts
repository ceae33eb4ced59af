/**
 * The protocol between the sidecar and a converter's process. A frame is the head's length in bytes as decimal ASCII, "\n", the head (JSON
 * with the sizes of the parts), and the bytes of the parts in order.
 */

/** `head` is the message; `parts` are its binary data. */
export interface Frame {
  readonly head: unknown;
  readonly parts: readonly Uint8Array[];
}

/** The frame exceeds the reader's limit. */
export class FrameTooLarge extends Error {
  override readonly name = "FrameTooLarge";
}

const MAX_HEAD_BYTES = 1024 * 1024;
const MAX_LENGTH_DIGITS = 7;

/** Encodes a frame as pieces to write in order. */
export function encodeFrame({ head, parts }: Frame): readonly Uint8Array[] {
  const text = Buffer.from(JSON.stringify({ head, sizes: parts.map(({ length }) => length) }));
  return [Buffer.concat([Buffer.from(`${text.length}\n`), text]), ...parts];
}

/** Buffers a pipe's output until a frame is complete. Throws `FrameTooLarge` beyond `maxBytes`. */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #needed = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the frame that this chunk completes, or null. Keeps the bytes after it for the next frame. */
  push(chunk: Uint8Array): Frame | null {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) throw new FrameTooLarge("the frame is too large");
    if (this.#bytes < this.#needed) return null;
    const all = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    const read = readFrame(all);
    if (typeof read === "number") {
      this.#needed = read;
      return null;
    }
    const rest = all.subarray(read.end);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
    this.#needed = 0;
    return read.frame;
  }
}

/** Returns the first frame and its end, or how many bytes are needed before another try. */
function readFrame(bytes: Uint8Array): { readonly frame: Frame; readonly end: number } | number {
  const newline = bytes.subarray(0, MAX_LENGTH_DIGITS + 1).indexOf(10);
  if (newline < 0) {
    if (bytes.length > MAX_LENGTH_DIGITS) throw new Error("a frame must begin with its head's length");
    return bytes.length + 1;
  }
  const length = Number(Buffer.from(bytes.subarray(0, newline)).toString("latin1"));
  if (!Number.isInteger(length) || length < 2 || length > MAX_HEAD_BYTES)
    throw new Error("the length of a head is invalid");
  const start = newline + 1 + length;
  if (bytes.length < start) return start;
  const text = Buffer.from(bytes.subarray(newline + 1, start)).toString("utf8");
  const { head, sizes } = JSON.parse(text) as { head: unknown; sizes: readonly number[] };
  const end = sizes.reduce((sum, size) => sum + size, start);
  if (bytes.length < end) return end;
  const parts: Uint8Array[] = [];
  let at = start;
  for (const size of sizes) {
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return { frame: { head, parts }, end };
}
