import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followEvents } from "../../../web/src/api/event-stream.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", new EventTarget());
  // Of the spread of a wait, the middle.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});

afterEach(() => {
  vi.useRealTimers();
});

/** A connection: it brings one event without an id, as the live feed's are, and ends after this time. */
function connection(heldMs: number): Response {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('event: feed.open\ndata: {"at":"2026-11-22T10:00:00.000Z"}\n\n'));
      setTimeout(() => controller.close(), heldMs);
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** Follows the feed through these connections; null is a refusal. Gives the waits before each try after the first. */
async function waitsBetween(connections: readonly (number | null)[]): Promise<number[]> {
  const leaving = new AbortController();
  const waits: number[] = [];
  let endedAt: number | null = null;
  let tries = 0;
  vi.stubGlobal("fetch", async () => {
    if (endedAt !== null) waits.push(Date.now() - endedAt);
    const heldMs = connections[tries++];
    if (heldMs === undefined) leaving.abort();
    return await Promise.resolve(heldMs == null ? new Response(null, { status: 503 }) : connection(heldMs));
  });
  const onState = (state: string): void => {
    if (state === "lost") endedAt = Date.now();
  };
  const over = followEvents("/v1/events", { signal: leaving.signal, onEvent: () => undefined, onState });
  await vi.advanceTimersByTimeAsync(300_000);
  await over;
  return waits;
}

test("each wait between tries is twice the one before, up to ten seconds", async () => {
  const refusals = [null, null, null, null, null, null, null];
  expect(await waitsBetween(refusals)).toEqual([300, 600, 1_200, 2_400, 4_800, 9_600, 10_000]);
});

test("after a connection that held for a while, the first wait is the shortest again, whatever came over it", async () => {
  expect(await waitsBetween([null, null, null, null, 5_000, null])).toEqual([300, 600, 1_200, 2_400, 300, 600]);
});

test("an ended stream is not requested again", async () => {
  const asked = vi.fn<() => Promise<Response>>(async () => await Promise.resolve(new Response(null, { status: 204 })));
  vi.stubGlobal("fetch", asked);
  const states: string[] = [];
  const options = { signal: new AbortController().signal, onEvent: () => undefined };
  await followEvents("/v1/tasks/task_x/events", { ...options, after: "9", onState: (state) => states.push(state) });
  expect([states, asked.mock.calls.length]).toEqual([["connecting", "over"], 1]);
});

test("a connection that is cut off at once counts as a try that failed", async () => {
  expect(await waitsBetween([null, null, 100, 4_900, null])).toEqual([300, 600, 1_200, 2_400, 4_800]);
});
