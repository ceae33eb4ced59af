import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { EventSourceParserStream, type EventSourceMessage } from "eventsource-parser/stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { fetchApp } from "../fetch-app.ts";
import { type Caller, expectProblem, makeCaller, open } from "../http/entry.ts";
import { post, somewhere } from "../outside.ts";
import { as, ask, HTTPS, signIn } from "../sessions/client.ts";

const question = { calls: [{ name: "ask_human", arguments: { query: "Go on?" } }] };

interface FeedEvent {
  readonly event: string;
  readonly data: {
    readonly task_id?: string;
    readonly parent_id?: string | null;
    readonly root_id?: string | null;
    readonly status?: string;
    readonly version?: number | null;
    readonly task?: unknown;
  };
}

/** A reader of the feed; `until` reads on until an event is as wanted and gives all that came since the last call. */
async function follow(caller: Caller) {
  return await readerOf(await open(caller, "/v1/events"));
}

async function readerOf(response: Response) {
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const reader: ReadableStreamDefaultReader<EventSourceMessage> = response
    .body!.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  onTestFinished(() => reader.cancel().catch(() => undefined));
  const next = async (): Promise<FeedEvent | null> => {
    const { done, value } = await reader.read();
    return done ? null : { event: value.event ?? "", data: JSON.parse(value.data) };
  };
  const until = async (wanted: (change: FeedEvent) => boolean): Promise<FeedEvent[]> => {
    const all: FeedEvent[] = [];
    for (let change = await next(); change !== null; change = await next()) {
      all.push(change);
      if (wanted(change)) return all;
    }
    throw new Error(`the feed ended after ${JSON.stringify(all)}`);
  };
  expect((await next())?.event).toBe("feed.open");
  return { next, until, hangUp: async () => await reader.cancel() };
}

const isOf = (id: string, status: string) => (change: FeedEvent) =>
  change.data.task_id === id && change.data.status === status;

/** How many sockets the tenant's object holds. */
async function watchers({ tenant }: Caller): Promise<number> {
  const stub = env.TENANTS.get(env.TENANTS.idFromName(tenant));
  return await runInDurableObject(stub, (_, state) => state.getWebSockets().length);
}

