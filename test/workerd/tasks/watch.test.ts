import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { tasksFromEnv, type TaskStub } from "../../../adapters/env/tasks.ts";
import type { Result } from "../../../core/base/errors.ts";
import type { TaskEvent } from "../../../core/task/events.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { awaitTask } from "../../../workers/tasks/await.ts";
import { type Watched, type WatchedTask, watchTask } from "../../../workers/tasks/watch.ts";
import { makeCaller } from "../http/entry.ts";

/** What a bad line does to the frames of one connection: gives those that arrive, or null to break off. */
type Mischief = (frame: string, index: number) => readonly string[] | null;

/** A task's object behind a bad line. */
function behindBadLine(open: () => TaskStub, mischief: Mischief): () => WatchedTask {
  return () => ({
    events: async (after, limit) => await open().events(after, limit),
    async fetch(url, init) {
      const answer = await open().fetch(url, init);
      const far = answer.webSocket;
      if (far === null) return answer;
      const { 0: client, 1: near } = new WebSocketPair();
      near.accept();
      let index = 0;
      far.addEventListener("message", ({ data }) => {
        const arriving = mischief(String(data), index);
        index += 1;
        for (const frame of arriving ?? []) near.send(frame);
        if (arriving === null) near.close(1011, "broken");
      });
      near.addEventListener("close", () => far.close(1000, "done"));
      far.accept();
      return new Response(null, { status: 101, webSocket: client, headers: answer.headers });
    },
  });
}

const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

describe("a watcher yields every event once and in order", () => {
  test.each<[string, Mischief]>([
    // The last one arrives: what is lost is seen by what comes after it.
    ["when frames are lost", (frame, index) => (index % 3 === 1 && !frame.includes("task.completed") ? [] : [frame])],
    ["when all frames but the last few are lost", (frame) => (frame.includes("task.completed") ? [frame] : [])],
    ["when frames come twice", (frame) => [frame, frame]],
    ["when the connection breaks at every second frame", (frame, index) => (index === 1 ? null : [frame])],
    ["when nothing goes wrong", (frame) => [frame]],
  ])("%s", async (_what, mischief) => {
    const caller = await makeCaller();
    const write = (name: string) => ({
      calls: [{ name: "write_file", arguments: { filename: name, content: "x" } }],
      delayMs: 20,
    });
    const { id } = await caller.makeTask([write("a.txt"), write("b.txt"), write("c.txt"), { text: "Done." }], {
      hold: true,
    });
    const open = () => tasksFromEnv(env)(caller.tenant, id);
    const seen: number[] = [];
    const signal = new AbortController().signal;
    for await (const item of watchTask(behindBadLine(open, mischief), 0, signal)) {
      if ("text" in item) seen.push(...idsIn(item.text));
      if (!("event" in item)) continue;
      seen.push(item.event.seq);
      if (item.event.type === "task.created") await caller.send("POST", `/v1/tasks/${id}/start`);
    }
    const page = await open().events(0, 500);
    expect(page.ok && page.value.events.map(({ seq }) => seq)).toEqual(seen);
    expect(seen.length).toBeGreaterThan(10);
  });
});

/** A task's object that is away in some way: `fetch` and `events` as given, and how often it was tried. */
function lost(fetch: () => Promise<Response>, events: WatchedTask["events"] = async () => EMPTY) {
  const state = { tries: 0 };
  const open = (): WatchedTask => ({
    events,
    async fetch() {
      state.tries += 1;
      return await fetch();
    },
  });
  return { state, open };
}

const EMPTY = { ok: true, value: { events: [], last: 0, done: false } } as const;
const eventOf = (seq: number, type: TaskEvent["type"] = "step.started"): TaskEvent => ({
  seq,
  type,
  data: { task_id: "task_1", at: "" },
});
const marked = (mark: string) => Object.assign(new Error("gone"), { [mark]: true });

/** A connection, and its far end. */
function connection(): { response: Response; far: WebSocket } {
  const { 0: client, 1: far } = new WebSocketPair();
  far.accept();
  return { response: new Response(null, { status: 101, webSocket: client }), far };
}

async function watchAll(open: () => WatchedTask, signal = new AbortController().signal): Promise<Watched[]> {
  const items: Watched[] = [];
  for await (const item of watchTask(open, 0, signal)) items.push(item);
  return items;
}

