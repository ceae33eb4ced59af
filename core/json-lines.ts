/** Values over a byte stream, one JSON text a line: the form in which the two hops of a step answer (RPC streams carry bytes). */

/** Streams what the generator yields. Cancelling the stream aborts the controller, which ends the generator's work. */
export function encodeLines<T>(lines: AsyncGenerator<T>, abort: AbortController): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const next = await lines.next();
      if (next.done === true) {
        controller.close();
        // A byte stream that closes with a read pending has to answer that read.
        controller.byobRequest?.respond(0);
      } else controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`));
    },
    async cancel() {
      abort.abort();
      await lines.return(undefined);
    },
  });
}

/** The values of a stream, and a way to stop it: cancelling ends the sender's work and the loop over the values. */
export interface LineReader<T> extends AsyncIterable<T> {
  cancel(): Promise<void>;
}

/** Reads the values back. A line that was cut off at the end of the stream is an error. */
export function readLines<T>(stream: ReadableStream<Uint8Array>): LineReader<T> {
  const reader = stream.getReader();
  const cancelled = { yes: false };
  const cancel = async () => {
    cancelled.yes = true;
    await reader.cancel().catch(() => undefined);
  };
  return { cancel, [Symbol.asyncIterator]: () => decodeLines<T>(reader, cancelled) };
}

async function* decodeLines<T>(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  cancelled: { readonly yes: boolean },
): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      rest += decoder.decode(value, { stream: true });
      let end = rest.indexOf("\n");
      while (end >= 0) {
        yield JSON.parse(rest.slice(0, end)) as T;
        rest = rest.slice(end + 1);
        end = rest.indexOf("\n");
      }
    }
    if (rest !== "" && !cancelled.yes) throw new Error("the stream was cut off in the middle of a line");
  } catch (thrown) {
    // A stream that comes over RPC fails its pending read when it is cancelled, where a local one ends it.
    if (!cancelled.yes) throw thrown;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
