/** Five requests of one step: what they cost in orders to the sidecar, calls of the object, and rows. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { encodeFrame, FrameReader } from "../../../adapters/sidecar/egress-batch.ts";
import type { OwnPhases } from "../../../core/steps/own-phases.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { StepBody } from "../../../durable-objects/task/step-rows.ts";
import { recordCalls } from "../call-notes.ts";
import { post, recordsOf, somewhere } from "../outside.ts";
import { agentOf, factsOf, ledgerOf, start, stubOf, taskOf, until } from "../tasks/client.ts";

const agent = agentOf({ permissions: ["network"], allowed_domains: ["*"] });

/** A task whose one step requests these addresses. */
const requestAll = (urls: readonly string[]): TaskFacts =>
  factsOf([{ calls: urls.map((url) => ({ name: "http_request", arguments: { url } })) }, { text: "Done." }], { agent });

const fiveAddresses = () => Array.from({ length: 5 }, somewhere);

/** Counts the orders to the sidecar, and passes the reply of each batch through `change`. */
function watchOrders(change: (response: Response) => Promise<Response>): string[] {
  const real = globalThis.fetch.bind(globalThis);
  const orders: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (url.startsWith(String(env.SIDECAR_URL))) orders.push(new URL(url).pathname);
    const response = await real(input, init);
    return url.endsWith("/egress/batch") ? await change(response) : response;
  });
  return orders;
}

/** All replies arrive in one turn. */
const together = async (response: Response) => new Response(await response.arrayBuffer(), response);

/** The types of the events in each row. */
async function eventsByRow(facts: TaskFacts): Promise<string[][]> {
  return await runInDurableObject(stubOf(facts), (_, { storage }) =>
    storage.sql
      .exec<{ body: string }>("SELECT body FROM steps ORDER BY seq")
      .toArray()
      .map(({ body }) => ((JSON.parse(body) as StepBody).events ?? []).map(({ type }) => type)),
  );
}

/** The calls of the runner for the task's tool phases, and the object's calls with their lines. */
async function runnerCallsOf(facts: TaskFacts): Promise<string[]> {
  const notes = await recordCalls(async () => {
    await start(facts);
    await until(facts, ({ status }) => status === "completed");
  });
  const isLine = (task: string) => task === `lines of ${facts.id}`;
  return notes
    .filter(({ task, what }) => isLine(task) || (task === facts.id && what === "tool phase"))
    .map(({ what }) => what);
}

const isRunnerSetting = env.OTTO_MODEL_PHASE === "runner";

const five = (type: string) => Array.from({ length: 5 }, () => type);

test("five results that arrive together cost one order and one row, which also begins the next step, and no call", async () => {
  const facts = requestAll(fiveAddresses());
  const orders = watchOrders(together);
  expect(await runnerCallsOf(facts)).toEqual(isRunnerSetting ? ["tool phase", "hearAll 5"] : []);
  expect(orders).toEqual(["/egress/batch"]);
  const rows = await eventsByRow(facts);
  const withCalls = rows.filter((types) => types.some((type) => type.startsWith("call.")));
  // The calls leave with the row of the message that requested them.
  expect(withCalls).toEqual([
    ["message.completed", ...five("call.started")],
    [...five("").flatMap(() => ["call.completed", "tool-data"]), "step.completed", "step.started"],
  ]);
  expect((await ledgerOf(facts)).map(({ state, attempts }) => [state, attempts])).toEqual(
    five("").map(() => ["confirmed", 1]),
  );
});

/** The replies arrive in turns of their own, a millisecond apart. */
const apart = async (response: Response) => {
  const frames = new FrameReader(1_000_000).add(new Uint8Array(await response.arrayBuffer()));
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await scheduler.wait(1);
      const next = frames.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(encodeFrame(next));
    },
  });
  return new Response(body, response);
};

test("five results that arrive within some milliseconds are few rows in the object", async () => {
  const facts = requestAll(fiveAddresses());
  watchOrders(apart);
  await runnerCallsOf(facts);
  const rows = (await eventsByRow(facts)).filter((types) => types.includes("call.completed"));
  expect(rows.flat().filter((type) => type === "call.completed")).toHaveLength(5);
  expect(rows.length).toBeLessThan(isRunnerSetting ? 6 : 5);
});

test("the calls are stored when their requests leave", async () => {
  const urls = fiveAddresses();
  const facts = requestAll(urls);
  const real = globalThis.fetch.bind(globalThis);
  // Polled, because no promise wakes another event.
  let [hasArrived, isReleased] = [false, false];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (typeof input === "string" && input.endsWith("/egress/batch")) {
      hasArrived = true;
      while (!isReleased) await scheduler.wait(5);
    }
    return await real(input, init);
  });
  await start(facts);
  await vi.waitFor(() => expect(hasArrived).toBe(true), { timeout: 20_000 });
  expect((await eventsByRow(facts)).at(-1)).toEqual(["message.completed", ...five("call.started")]);
  expect(await Promise.all(urls.map(recordsOf))).toEqual(urls.map(() => []));
  isReleased = true;
  await until(facts, ({ status }) => status === "completed");
  for (const url of urls) expect(await recordsOf(url)).toHaveLength(1);
});