describe("a watcher stops reconnecting", () => {
  test.concurrent.each([
    ["the object stays away", async () => await Promise.reject(marked("durableObjectReset"))],
    ["the object stays overloaded", async () => await Promise.reject(marked("overloaded"))],
    [
      "every connection is closed at once",
      async () => {
        const { response, far } = connection();
        far.close(1000, "no");
        return response;
      },
    ],
  ])("when %s", async (_what, fetch) => {
    const { state, open } = lost(fetch);
    await expect(watchAll(open)).rejects.toMatchObject({ failure: { code: "upstream_failed" } });
    expect(state.tries).toBeGreaterThan(5);
  });

  test.each([
    ["the object answers no connection", async () => new Response(null, { status: 500 }), async () => EMPTY],
    [
      "the log cannot be read",
      async () => connection().response,
      async () => await Promise.reject(new Error("defect")),
    ],
    [
      "a frame cannot be read",
      async () => {
        const { response, far } = connection();
        far.send("{");
        return response;
      },
      async () => EMPTY,
    ],
  ])("and gives up at once when %s", async (_what, fetch, events) => {
    const { state, open } = lost(fetch, events);
    await expect(watchAll(open)).rejects.toThrow(Error);
    expect(state.tries).toBe(1);
  });

  test("and says of a task that is not there that it is not", async () => {
    const { open } = lost(async () => new Response(null, { status: 404 }));
    await expect(watchAll(open)).rejects.toMatchObject({ failure: { code: "not_found" } });
  });
});

test("a watcher reads on after a page shorter than its limit", async () => {
  const log = [eventOf(1), eventOf(2), eventOf(3), eventOf(4, "task.completed")];
  const { open } = lost(
    async () => connection().response,
    async (after) => {
      const events = log.slice(after, after + 2);
      return { ok: true, value: { events, last: after + events.length, done: after + events.length === 4 } };
    },
  );
  expect(await watchAll(open)).toEqual(log.map((event) => ({ event })));
});

describe("a watcher closes its connection", () => {
  /** A quiet task's object, and whether the connection to it was closed from here. */
  function quiet() {
    const state = { closed: false };
    const { open } = lost(
      async () => {
        const { response, far } = connection();
        far.addEventListener("close", () => {
          state.closed = true;
        });
        return response;
      },
      async (after) => ({ ok: true, value: { events: after === 0 ? [eventOf(1)] : [], last: 1, done: false } }),
    );
    return { state, open };
  }

  test("when the reader stops at an event", async () => {
    const { state, open } = quiet();
    for await (const item of watchTask(open, 0, new AbortController().signal)) if ("event" in item) break;
    await expect.poll(() => state.closed, { timeout: 20_000 }).toBe(true);
  });

  test("when it is cancelled while it waits", async () => {
    const { state, open } = quiet();
    const abort = new AbortController();
    let items = 0;
    for await (const _item of watchTask(open, 0, abort.signal)) {
      items += 1;
      setTimeout(() => abort.abort(), 50);
    }
    expect(items).toBe(1);
    await expect.poll(() => state.closed, { timeout: 20_000 }).toBe(true);
  });

  test("when it was cancelled before it had one", async () => {
    const abort = new AbortController();
    let closed = false;
    const { open } = lost(async () => {
      abort.abort();
      const { response, far } = connection();
      far.addEventListener("close", () => {
        closed = true;
      });
      return response;
    });
    expect(await watchAll(open, abort.signal)).toEqual([]);
    await expect.poll(() => closed, { timeout: 20_000 }).toBe(true);
  });
});

