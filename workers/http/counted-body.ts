/**
 * Reads a request's body up to a limit: checks its declared length first, and counts the bytes as they arrive. The
 * rest of a body that is too large stays unread: `drainBody` discards it while the reply is sent.
 */
import { OttoError } from "../../core/base/errors.ts";

/** The body is not valid HTTP. The status is 400, not 422 as in the table of errors. */
export class UnreadableBody extends OttoError {
  constructor() {
    const message = "The body was cut off, or one of its chunks is malformed.";
    super({ code: "invalid_input", message, field: "body" });
    this.name = "UnreadableBody";
  }
}

/** First buffer for a body without a declared length. It doubles when it is full. */
const FIRST_BUFFER_BYTES = 65_536;

/**
 * Returns the bytes; null if there are more than `maxBytes`. A body with a declared length is read into a buffer of
 * that length. Any other buffer grows, so that at most three times its size is in memory (the old and the doubled
 * buffer) and nothing is copied at the end. Throws `UnreadableBody`.
 */
export async function readCounted(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const body: ReadableStream<Uint8Array> | null = request.body;
  if (body === null) return new Uint8Array();
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > maxBytes) return null;
  let bytes = new Uint8Array(declared > 0 ? declared : Math.min(FIRST_BUFFER_BYTES, maxBytes));
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    // Rejects a malformed chunk, or when the client closes the connection.
    const { done, value } = await reader.read().catch(() => {
      throw new UnreadableBody();
    });
    if (done) return bytes.subarray(0, size);
    const needed = size + value.byteLength;
    if (needed > maxBytes) {
      reader.releaseLock();
      return null;
    }
    if (needed > bytes.byteLength) bytes = growBuffer(bytes, size, Math.min(maxBytes, Math.max(needed, 2 * size)));
    bytes.set(value, size);
    size = needed;
  }
}

function growBuffer(bytes: Uint8Array<ArrayBuffer>, size: number, room: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(room);
  larger.set(bytes.subarray(0, size));
  return larger;
}