test("requests whose replies are lost with the sidecar are made again, together", async () => {
  const urls = fiveAddresses();
  const facts = requestAll(urls);
  let isLost = false;
  const orders = watchOrders(async (response) => {
    if (isLost) return await together(response);
    isLost = true;
    await response.body?.cancel();
    throw new TypeError("the connection was lost");
  });
  await runnerCallsOf(facts);
  expect(orders.filter((order) => order !== "/health")).toEqual(["/egress/batch", "/egress/batch"]);
  expect((await ledgerOf(facts)).map(({ state }) => state)).toEqual(five("confirmed"));
});

test("a request that is alone goes alone, and its result ends the phase without a call of the object", async () => {
  const facts = requestAll([somewhere()]);
  const orders = watchOrders(together);
  expect(await runnerCallsOf(facts)).toEqual(isRunnerSetting ? ["tool phase"] : []);
  expect(orders).toEqual(["/egress"]);
  expect((await ledgerOf(facts)).map(({ state }) => state)).toEqual(["confirmed"]);
});

const get = () => ({ name: "http_request", arguments: { url: somewhere() } });

test.each([
  ["six reads", () => Array.from({ length: 6 }, get)],
  ["a read and an effect", () => [get(), post(somewhere())]],
  ["a read and a search", () => [get(), { name: "web_search", arguments: { query: "rome" } }]],
])("the runner makes %s", async (_, calls) => {
  const approval = { dangerous: "allow" } as const;
  const its = agentOf({ permissions: ["network"], allowed_domains: ["*"], approval });
  const facts = factsOf([{ calls: calls() }, { text: "Done." }], { agent: its });
  expect(await runnerCallsOf(facts)).toContain("tool phase");
});

test("reads of an object that is aborted are made again, and their results are stored once", async () => {
  const urls = fiveAddresses();
  const facts = requestAll(urls);
  const real = globalThis.fetch.bind(globalThis);
  let orders = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const isFirst = typeof input === "string" && input.endsWith("/egress/batch") && (orders += 1) === 1;
    return isFirst ? await new Promise<Response>(() => undefined) : await real(input, init);
  });
  await start(facts);
  await vi.waitFor(() => expect(orders).toBe(1), { timeout: 20_000 });
  await runInDurableObject(stubOf(facts), (_, state) => state.abort("a test")).catch(() => undefined);
  await until(facts, ({ status }) => status === "completed");
  expect((await ledgerOf(facts)).map(({ state, attempts }) => [state, attempts])).toEqual(
    five("").map(() => ["confirmed", 2]),
  );
  for (const url of urls) expect(await recordsOf(url)).toHaveLength(1);
});

test("a task that is cancelled ends its order", async () => {
  const facts = requestAll(fiveAddresses());
  const real = globalThis.fetch.bind(globalThis);
  let [hasArrived, isEnded] = [false, false];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (typeof input !== "string" || !input.endsWith("/egress/batch")) return await real(input, init);
    hasArrived = true;
    const { promise, reject } = Promise.withResolvers<Response>();
    init?.signal?.addEventListener("abort", () => {
      isEnded = true;
      reject(new Error("ended"));
    });
    return await promise;
  });
  await start(facts);
  await vi.waitFor(() => expect(hasArrived).toBe(true), { timeout: 20_000 });
  await taskOf(facts).cancel("a test");
  await vi.waitFor(() => expect(isEnded).toBe(true), { timeout: 20_000 });
  expect(await until(facts, ({ status }) => status === "cancelled")).toMatchObject({ status: "cancelled" });
});

test("orders of reads leave no timer, which would hold the object", async () => {
  const real = AbortSignal.timeout.bind(AbortSignal);
  const left: number[] = [];
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    // Other objects set such timers too.
    if (new Error().stack?.includes("adapters/egress/") === true) left.push(ms);
    return real(ms);
  });
  for (const urls of [[somewhere()], fiveAddresses()]) {
    const facts = requestAll(urls);
    await start(facts);
    await until(facts, ({ status }) => status === "completed");
  }
  expect(left).toEqual([]);
});

test.skipIf(isRunnerSetting)(
  "a task that is cancelled before its calls are sorted makes none (because the runner setting sorts none)",
  async () => {
    const facts = requestAll([somewhere()]);
    let [hasBegun, isReleased] = [false, false];
    await runInDurableObject(stubOf(facts), (object) => {
      const { phases } = (object as unknown as { engine: { phases: { own: OwnPhases } } }).engine;
      const onlyReads = async () => {
        hasBegun = true;
        while (!isReleased) await scheduler.wait(5);
        return false;
      };
      phases.own = { ...phases.own, onlyReads };
    });
    const notes = await recordCalls(async () => {
      await start(facts);
      await vi.waitFor(() => expect(hasBegun).toBe(true), { timeout: 20_000 });
      await taskOf(facts).cancel("a test");
      isReleased = true;
      await scheduler.wait(300);
    });
    expect(notes.filter(({ what }) => what === "tool phase")).toEqual([]);
  },
);
