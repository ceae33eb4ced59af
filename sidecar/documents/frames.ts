/**
 * How the sidecar and a converter's process talk over pipes: a frame is the head's length in bytes as decimal ASCII, "\n",
 * the head (JSON with the sizes of the parts), then the parts' bytes one after the other.
 */

/** `head` is what was said; `parts` are the bytes that belong to it. */
export interface Frame {
  readonly head: unknown;
  readonly parts: readonly Uint8Array[];
}

/** More came than the reader holds. */
export class FrameTooLarge extends Error {
  override readonly name = "FrameTooLarge";
}

const MAX_HEAD_BYTES = 1024 * 1024;
const MAX_LENGTH_DIGITS = 7;

/** The pieces of a frame, to be written in order. */
export function framePieces({ head, parts }: Frame): readonly Uint8Array[] {
  const text = Buffer.from(JSON.stringify({ head, sizes: parts.map(({ length }) => length) }));
  return [Buffer.concat([Buffer.from(`${text.length}\n`), text]), ...parts];
}

/** Collects what a pipe gives until a frame is whole. What it holds together is at most `maxBytes`; beyond, it throws `FrameTooLarge`. */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #needed = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The frame that this chunk completed, or null. What follows a frame begins the next one. */
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

/** The frame at the beginning and where it ends, or how many bytes there must be before it is worth looking again. */
function readFrame(bytes: Uint8Array): { readonly frame: Frame; readonly end: number } | number {
  const newline = bytes.subarray(0, MAX_LENGTH_DIGITS + 1).indexOf(10);
  if (newline < 0) {
    if (bytes.length > MAX_LENGTH_DIGITS) throw new Error("a frame begins with its head's length");
    return bytes.length + 1;
  }
  const length = Number(Buffer.from(bytes.subarray(0, newline)).toString("latin1"));
  if (!Number.isInteger(length) || length < 2 || length > MAX_HEAD_BYTES) throw new Error("a head has no such length");
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
