import { env } from "cloudflare:workers";
import { abortAllDurableObjects } from "cloudflare:test";
import { EventSourceParserStream, type EventSourceMessage } from "eventsource-parser/stream";
import { describe, expect, test, vi } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { TenantObject } from "../../../workers/index.ts";
import { type Caller, expectProblem, makeCaller, open } from "../http/entry.ts";
import { newKey, newTenant, send, sendJson, type TestTenant } from "../tenant/client.ts";

const write = (name: string) => ({ calls: [{ name: "write_file", arguments: { filename: name, content: "x" } }] });
const ask = { calls: [{ name: "ask_human", arguments: { query: "Go on?" } }] };

/** Reads a stream; `stop` says after which message to hang up. */
async function listen(
  caller: Caller,
  path: string,
  headers: Record<string, string> = {},
  stop: (message: EventSourceMessage) => boolean = () => false,
): Promise<EventSourceMessage[]> {
  const response = await open(caller, path, headers);
  if (response.status === 204) return [];
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const messages: EventSourceMessage[] = [];
  const reader = response
    .body!.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    messages.push(value);
    if (stop(value)) break;
  }
  await reader.cancel();
  return messages;
}

const withId = (messages: readonly EventSourceMessage[]) => messages.filter(({ id }) => id !== undefined);
const ids = (messages: readonly EventSourceMessage[]) => withId(messages).map(({ id }) => Number(id));
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

async function log(caller: Caller, id: string) {
  const page = (await caller.send("GET", `/v1/tasks/${id}/log?limit=500`)).json;
  return page.data as { seq: number; type: string; data: Record<string, unknown> }[];
}

describe("the stream of a task", () => {
  test("sends everything in order, with its fields, and ends after the terminal event", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([write("a.txt"), { text: "Done." }]);
    const messages = await listen(caller, `/v1/tasks/${task.id}/events`);
    const events = await log(caller, task.id);
    expect(ids(messages)).toEqual(upTo(events.length));
    expect(withId(messages).map(({ event, data }) => [event, JSON.parse(data)])).toEqual(
      events.map(({ type, data }) => [type, data]),
    );
    expect(messages.at(-1)?.event).toBe("task.completed");
    for (const { data } of messages)
      expect(JSON.parse(data)).toMatchObject({ task_id: task.id, at: expect.any(String) });
  });

  test("streams the model's text as it is written, without a position in the log", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([{ text: "one two three four", delayMs: 300, pieceCharacters: 4 }]);
    const messages = await listen(caller, `/v1/tasks/${task.id}/events`);
    const deltas = messages.filter(({ event }) => event === "message.delta");
    expect(deltas.map(({ data }) => JSON.parse(data).text).join("")).toBe("one two three four");
    for (const { id, data } of deltas)
      expect([id, JSON.parse(data).step, JSON.parse(data).attempt]).toEqual([undefined, 1, 1]);
    expect((await log(caller, task.id)).some(({ type }) => type === "message.delta")).toBe(false);
  });

  test("resumes without a gap or a repeat after a cut at any event, by the header or by the query", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([write("a.txt"), write("b.txt"), { text: "Done." }]);
    const full = withId(await listen(caller, `/v1/tasks/${task.id}/events`));
    for (const cut of ids(full)) {
      const path = `/v1/tasks/${task.id}/events`;
      const before = await listen(caller, path, {}, ({ id }) => Number(id) === cut);
      const after = await listen(caller, path, { "last-event-id": String(cut) });
      const byQuery = await listen(caller, `${path}?after=${cut}`);
      expect(withId([...before, ...after])).toEqual(full);
      expect(withId(byQuery)).toEqual(withId(after));
    }
  });

  test("resumes at the cut while the task runs", async () => {
    const caller = await makeCaller();
    const names = ["a", "b", "c", "d", "e", "f"];
    const task = await caller.makeTask([
      ...names.map((name) => ({ ...write(`${name}.txt`), delayMs: 30 })),
      { text: "Done." },
    ]);
    const all: EventSourceMessage[] = [];
    for (let connections = 1; all.at(-1)?.event !== "task.completed"; connections += 1) {
      expect(connections).toBeLessThan(200);
      const last = String(withId(all).at(-1)?.id ?? 0);
      let taken = 0;
      all.push(
        ...(await listen(caller, `/v1/tasks/${task.id}/events`, { "last-event-id": last }, () => (taken += 1) === 3)),
      );
    }
    expect(ids(all)).toEqual(upTo((await log(caller, task.id)).length));
  });

  test("survives the death of the task's object", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([ask, { text: "Done." }]);
    const waiting = await caller.until(task.id, ({ status }) => status === "waiting_input");
    const listening = listen(caller, `/v1/tasks/${task.id}/events`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await abortAllDurableObjects();
    const [question] = waiting.pending;
    const path = `/v1/tasks/${task.id}/questions/${(question as { id: string }).id}/answer`;
    expect((await caller.send("POST", path, { text: "Yes" })).status).toBe(200);
    const messages = await listening;
    expect(ids(messages)).toEqual(upTo((await log(caller, task.id)).length));
    expect(messages.at(-1)?.event).toBe("task.completed");
  });

  test("drops deltas but no event for a slow reader", async () => {
    const caller = await makeCaller();
    const text = "x".repeat(30_000);
    const task = await caller.makeTask([{ text, pieceCharacters: 1 }], { hold: true });
    const response = await open(caller, `/v1/tasks/${task.id}/events`);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let sent = "";
    const readOn = async (until: string) => {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        sent += read.value;
        if (sent.includes(until)) return;
      }
    };
    await readOn("event: task.created");
    await caller.send("POST", `/v1/tasks/${task.id}/start`);
    await readOn("event: message.delta");
    await caller.until(task.id, ({ status }) => status === "completed");
    await readOn("event: nothing");
    const deltas = sent.match(/^event: message\.delta$/gm) ?? [];
    expect(deltas.length).toBeGreaterThan(0);
    expect(deltas.length).toBeLessThan(text.length / 2);
    const seqs = [...sent.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(seqs).toEqual(upTo((await log(caller, task.id)).length));
  });

  test("of an ended task answers 204 after its last event, and the last event one position before", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([{ text: "Done." }]);
    const last = ids(await listen(caller, `/v1/tasks/${task.id}/events`)).at(-1) ?? 0;
    const path = `/v1/tasks/${task.id}/events`;
    for (const [query, headers] of [
      ["", { "last-event-id": String(last) }],
      ["", { "last-event-id": String(last + 1) }],
      [`?after=${last + 100}`, {}],
    ] as const) {
      const answer = await caller.send("GET", `${path}${query}`, undefined, headers);
      expect([answer.status, answer.text]).toEqual([204, ""]);
      expect((await caller.send("HEAD", `${path}${query}`, undefined, headers)).status).toBe(204);
    }
    expect(ids(await listen(caller, `${path}?after=${last - 1}`))).toEqual([last]);
  });

  test("rejects an invalid position and an unknown task", async () => {
    const caller = await makeCaller();
    const task = await caller.makeTask([], { hold: true });
    const path = `/v1/tasks/${task.id}/events`;
    expectProblem(await caller.send("GET", path, undefined, { "last-event-id": "x" }), 422, "Last-Event-ID");
    expectProblem(await caller.send("GET", `${path}?after=-1`), 422, "after");
    expectProblem(await caller.send("GET", `${path}?limit=5`), 422, "limit");
    expectProblem(await caller.send("GET", "/v1/tasks/task_00000000000000000000000000/events"), 404);
    const head = await caller.send("HEAD", path);
    expect([head.status, head.text]).toEqual([200, ""]);
  });
});

