/** Streams and repeats as a client meets them: connections that are cut, a runtime that is killed, requests sent twice. */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kill } from "../drill/started-system.ts";
import type { ScriptedReply } from "../mock-servers/model-server.ts";
import {
  type Caller,
  calling,
  scriptedInput,
  startTestSystem,
  untilTask,
  type TestSystem,
} from "../setup/start-system.ts";

let system: TestSystem;
let caller: Caller;

beforeAll(async () => {
  system = await startTestSystem();
  caller = await system.makeTenant("streams");
});

afterAll(async () => {
  await system?.stop();
});

/** Reads until `stop` says so, the stream ends, or the connection breaks. */
async function listen(
  id: string,
  after: number | null,
  stop: (message: EventSourceMessage) => boolean,
): Promise<EventSourceMessage[]> {
  const hangUp = new AbortController();
  const messages: EventSourceMessage[] = [];
  let stopped = false;
  const parser = createParser({
    onEvent(message) {
      if (stopped) return;
      messages.push(message);
      stopped = stop(message);
    },
  });
  try {
    const headers: Record<string, string> = after === null ? {} : { "last-event-id": String(after) };
    const response = await caller.open(`/v1/tasks/${id}/events`, headers, hangUp.signal);
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      return messages;
    }
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (stopped) break;
    }
  } catch {
    // The connection broke; what came before it counts.
  } finally {
    hangUp.abort();
  }
  return messages;
}

const withId = (messages: readonly EventSourceMessage[]) => messages.filter(({ id }) => id !== undefined);
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const isTerminal = (message: EventSourceMessage | undefined) =>
  /^task\.(completed|failed|cancelled)$/.test(message?.event ?? "");

async function makeTask(...replies: readonly ScriptedReply[]): Promise<string> {
  const made = await caller.send("POST", "/v1/tasks", { input: scriptedInput(...replies) });
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

async function log(id: string) {
  const page = await caller.send("GET", `/v1/tasks/${id}/log?limit=500`);
  return page.json.data as { seq: number; type: string; data: unknown }[];
}

const write = (name: string) => calling("write_file", { filename: `${name}.txt`, content: name });

describe("a stream", () => {
  test("cut at every event resumes with no gap and no repeat", async () => {
    const id = await makeTask(write("a"), write("b"), write("c"), { text: "Done." });
    await untilTask(caller, id, ({ status }) => status === "completed");
    const events = await log(id);
    expect(events.length).toBeGreaterThan(10);
    for (const { seq: cut } of events) {
      const before = await listen(id, null, (message) => Number(message.id) === cut);
      const after = await listen(id, cut, () => false);
      const read = withId([...before, ...after]).map(({ id: seq, event, data }) => ({
        seq: Number(seq),
        type: event,
        data: JSON.parse(data),
      }));
      expect(read).toEqual(events);
    }
  });

  test("cut after every message of a running task is complete in the end", async () => {
    const names = Array.from({ length: 8 }, (_, index) => `f${index}`);
    const id = await makeTask(...names.map((name) => ({ ...write(name), delayMs: 20 })), {
      text: "Done, all of it.",
      pieceCharacters: 3,
    });
    const all: EventSourceMessage[] = [];
    while (!isTerminal(withId(all).at(-1))) {
      const last = withId(all).at(-1)?.id;
      all.push(...(await listen(id, last === undefined ? null : Number(last), () => true)));
    }
    expect(withId(all).map(({ id: seq }) => Number(seq))).toEqual(upTo((await log(id)).length));
  });

  test("resumes after the runtime was killed", async () => {
    const names = Array.from({ length: 6 }, (_, index) => `k${index}`);
    const id = await makeTask(...names.map((name) => ({ ...write(name), delayMs: 400 })), { text: "Done." });
    const all: EventSourceMessage[] = [];
    let kills = 0;
    for (const end = Date.now() + 90_000; !isTerminal(withId(all).at(-1)) && Date.now() < end; ) {
      const last = withId(all).at(-1)?.id;
      all.push(
        ...(await listen(id, last === undefined ? null : Number(last), ({ event }) => {
          const pid = event === "step.completed" && kills < 2 ? system.system.workerdPid() : null;
          if (pid !== null && kill(pid)) kills += 1;
          return false;
        })),
      );
      await system.system.up();
    }
    expect(kills).toBe(2);
    expect(withId(all).map(({ id: seq }) => Number(seq))).toEqual(upTo((await log(id)).length));
    expect(all.at(-1)?.event).toBe("task.completed");
  });

  test("is read by many at once, in full by each of them", async () => {
    const id = await makeTask({ ...write("a"), delayMs: 200 }, { text: "Done." });
    const readers = await Promise.all(Array.from({ length: 20 }, async () => await listen(id, null, () => false)));
    const length = (await log(id)).length;
    for (const messages of readers) expect(withId(messages).map(({ id: seq }) => Number(seq))).toEqual(upTo(length));
  });
});

describe("a request that is sent again", () => {
  const body = { input: "count me once", hold: true };
  const post = async (by: Caller, key: string, given: unknown) =>
    await by.send("POST", "/v1/tasks", given, { "idempotency-key": key });

  test("fifty times at once makes one task and gets equal replies", async () => {
    const replies = await Promise.all(Array.from({ length: 50 }, async () => await post(caller, "fifty", body)));
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(201);
    const same = async () => {
      const { data } = (await caller.send("GET", "/v1/tasks?limit=100")).json;
      return data.filter(({ input }: { input: string }) => input === body.input);
    };
    for (const end = Date.now() + 20_000; (await same()).length === 0 && Date.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await same()).toHaveLength(1);
  });

  test("later gets the same reply, byte for byte", async () => {
    const [first, again] = [await post(caller, "later", body), await post(caller, "later", body)];
    await caller.send("POST", `/v1/tasks/${first.json.id}/cancel`);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect((await post(caller, "later", body)).text).toBe(first.text);
  });

  test("with another body is refused, and with another tenant's key makes another task", async () => {
    const first = await post(caller, "mine", body);
    const refused = await post(caller, "mine", { ...body, input: "something else" });
    expect([refused.status, refused.json.code]).toEqual([422, "invalid_input"]);
    const other = await system.makeTenant("repeats");
    const theirs = await post(other, "mine", body);
    expect(theirs.status).toBe(201);
    expect(theirs.json.id).not.toBe(first.json.id);
  });
});
