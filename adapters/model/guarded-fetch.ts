/**
 * One call's connection to the model server: its limits, and what is rejected before parsing. The key is sent to the
 * configured address only, so redirects are not followed.
 */
import type { CallWatch } from "./call-watch.ts";
import { fromStatus, ModelCallFailed, createModelFailure, readBodyQuote, scrubQuote } from "./model-failure.ts";

/** Maximum bytes of an error reply. */
const MAX_ERROR_BYTES = 65_536;
/** Maximum bytes of one line of the stream; an event is one line, and a parser buffers it. */
export const MAX_LINE_BYTES = 4_194_304;
/** Maximum bytes of a stream. A token arrives in an envelope of 200 to 300 bytes. */
const MAX_STREAM_BYTES = 134_217_728;

/** The model server. `baseUrl` has no trailing slash; `apiKey` is null if unset. */
export interface ModelAddress {
  readonly baseUrl: string;
  readonly apiKey: string | null;
}

/** Sent without a key: servers on the same machine require one without checking it. */
const NO_KEY = "none";

/** The key of a request. */
export function getRequestKey(apiKey: string | null): string {
  return apiKey ?? NO_KEY;
}

/** The bytes of an event stream, within the limits. */
export interface EventBytes {
  /**
   * The next bytes; null at the end. Throws `ModelCallFailed` beyond the limits, and the errors of a broken connection.
   */
  read(): Promise<Uint8Array | null>;
  cancel(reason: unknown): Promise<void>;
}

/** Sends a request whose reply has to be an event stream. Throws `ModelCallFailed` for every other reply. */
export async function openEventStream(
  input: Parameters<typeof fetch>[0],
  init: Parameters<typeof fetch>[1],
  watch: CallWatch,
  apiKey: string | null,
): Promise<EventBytes> {
  const response = await fetch(input, { ...init, redirect: "manual", signal: watch.signal });
  watch.touch();
  if (!response.ok) {
    const quote = scrubQuote(readBodyQuote(await readAtMost(response, MAX_ERROR_BYTES)), apiKey ?? "");
    throw new ModelCallFailed(fromStatus(response.status, response.headers.get("retry-after"), quote, Date.now()));
  }
  const type = (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
  const body = response.body as ReadableStream<Uint8Array> | null;
  if (type !== "text/event-stream" || body === null) {
    await body?.cancel();
    throw new ModelCallFailed(
      createModelFailure("unavailable", true, "The model server's reply is not an event stream. Check the base URL."),
    );
  }
  return readBounded(body, watch);
}

/** A `fetch` for one call by the SDK, which reads its reply as a stream. */
export function createGuardedFetch(watch: CallWatch, apiKey: string | null): typeof fetch {
  return async (input, init) => {
    const bytes = await openEventStream(input, init, watch, apiKey);
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const next = await bytes.read();
          if (next === null) controller.close();
          else controller.enqueue(next);
        },
        cancel: (reason) => bytes.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

/** The failure of a stream beyond the limits. */
export function createTooLargeFailure(): ModelCallFailed {
  return new ModelCallFailed(
    createModelFailure("cut_off", true, "The model server exceeded the maximum size of a reply."),
  );
}

/** Counts while reading: a separate stream between the body and its reader would cost more than the reading. */
function readBounded(body: ReadableStream<Uint8Array>, watch: CallWatch): EventBytes {
  const reader = body.getReader();
  let total = 0;
  let line = 0;
  return {
    async read() {
      const { done, value } = await reader.read();
      if (done) {
        watch.complete();
        return null;
      }
      watch.touch();
      total += value.length;
      const newline = value.lastIndexOf(10);
      line = newline === -1 ? line + value.length : value.length - newline - 1;
      if (total > MAX_STREAM_BYTES || line > MAX_LINE_BYTES) throw createTooLargeFailure();
      return value;
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

async function readAtMost(response: Response, maxBytes: number): Promise<string> {
  const body = response.body as ReadableStream<Uint8Array> | null;
  if (body === null) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  for (let read = 0; read < maxBytes; ) {
    const { done, value } = await reader.read();
    if (done) return text;
    read += value.length;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}