test("a page of the log names the position of the next one", async () => {
  const caller = await makeCaller();
  const task = await caller.makeTask([write("a.txt"), { text: "Done." }]);
  await caller.until(task.id, ({ status }) => status === "completed");
  const read = async (query: string) => (await caller.send("GET", `/v1/tasks/${task.id}/log?${query}`)).json;
  const seen: number[] = [];
  let page = await read("limit=2");
  for (; page.next_cursor !== null; page = await read(`limit=2&after=${page.next_cursor}`)) {
    seen.push(...page.data.map(({ seq }: { seq: number }) => seq));
  }
  seen.push(...page.data.map(({ seq }: { seq: number }) => seq));
  expect(seen).toEqual(upTo(seen.length));
  expect([page.done, page.last]).toEqual([true, seen.length]);
  // The page as clients of earlier releases read it.
  const old = await caller.send("GET", `/v1/tasks/${task.id}/events?after=1`, undefined, {
    accept: "application/json",
  });
  expect(old.json).toEqual(await read("after=1"));
});

test("a page of a log that can still grow says that it is the last one exactly when it is", async () => {
  const caller = await makeCaller();
  const task = await caller.makeTask([ask]);
  await caller.until(task.id, ({ status }) => status === "waiting_input");
  const count = (await log(caller, task.id)).length;
  const read = async (query: string) => (await caller.send("GET", `/v1/tasks/${task.id}/log?${query}`)).json;
  for (const limit of [1, count - 1, count, count + 1]) {
    const page = await read(`limit=${limit}`);
    const size = Math.min(limit, count);
    expect([page.data.length, page.last, page.done]).toEqual([size, size, false]);
    expect(page.next_cursor).toBe(size === count ? null : String(size));
  }
  expect(await read(`after=${count}`)).toEqual({ data: [], next_cursor: null, last: count, done: false });
});

test("the event that completes a task lists the addresses of its files, in the stream and in the page", async () => {
  const caller = await makeCaller();
  const attach = { calls: [{ name: "attach_file", arguments: { filename: "a.txt" } }] };
  const task = await caller.makeTask([write("a.txt"), attach, { text: "Done." }]);
  const view = await caller.until(task.id, ({ status }) => status === "completed");
  const sha256 = view.output?.files[0]?.sha256 ?? "";
  const url = `http://otto.test/v1/tasks/${task.id}/files/a.txt?sha256=${sha256}`;
  expect(view.output?.files).toMatchObject([{ path: "a.txt", size: 1, url }]);
  const sent = (await listen(caller, `/v1/tasks/${task.id}/events`)).at(-1);
  expect(JSON.parse(sent?.data ?? "").output).toEqual(view.output);
  expect((await log(caller, task.id)).at(-1)?.data["output"]).toEqual(view.output);
});

