import { describe, expect, test } from "vitest";
import type { TaskEvent } from "../../../core/task/events.ts";
import { type EventStream, streamEvents } from "../../../workers/http/stream-events.ts";
import { formatWatched } from "../../../workers/tasks/format-event.ts";
import type { Watched } from "../../../workers/tasks/watch.ts";

const eventOf = (seq: number, type: TaskEvent["type"]): Watched => ({
  event: { seq, type, data: { task_id: "task_1", at: "2026-01-01T00:00:00.000Z" } },
});

/** A watch of these things that then waits for its signal; `closed` says whether it let go of what it holds. */
function watching(things: readonly Watched[]) {
  const state = { closed: false };
  async function* watch(signal: AbortSignal): AsyncGenerator<Watched> {
    try {
      yield* things;
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    } finally {
      state.closed = true;
    }
  }
  return { state, watch };
}

function stream(
  change: Partial<EventStream<Watched>> & Pick<EventStream<Watched>, "watch">,
): ReadableStream<Uint8Array> {
  return streamEvents({
    write: (watched) => formatWatched("task_1", watched, (event) => event),
    mayRead: async () => Infinity,
    report: (thrown) => expect.unreachable(String(thrown)),
    recheckMs: 20,
    ...change,
  });
}

const textOf = async (of: ReadableStream<Uint8Array>) => await new Response(of).text();
const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

describe("an event stream", () => {
  test("lets go of the task after the terminal event", async () => {
    const { state, watch } = watching([eventOf(1, "task.created"), eventOf(2, "task.completed")]);
    expect(idsIn(await textOf(stream({ watch })))).toEqual([1, 2]);
    await expect.poll(() => state.closed, { timeout: 20_000 }).toBe(true);
  });

  test.each([
    ["between two events", 1],
    ["while it waits", 2],
  ])("lets go of the task when the reader hangs up %s", async (_when, reads) => {
    const { state, watch } = watching([eventOf(1, "task.created"), eventOf(2, "task.started")]);
    const reader = stream({ watch }).getReader();
    for (let i = 0; i <= reads; i += 1) await reader.read();
    expect(state.closed).toBe(false);
    await reader.cancel();
    await expect.poll(() => state.closed, { timeout: 20_000 }).toBe(true);
  });

  test("ends when its reader may no longer read, within one look", async () => {
    const { state, watch } = watching([eventOf(1, "task.created")]);
    let looks = 0;
    const mayRead = async () => ((looks += 1) < 3 ? Infinity : null);
    expect(idsIn(await textOf(stream({ watch, mayRead })))).toEqual([1]);
    expect([looks, state.closed]).toEqual([3, true]);
  });

  test("ends and reports when it cannot check its reader's key", async () => {
    const { state, watch } = watching([eventOf(1, "task.created")]);
    const reported: unknown[] = [];
    const mayRead = async () => await Promise.reject(new Error("away"));
    await textOf(stream({ watch, mayRead, report: (thrown) => reported.push(thrown) }));
    expect(reported).toMatchObject([{ message: "away" }]);
    expect(state.closed).toBe(true);
  });

  test("ends and reports when the watch fails", async () => {
    const reported: unknown[] = [];
    async function* watch(): AsyncGenerator<Watched> {
      yield eventOf(1, "task.created");
      throw new Error("broken");
    }
    expect(idsIn(await textOf(stream({ watch, report: (thrown) => reported.push(thrown) })))).toEqual([1]);
    expect(reported).toMatchObject([{ message: "broken" }]);
  });

  test("does not stop a stream of events for the looks in between", async () => {
    const events = Array.from({ length: 50 }, (_, index) => eventOf(index + 1, "step.started"));
    async function* watch(): AsyncGenerator<Watched> {
      for (const event of [...events, eventOf(51, "task.completed")]) {
        await new Promise((resolve) => setTimeout(resolve, 2));
        yield event;
      }
    }
    expect(idsIn(await textOf(stream({ watch })))).toHaveLength(51);
  });
});