describe("the live feed of a tenant", () => {
  test("publishes each task as it is created, asks, ends and is erased, with the fields of a list", async () => {
    const caller = await makeCaller();
    const feed = await follow(caller);
    const { id } = await caller.makeTask([question, { text: "Done." }]);
    const waiting = (await feed.until(isOf(id, "waiting_input"))).at(-1);
    expect(waiting).toMatchObject({
      event: "task.changed",
      data: { parent_id: null, hidden: false, pending: 1, version: expect.any(Number), at: expect.any(String) },
    });
    const [waits] = (await caller.send("GET", `/v1/tasks/${id}`)).json.pending;
    await caller.send("POST", `/v1/tasks/${id}/questions/${waits.id}/answer`, { text: "Yes" });
    const ended = (await feed.until(isOf(id, "completed"))).at(-1);
    const { nodes } = (await caller.send("GET", `/v1/tasks/${id}/tree`)).json;
    expect(ended?.data).toMatchObject({ pending: 0, task: nodes[0] });
    await caller.send("DELETE", `/v1/tasks/${id}`);
    const erased = (await feed.until(isOf(id, "erased"))).at(-1);
    expect(erased?.data.task).toBeNull();
  });

  test("publishes subtasks with their parent, and a call that waits for an approval as hidden", async () => {
    const caller = await makeCaller();
    const feed = await follow(caller);
    const part = JSON.stringify({ replies: [{ text: "Part." }] });
    const calls = [{ name: "dispatch_subagent", arguments: { task_description: part } }];
    const { id } = await caller.makeTask([{ calls }, { text: "Done." }]);
    const all = await feed.until(isOf(id, "completed"));
    expect(all.some(({ data }) => data.parent_id === id && data.status === "completed")).toBe(true);
    for (const { data } of all) expect(data.root_id).toBe(id);
    const answer = await caller.send("POST", "/v1/tools/http_request/call", { arguments: post(somewhere()).arguments });
    const hidden = (await feed.until(isOf(answer.json.error.details.task_id, "waiting_approval"))).at(-1);
    expect(hidden?.data).toMatchObject({ hidden: true, pending: 1 });
  });

  test("publishes a task at most four times a second, the last state last", async () => {
    const caller = await makeCaller();
    const feed = await follow(caller);
    const startedAt = Date.now();
    const steps = Array.from({ length: 9 }, () => ({ calls: [{ name: "get_current_datetime", arguments: {} }] }));
    const { id } = await caller.makeTask([...steps, { text: "Done." }]);
    const all = await feed.until(isOf(id, "completed"));
    expect(all.length).toBeLessThanOrEqual(2 + (Date.now() - startedAt) / 250);
    const versions = all.map(({ data }) => data.version ?? 0);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  });

  test("publishes nothing to another tenant", async () => {
    const [one, other] = [await makeCaller(), await makeCaller()];
    const [feed, others] = [await follow(one), await follow(other)];
    const { id } = await one.makeTask([{ text: "Done." }]);
    await feed.until(isOf(id, "completed"));
    const own = await other.makeTask([{ text: "Done." }]);
    const change = await others.until(isOf(own.id, "completed"));
    expect(new Set(change.map(({ data }) => data.task_id))).toEqual(new Set([own.id]));
  });

  test("ends when the tenant's object does, and resumes for a reader that reconnects", async () => {
    const caller = await makeCaller();
    const feed = await follow(caller);
    await abortAllDurableObjects();
    expect(await feed.next()).toBeNull();
    const again = await follow(caller);
    const { id } = await caller.makeTask([{ text: "Done." }]);
    await again.until(isOf(id, "completed"));
  });

  test("lets go of the tenant's object when its reader hangs up", async () => {
    const caller = await makeCaller();
    const feed = await follow(caller);
    expect(await watchers(caller)).toBe(1);
    await feed.hangUp();
    await expect.poll(async () => await watchers(caller), { timeout: 20_000 }).toBe(0);
    const untouched = await open(caller, "/v1/events");
    await untouched.body?.cancel();
    await expect.poll(async () => await watchers(caller), { timeout: 20_000 }).toBe(0);
  });

  test("ends for a key that is revoked, and for no other", async () => {
    const caller = await makeCaller();
    const made = await caller.send("POST", "/v1/keys", { name: "reader", scopes: ["tasks:read"] });
    const [live, lost] = [await follow(caller), await follow({ ...caller, key: made.json.key })];
    await caller.send("DELETE", `/v1/keys/${made.json.id}`);
    expect(await lost.next()).toBeNull();
    const { id } = await caller.makeTask([{ text: "Done." }]);
    await live.until(isOf(id, "completed"));
    expectProblem(await caller.send("GET", "/v1/events", undefined, { authorization: `Bearer ${made.json.key}` }), 401);
  });

  test("ends for a session that is ended, and for no other of the same key", async () => {
    const caller = await makeCaller();
    const [live, lost] = [await signIn({ key: caller.key }), await signIn({ key: caller.key })];
    const feedOf = async (headers: Record<string, string>) =>
      await readerOf(await fetchApp(`${HTTPS}/v1/events`, { headers }));
    const [liveFeed, lostFeed] = [await feedOf(as(live)), await feedOf(as(lost))];
    expect((await ask({ method: "DELETE", headers: as(lost) })).status).toBe(204);
    expect(await lostFeed.next()).toBeNull();
    const { id } = await caller.makeTask([{ text: "Done." }]);
    await liveFeed.until(isOf(id, "completed"));
  });

  test("takes 200 readers of a tenant and no more", async () => {
    const caller = await makeCaller();
    const stub = env.TENANTS.get(env.TENANTS.idFromName(caller.tenant));
    // A socket that nobody holds is closed with the memory that it is in, and makes room for another.
    const sockets: WebSocket[] = [];
    for (let i = 0; i < 200; i += 1) {
      const entered = await stub.fetch("https://tenant/watch?key=x", { headers: { upgrade: "websocket" } });
      expect(entered.status).toBe(101);
      if (entered.webSocket !== null) sockets.push(entered.webSocket);
    }
    for (const socket of sockets) socket.accept();
    const refused = await caller.send("GET", "/v1/events");
    expectProblem(refused, 429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    for (const socket of sockets) socket.close();
  });

  test("is for keys that may read tasks, and takes no parameters", async () => {
    expectProblem(await (await makeCaller(["tools:call"])).send("GET", "/v1/events"), 403);
    expectProblem(await (await makeCaller()).send("GET", "/v1/events?after=1"), 422);
    expect((await (await makeCaller()).send("HEAD", "/v1/events")).status).toBe(200);
  });
});
