/**
 * Takes values of secrets out of a body that is still coming, a paragraph at a time: what comes is held back until a blank
 * line, which ends an event of a stream of events, or the body's end. A value that goes over a blank line is not found. A
 * paragraph longer than a slice is released in slices, so that no search takes long. A value that crosses the end of a slice
 * is found.
 */
import { joinBytes } from "../../core/base/join-bytes.ts";
import { MAX_VALUE_BYTES } from "../../core/secrets/tenant-secret.ts";
import { MAX_ESCAPE_BYTES, type Redactor } from "../../core/web/redact-secrets.ts";

/** Bytes of a paragraph that are searched at once. */
const SLICE_BYTES = 524_288;
/** Bytes read past the end of a slice: a value that begins before the end is then complete. */
const MARGIN_BYTES = MAX_VALUE_BYTES * MAX_ESCAPE_BYTES;

const [LF, CR] = [10, 13];

/** The body without the values. It fails when more than `maxBytes` of it were read. */
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
        const end = lastBlankLine(held.at(-1) ?? EMPTY, part);
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

const EMPTY = new Uint8Array();

/** Where the last blank line of the chunk ends; 0: it has none. `before` is what came last before it. */
function lastBlankLine(before: Uint8Array, chunk: Uint8Array): number {
  const at = (index: number) => (index < 0 ? before.at(before.length + index) : chunk[index]);
  for (let index = chunk.length - 1; index >= 0; index -= 1) {
    if (at(index) !== LF && at(index) !== CR) continue;
    const previous = at(index) === LF && at(index - 1) === CR ? index - 2 : index - 1;
    if (at(previous) === LF || at(previous) === CR) return index + 1;
  }
  return 0;
}
