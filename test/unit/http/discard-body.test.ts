import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { discardBody } from "../../../workers/http/discard-body.ts";

const BOUNDS = { maxBytes: 1_000_000, idleMs: 10_000, totalMs: 60_000 };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A client that sends a piece every `everyMs`, and what became of its body. */
function sender(pieces: number, everyMs: number, bytes = 1_000) {
  const seen = { sent: 0, isCancelled: false };
  const body = new ReadableStream({
    type: "bytes",
    async pull(controller: ReadableByteStreamController) {
      if (seen.sent === pieces) {
        controller.close();
        const pending: unknown = controller.byobRequest;
        if (pending instanceof ReadableStreamBYOBRequest) pending.respond(0);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      seen.sent += 1;
      if (!seen.isCancelled) controller.enqueue(new Uint8Array(bytes));
    },
    cancel() {
      seen.isCancelled = true;
    },
  });
  return { seen, body };
}

describe("a body that is dropped", () => {
  test.each([
    ["is read to its end from a client that needs half a minute", 10, 3_000, false],
    ["is cancelled when the client stops for ten seconds", 10, 11_000, true],
    ["is cancelled after a minute in total", 100, 5_000, true],
  ])("%s", async (_, pieces, everyMs, isCancelled) => {
    const { seen, body } = sender(pieces, everyMs);
    const discarded = discardBody(body, BOUNDS);
    await vi.advanceTimersByTimeAsync(200_000);
    await discarded;
    expect(seen.isCancelled).toBe(isCancelled);
    if (!isCancelled) expect(seen.sent).toBe(pieces);
  });

  test("is cancelled past the most bytes", async () => {
    const { seen, body } = sender(100, 1, 100_000);
    const discarded = discardBody(body, BOUNDS);
    await vi.advanceTimersByTimeAsync(1_000);
    await discarded;
    expect([seen.isCancelled, seen.sent < 15]).toEqual([true, true]);
  });
});