describe("a slow consumer", () => {
  const text = (from: number, to: number, characters: number) => `${from} ${to}\n${"x".repeat(characters)}`;

  /** What a consumer gets that takes the first event, waits, and then reads on. */
  async function readSlowly(frames: readonly string[]): Promise<string[]> {
    const { response, far } = connection();
    const log = [eventOf(1), eventOf(2), eventOf(3, "task.completed")];
    // The second page is empty: the rest happens while the consumer waits.
    const lengths = [1, 1];
    const { open } = lost(
      async () => response,
      async (after) => {
        const events = log.slice(after, lengths.shift());
        return { ok: true, value: { events, last: after + events.length, done: after + events.length === 3 } };
      },
    );
    const items: string[] = [];
    for await (const item of watchTask(open, 0, new AbortController().signal)) {
      items.push("event" in item ? `event ${item.event.seq}` : "text" in item ? `text ${item.text.length}` : "delta");
      if (items.length > 2) continue;
      // The first frame shows that the log was read.
      for (const frame of items.length === 1 ? [text(0, 0, 1)] : frames) far.send(frame);
      if (items.length === 2) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return items;
  }

  const end = JSON.stringify({ events: [eventOf(3, "task.completed")] });

  test("loses deltas that do not fit, and no event", async () => {
    const deltas = [text(0, 0, 200_000), text(0, 0, 200_000), text(0, 0, 200_000)];
    const items = await readSlowly([...deltas, text(2, 2, 10), end]);
    expect(items).toEqual(["event 1", "text 1", "text 200000", "text 200000", "text 10", "event 3"]);
  });

  test("reads events that do not fit from the log", async () => {
    const items = await readSlowly([text(2, 2, 600_000), end]);
    expect(items).toEqual(["event 1", "text 1", "event 2", "event 3"]);
  });
});

describe("the object", () => {
  /** A task's object that counts what is sent and asked. */
  function count(open: () => TaskStub) {
    const counted = { frames: [] as string[], pages: 0, views: 0 };
    const watched = behindBadLine(open, (frame) => {
      counted.frames.push(frame);
      return [frame];
    });
    return {
      counted,
      open: () => ({
        fetch: watched().fetch,
        events: async (after: number, limit: number) => {
          counted.pages += 1;
          return await open().events(after, limit);
        },
        view: async () => {
          counted.views += 1;
          return await open().view();
        },
      }),
    };
  }

  const steps = Array.from({ length: 6 }, (_, index) => ({
    calls: [{ name: "write_file", arguments: { filename: `${index}.txt`, content: "x" } }],
  }));

  async function makeHeld(replies: readonly unknown[]) {
    const caller = await makeCaller();
    const { id } = await caller.makeTask(replies, { hold: true });
    const start = async () => await caller.send("POST", `/v1/tasks/${id}/start`);
    return { caller, id, start, open: () => tasksFromEnv(env)(caller.tenant, id) };
  }

  test("sends one sign to a request that waits for the end, which reads no event", async () => {
    const { start, open } = await makeHeld([...steps, { text: "Done." }]);
    const { counted, open: watched } = count(open);
    const waiting = awaitTask(watched, 20_000);
    await start();
    expect(await waiting).toMatchObject({ ok: true, value: { status: "completed" } });
    expect(counted).toEqual({ frames: ["settled"], pages: 0, views: 1 });
  });

  test("says at once that a task had settled before the request waited", async () => {
    const { caller, id, start, open } = await makeHeld([
      { calls: [{ name: "ask_human", arguments: { query: "Go?" } }] },
    ]);
    await start();
    await caller.until(id, ({ status }) => status === "waiting_input");
    const { counted, open: watched } = count(open);
    expect(await awaitTask(watched, 20_000)).toMatchObject({ ok: true, value: { status: "waiting_input" } });
    expect(counted).toEqual({ frames: ["settled"], pages: 0, views: 1 });
  });

  test("of an earlier release is asked for each of its frames whether the task has settled", async () => {
    const { response, far } = connection();
    const views = ["running", "running", "completed"];
    const open = () => ({
      fetch: async () => response,
      events: async () => EMPTY,
      view: async () => {
        if (views.length > 1) far.send(JSON.stringify({ events: [eventOf(1)] }));
        return { ok: true, value: { status: views.shift(), pending: [] } } as unknown as Result<TaskView>;
      },
    });
    expect(await awaitTask(open, 20_000)).toMatchObject({ value: { status: "completed" } });
  });

  test("formats a frame once for 50 watchers, and sends few", async () => {
    const { start, open } = await makeHeld([...steps, { text: "Done." }]);
    const all = Array.from({ length: 50 }, () => count(open));
    const reading = all.map(async ({ open: watched }) => {
      const seen: number[] = [];
      for await (const item of watchTask(watched, 0, new AbortController().signal))
        seen.push(...("event" in item ? [item.event.seq] : "text" in item ? idsIn(item.text) : []));
      return seen;
    });
    await expect.poll(() => all.every(({ counted }) => counted.pages === 2), { timeout: 20_000 }).toBe(true);
    const startedAt = Date.now();
    await start();
    const logs = await Promise.all(reading);
    const windows = (Date.now() - startedAt) / 250;
    const page = await open().events(0, 500);
    const whole = page.ok ? page.value.events.map(({ seq }) => seq) : [];
    expect(whole.length).toBeGreaterThan(30);
    for (const log of logs) expect(log).toEqual(whole);
    const [first] = all;
    for (const { counted } of all) {
      expect(counted.frames).toEqual(first?.counted.frames);
      // One window for each twelve that frames with awaited text have, the first frame, and the terminal event.
      expect(counted.frames.length).toBeLessThanOrEqual(Math.ceil(windows / 12) + 3);
      expect(counted.pages).toBe(2);
    }
  });

  test("sends events and deltas as JSON to a Worker of an earlier release", async () => {
    const { start, open } = await makeHeld([{ text: "one two three", pieceCharacters: 4, delayMs: 100 }]);
    const socket = (await open().fetch("https://task/watch", { headers: { upgrade: "websocket" } })).webSocket;
    const frames: { events?: TaskEvent[]; delta?: { text: string } }[] = [];
    socket?.addEventListener("message", ({ data }) => void frames.push(JSON.parse(String(data))));
    socket?.accept();
    await start();
    const events = () => frames.flatMap((frame) => frame.events ?? []);
    await expect.poll(() => events().at(-1)?.type, { timeout: 20_000 }).toBe("task.completed");
    const page = await open().events(events()[0]?.seq ?? 0, 500);
    expect(page.ok && page.value.events).toEqual(events().slice(1));
    expect(frames.map(({ delta }) => delta?.text ?? "").join("")).toBe("one two three");
    socket?.close(1000, "done");
  });
});
