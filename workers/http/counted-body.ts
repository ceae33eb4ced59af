/**
 * Reads a request's body against a limit: by its declared length before anything is read, and by count while it arrives. The
 * rest of a body that is too large stays unread: `drainBody` discards it while the answer is sent.
 */
import { OttoError } from "../../core/base/errors.ts";

/** The body is no valid HTTP: the answer is 400, where the rows of the table of errors say 422. */
export class UnreadableBody extends OttoError {
  constructor() {
    const message = "The body was cut off, or one of its chunks is malformed.";
    super({ code: "invalid_input", message, field: "body" });
    this.name = "UnreadableBody";
  }
}

/** Room for a body that does not say how long it is; it doubles whenever it is full. */
const FIRST_ROOM_BYTES = 65_536;

/**
 * The bytes; null when there are more than `maxBytes`. A body that says its length is read into a buffer of that length.
 * Any other grows in one, so that at most three times its size is held while it grows (the old room and the doubled one)
 * and nothing is copied at the end. Throws `UnreadableBody`.
 */
export async function readCounted(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const body: ReadableStream<Uint8Array> | null = request.body;
  if (body === null) return new Uint8Array();
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > maxBytes) return null;
  let bytes = new Uint8Array(declared > 0 ? declared : Math.min(FIRST_ROOM_BYTES, maxBytes));
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    // Rejects at a malformed chunk, and when the client closes the connection.
    const { done, value } = await reader.read().catch(() => {
      throw new UnreadableBody();
    });
    if (done) return bytes.subarray(0, size);
    const needed = size + value.byteLength;
    if (needed > maxBytes) {
      reader.releaseLock();
      return null;
    }
    if (needed > bytes.byteLength) bytes = grown(bytes, size, Math.min(maxBytes, Math.max(needed, 2 * size)));
    bytes.set(value, size);
    size = needed;
  }
}

function grown(bytes: Uint8Array<ArrayBuffer>, size: number, room: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(room);
  larger.set(bytes.subarray(0, size));
  return larger;
}
