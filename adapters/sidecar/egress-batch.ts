/**
 * The format of several HTTP requests in one order, and of their replies: frames, each with the lengths of its head and
 * its body (two 32-bit numbers, the most significant byte first), the head as JSON, and the body. Replies come as they
 * arrive; `index` in the head is the place of their request.
 */
import { joinBytes } from "../../core/base/join-bytes.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { PacketError } from "./packet.ts";

/** Requests of one order. */
export const MAX_BATCH_REQUESTS = 16;
/** Bytes of one reply. A larger one is not for a batch. */
export const MAX_BATCH_REPLY_BYTES = 4 * 1024 * 1024;
/** Bytes of all requests. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Bytes of the URL and headers of one request. */
export const MAX_REQUEST_HEAD_BYTES = 256 * 1024;
/** Replies have headers too. */
const MAX_HEAD_BYTES = 1024 * 1024;
const LENGTH_BYTES = 4;
const PREFIX_BYTES = 2 * LENGTH_BYTES;

/** A head, which is JSON, and its body. */
export interface Frame {
  readonly head: Readonly<Record<string, unknown>>;
  readonly body: Uint8Array;
}

/** Encodes a frame. */
export function encodeFrame({ head, body }: Frame): Uint8Array<ArrayBuffer> {
  const headBytes = new TextEncoder().encode(JSON.stringify(head));
  const prefix = new DataView(new ArrayBuffer(PREFIX_BYTES));
  prefix.setUint32(0, headBytes.length);
  prefix.setUint32(LENGTH_BYTES, body.length);
  return joinBytes([new Uint8Array(prefix.buffer), headBytes, body]);
}

/** Takes bytes as they arrive and returns frames as they are complete. */
export class FrameReader {
  readonly #maxBodyBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  /** Bytes of the next frame as far as its prefix is known. */
  #needed = PREFIX_BYTES;

  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** False while a part of a frame has arrived. */
  get isComplete(): boolean {
    return this.#bytes === 0;
  }

  /** Throws `PacketError` for a damaged frame, and for one above the limits, before it is collected. */
  add(chunk: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes >= this.#needed) {
      const [only] = this.#chunks;
      const bytes = this.#chunks.length === 1 && only !== undefined ? only : joinBytes(this.#chunks);
      const prefix = new DataView(bytes.buffer, bytes.byteOffset, PREFIX_BYTES);
      const [head, body] = [prefix.getUint32(0), prefix.getUint32(LENGTH_BYTES)];
      if (head > MAX_HEAD_BYTES || body > this.#maxBodyBytes)
        throw new PacketError("too_large", `A frame has ${head} and ${body} bytes.`);
      const end = PREFIX_BYTES + head + body;
      if (bytes.length >= end) {
        frames.push(toFrame(bytes.subarray(PREFIX_BYTES, end), head));
        this.#chunks = [bytes.subarray(end)];
        this.#bytes -= end;
        this.#needed = PREFIX_BYTES;
      } else {
        this.#chunks = [bytes];
        this.#needed = end;
      }
    }
    return frames;
  }
}

function toFrame(bytes: Uint8Array, headLength: number): Frame {
  const head = parseJson(new TextDecoder().decode(bytes.subarray(0, headLength)));
  if (!isJsonObject(head)) throw new PacketError("invalid_input", "The head of a frame is invalid.");
  return { head, body: bytes.subarray(headLength) };
}

function isJsonObject(value: unknown): value is Frame["head"] {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
