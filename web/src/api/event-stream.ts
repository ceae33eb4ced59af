/**
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), read with fetch: the browser's own
 * EventSource gives up at any answer but 200, such as that of a restarting server.
 */
import { EventSourceParserStream } from "eventsource-parser/stream";
import { ApiError } from "./problem.ts";
import type { StreamEvent } from "./stream-event.ts";

/** `live`: connected; `lost`: reconnecting; `over`: ended or refused by the server, final. */
export type StreamState = "connecting" | "live" | "lost" | "over";

export interface FollowOptions {
  /** Where to begin: the id of the last event that is known already. */
  readonly after?: string | null;
  readonly onEvent: (event: StreamEvent) => void;
  readonly onState: (state: StreamState, error: ApiError | null) => void;
  /** Whether the stream is whole after this event; a connection that ends otherwise is made again. */
  readonly isLast?: (event: StreamEvent) => boolean;
  readonly signal: AbortSignal;
}

/** Milliseconds between tries: doubled from the first to the last. */
const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 10_000;
/** A connection of this duration resets the back-off. Events do not count: those of the live feed have no ids. */
const STEADY_MS = 5_000;
/** Longer than the server's own heartbeat takes; a connection that says nothing so long is dead. */
const SILENCE_MS = 45_000;

/** Reads until the last event, the signal, or a refusal that trying again does not change. Never rejects. */
export async function followEvents(path: string, options: FollowOptions): Promise<void> {
  const { signal, onState } = options;
  let after = options.after ?? null;
  let waitMs = FIRST_WAIT_MS;
  onState("connecting", null);
  while (!signal.aborted) {
    let liveSince = Infinity;
    try {
      const isOver = await readOnce(path, after, options, {
        onLive: () => {
          liveSince = Date.now();
          onState("live", null);
        },
        onId: (id) => {
          after = id;
          waitMs = FIRST_WAIT_MS;
        },
      });
      if (isOver) return onState("over", null);
    } catch (thrown) {
      if (thrown instanceof ApiError && !thrown.isPassing) return onState("over", thrown);
    }
    if (signal.aborted) return;
    onState("lost", null);
    if (Date.now() - liveSince >= STEADY_MS) waitMs = FIRST_WAIT_MS;
    await pause(waitMs * (0.7 + Math.random() * 0.6), signal);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

/** What one connection tells of itself. */
interface Connection {
  readonly onLive: () => void;
  readonly onId: (id: string) => void;
}

async function readOnce(
  path: string,
  after: string | null,
  { onEvent, isLast, signal }: FollowOptions,
  { onLive, onId }: Connection,
): Promise<boolean> {
  const silence = new AbortController();
  const either = AbortSignal.any([signal, silence.signal]);
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const headers = { accept: "text/event-stream", ...(after === null ? {} : { "last-event-id": after }) };
    const response = await fetch(path, { headers, signal: either, cache: "no-store" });
    // The stream has ended, and nothing follows.
    if (response.status === 204) return true;
    if (!response.ok || response.body === null) throw new ApiError(response.status, null);
    onLive();
    const heard = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_MS);
        controller.enqueue(chunk);
      },
    });
    // The types of the two streams differ in name alone.
    const decoder = new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>;
    const reader = response.body
      .pipeThrough(heard)
      .pipeThrough(decoder)
      .pipeThrough(new EventSourceParserStream())
      .getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return false;
      const event = { id: value.id ?? null, event: value.event ?? "message", data: JSON.parse(value.data) as unknown };
      if (event.id !== null) onId(event.id);
      onEvent(event);
      if (isLast?.(event) === true) return true;
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** Waits, but no longer than until the browser says that the network is back. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      window.removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    window.addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}
