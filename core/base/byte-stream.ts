/** Bytes of one part: few enough that a reader that copies each holds little more than the whole. */
const PART_BYTES = 1_048_576;

/** Converts bytes to a stream of parts without copying them. They must not change. */
export function toStream(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + PART_BYTES));
      at += PART_BYTES;
      if (at >= bytes.length) controller.close();
    },
  });
}
