/**
 * Redacts secrets from a body while it streams, one paragraph at a time: bytes are held until a blank line, which ends
 * an event of an event stream, or the end. A value across a blank line is not found. A paragraph longer than a slice is
 * released in slices, so that no search takes long; a value across the end of a slice is found.
 */
import { sleep } from "../../core/base/deadline.ts";
import { joinBytes } from "../../core/base/join-bytes.ts";
import { MAX_VALUE_BYTES } from "../../core/secrets/tenant-secret.ts";
import { MAX_ESCAPE_BYTES, type Redactor } from "../../core/web/redact-secrets.ts";

/** Bytes of a paragraph per search. */
const SLICE_BYTES = 524_288;
/** Bytes read past the end of a slice, so that a value that starts before the end is complete. */
const MARGIN_BYTES = MAX_VALUE_BYTES * MAX_ESCAPE_BYTES;

const [LF, CR] = [10, 13];

/** Returns the redacted body. Fails after more than `maxBytes` were read. */
export function redactBody(
  body: ReadableStream<Uint8Array>,
  redactor: Redactor,
  maxBytes: number,
): ReadableStream<Uint8Array> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let read = 0;
  const release = (last: Uint8Array): Uint8Array => {
    const whole = joinBytes([...held, last]);
    hold(EMPTY);
    return redactor.bytes(whole);
  };
  const hold = (rest: Uint8Array): void => {
    held = rest.length > 0 ? [rest] : [];
    heldBytes = rest.length;
  };
  const paragraphs = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      read += chunk.length;
      if (read > maxBytes) throw new RangeError(`the body has more than ${maxBytes} bytes`);
      for (let start = 0; start < chunk.length; start += SLICE_BYTES) {
        const part = chunk.subarray(start, start + SLICE_BYTES);
        const end = findLastBlankLine(held.at(-1) ?? EMPTY, part);
        if (end > 0) controller.enqueue(release(part.subarray(0, end)));
        if (end === part.length) continue;
        held.push(part.subarray(end));
        heldBytes += part.length - end;
        if (heldBytes <= SLICE_BYTES + MARGIN_BYTES) continue;
        const { out, rest } = redactor.cut(joinBytes(held), MARGIN_BYTES);
        controller.enqueue(out);
        hold(rest);
      }
    },
    flush(controller) {
      if (held.length > 0) controller.enqueue(release(EMPTY));
    },
  });
  return body.pipeThrough(paragraphs);
}

/**
 * Redacts a body that is in memory, in slices with other work between them: the memory and the time of one search grow
 * with its text, up to 80 ns for each byte. Reads no further than `maxBytes` of the result need. The same bytes when
 * nothing was found.
 */
export async function redactBytes(body: Uint8Array, redactor: Redactor, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let hasChanged = false;
  for (let [at, written] = [0, 0]; at < body.length && written <= maxBytes; ) {
    const slice = body.subarray(at, at + SLICE_BYTES + MARGIN_BYTES);
    const isLast = at + slice.length === body.length;
    const { out, rest } = isLast ? { out: redactor.bytes(slice), rest: EMPTY } : redactor.cut(slice, MARGIN_BYTES);
    const read = slice.length - rest.length;
    hasChanged ||= out.buffer !== body.buffer;
    pieces.push(out);
    written += out.length;
    at += read;
    if (!isLast) await sleep(globalThis, 0);
  }
  return hasChanged ? joinBytes(pieces) : body;
}

const EMPTY = new Uint8Array();

/** Returns where the last blank line of the chunk ends; 0 without one. `before` is the preceding chunk. */
function findLastBlankLine(before: Uint8Array, chunk: Uint8Array): number {
  const at = (index: number) => (index < 0 ? before.at(before.length + index) : chunk[index]);
  for (let index = chunk.length - 1; index >= 0; index -= 1) {
    if (at(index) !== LF && at(index) !== CR) continue;
    const previous = at(index) === LF && at(index - 1) === CR ? index - 2 : index - 1;
    if (at(previous) === LF || at(previous) === CR) return index + 1;
  }
  return 0;
}