describe("a stream outlives no key", () => {
  test("that is revoked", async () => {
    const tenant = await newTenant();
    const key = await newKey(tenant, ["tasks:read"]);
    const task = await makeHeldTask(tenant);
    const stream = await send({ path: `/v1/tasks/${task}/events`, key: key.key });
    const text = stream.text();
    expect((await send({ method: "DELETE", path: `/v1/keys/${key.id}`, key: tenant.key })).status).toBe(200);
    const revokedAt = Date.now();
    expect(await text).toContain("event: task.created");
    // It looks every three seconds.
    expect(Date.now() - revokedAt).toBeLessThan(5_000);
  });

  test("that is revoked elsewhere before a stream of a cached caller opens", async () => {
    const { tenant, key, task } = await makeReader();
    expect((await send({ path: `/v1/tasks/${task}`, key: key.key })).status).toBe(200);
    // As another isolate does: nothing tells this one.
    await tenantsFromEnv(env)(tenant.id).revoke(key.id);
    const revokedAt = Date.now();
    await scheduler.wait(2_300);
    const stream = await send({ path: `/v1/tasks/${task}/events`, key: key.key });
    expect(stream.status).toBe(200);
    await stream.text();
    expect(Date.now() - revokedAt).toBeLessThan(5_000);
  });

  test("that is revoked, also when the check of another stream hangs", async () => {
    const { tenant, key, task } = await makeReader();
    const texts = await openStreams(key.key, task, 2);
    const isRevoked = TenantObject.prototype.isRevoked;
    let asks = 0;
    vi.spyOn(TenantObject.prototype, "isRevoked").mockImplementation(async function (this: TenantObject, ...asked) {
      asks += 1;
      if (asks === 1) await scheduler.wait(8_000);
      return await isRevoked.apply(this, asked);
    });
    await revoke(tenant, key.id);
    const revokedAt = Date.now();
    await Promise.all(texts);
    expect(Date.now() - revokedAt).toBeLessThan(5_000);
  });

  test("and 20 streams of one key ask once in three seconds, those of another key apart", async () => {
    const { tenant, key, task } = await makeReader();
    const other = await newKey(tenant, ["tasks:read"]);
    const asks = vi.spyOn(TenantObject.prototype, "isRevoked");
    const texts = await openStreams(key.key, task, 20);
    const others = await openStreams(other.key, task, 1);
    await scheduler.wait(7_000);
    const askedFor = (id: string) => asks.mock.calls.filter(([asked]) => asked === id).length;
    expect(askedFor(key.id)).toBeGreaterThanOrEqual(2);
    expect(askedFor(key.id)).toBeLessThanOrEqual(3);
    expect(askedFor(other.id)).toBeGreaterThanOrEqual(2);
    await revoke(tenant, key.id);
    const revokedAt = Date.now();
    await Promise.all(texts);
    expect(Date.now() - revokedAt).toBeLessThan(5_000);
    const isOpen = await Promise.race([Promise.all(others).then(() => false), scheduler.wait(1_000).then(() => true)]);
    expect(isOpen).toBe(true);
    await revoke(tenant, other.id);
    await Promise.all(others);
  });

  test("that expires", async () => {
    const tenant = await newTenant();
    const task = await makeHeldTask(tenant);
    const key = await newKey(tenant, ["tasks:read"], new Date(Date.now() + 4000).toISOString());
    const stream = await send({ path: `/v1/tasks/${task}/events`, key: key.key });
    expect(stream.status).toBe(200);
    expect(await stream.text()).toContain("event: task.created");
  });
});

/** A tenant with a draft task, and a key that can read it. */
async function makeReader() {
  const tenant = await newTenant();
  return { tenant, key: await newKey(tenant, ["tasks:read"]), task: await makeHeldTask(tenant) };
}

/** Opens streams of a task; each gives its text once it has ended. */
async function openStreams(key: string, task: string, count: number): Promise<Promise<string>[]> {
  const streams = Array.from({ length: count }, () => send({ path: `/v1/tasks/${task}/events`, key }));
  return (await Promise.all(streams)).map(async (stream) => await stream.text());
}

async function revoke(tenant: TestTenant, key: string): Promise<void> {
  expect((await send({ method: "DELETE", path: `/v1/keys/${key}`, key: tenant.key })).status).toBe(200);
}

async function makeHeldTask(tenant: TestTenant): Promise<string> {
  const body = { input: "x", hold: true };
  return (await sendJson<{ id: string }>({ method: "POST", path: "/v1/tasks", key: tenant.key, body })).body.id;
}
