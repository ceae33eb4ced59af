/** Bursts of requests for one agent, while its cached definition is fresh, stale, expired, changed or deleted. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { makeId } from "../../../core/base/ids.ts";
import { failed } from "../../../core/base/errors.ts";
import { type Answer, type Caller, makeCaller } from "../http/entry.ts";
import { config } from "../tenant/client.ts";

const STALE_MS = 30_000;
const EXPIRED_MS = 60_000;
const BURST = 60;
const AWAY = failed("upstream_failed", "The database did not reply.", { retryAfterMs: 1_000 });

/** Reads of agents, which can be slow or fail. What a slow read returns is read before the delay. */
function watchReads() {
  const table = databaseFromEnv(env).agents;
  const get = table.get.bind(table);
  const watch = { reads: 0, isSlow: false, isAway: false };
  vi.spyOn(table, "get").mockImplementation(async (tenant, idOrName) => {
    watch.reads += 1;
    const { isAway } = watch;
    const read = isAway ? AWAY : await get(tenant, idOrName);
    while (watch.isSlow) await new Promise((resolve) => setTimeout(resolve, 10));
    return read;
  });
  return watch;
}

async function makeAgent(caller: Caller): Promise<Answer> {
  const made = await caller.send("POST", "/v1/agents", config("writer"));
  expect(made.status, made.text).toBe(201);
  return made;
}

const makeTask = (caller: Caller) => caller.send("POST", "/v1/tasks", { input: "hi", agent: "writer", hold: true });
const makeTasks = (caller: Caller, count = BURST) => Promise.all(Array.from({ length: count }, () => makeTask(caller)));
const countStatuses = (answers: readonly Answer[]) =>
  Object.fromEntries(
    Map.groupBy(answers, ({ status }) => status)
      .entries()
      .map(([status, all]) => [status, all.length]),
  );

/** A tenant whose agent was read just now, and the reads from here on. */
async function makeKnown() {
  const caller = await makeCaller();
  const agent = await makeAgent(caller);
  expect((await makeTask(caller)).status).toBe(201);
  return { caller, agent, id: agent.json.id, watch: watchReads() };
}

function passTime(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a burst of requests", () => {
  test("after an agent expired makes one read, which is slow, and fails none", async () => {
    const { caller, watch } = await makeKnown();
    passTime(EXPIRED_MS);
    watch.isSlow = true;
    const burst = makeTasks(caller);
    await vi.waitFor(() => expect(watch.reads).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 300));
    watch.isSlow = false;
    expect(countStatuses(await burst)).toEqual({ 201: BURST });
    expect(watch.reads).toBe(1);
  });

  test("for a stale agent waits for no read, and begins one", async () => {
    const { caller, watch } = await makeKnown();
    passTime(STALE_MS);
    watch.isSlow = true;
    expect(countStatuses(await makeTasks(caller))).toEqual({ 201: BURST });
    expect(watch.reads).toBe(1);
    watch.isSlow = false;
    await new Promise((resolve) => setTimeout(resolve, 200));
    passTime(STALE_MS - 1);
    expect((await makeTask(caller)).status).toBe(201);
    expect(watch.reads).toBe(1);
  });

  test("while the database is away makes one read, and its failure is not cached", async () => {
    const { caller, watch } = await makeKnown();
    passTime(EXPIRED_MS);
    Object.assign(watch, { isSlow: true, isAway: true });
    const burst = makeTasks(caller, 20);
    await vi.waitFor(() => expect(watch.reads).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 200));
    Object.assign(watch, { isSlow: false, isAway: false });
    expect(countStatuses(await burst)).toEqual({ 503: 20 });
    expect(watch.reads).toBe(1);
    expect((await makeTask(caller)).status).toBe(201);
    expect(watch.reads).toBe(2);
  });

  test("of two tenants gets each its own agent of the same name", async () => {
    const [a, b] = [await makeCaller(), await makeCaller()];
    const [ofA, ofB] = [await makeAgent(a), await makeAgent(b)];
    const watch = watchReads();
    watch.isSlow = true;
    const bursts = [makeTasks(a, 20), makeTasks(b, 20)];
    await vi.waitFor(() => expect(watch.reads).toBe(2));
    watch.isSlow = false;
    const ids = (await Promise.all(bursts)).map((all) => new Set(all.map(({ json }) => json.agent.id)));
    expect(ids).toEqual([new Set([ofA.json.id]), new Set([ofB.json.id])]);
    expect(watch.reads).toBe(2);
  });
});

describe("a stale agent", () => {
  test("is used for a minute at most while its refresh fails, which is not repeated at once", async () => {
    const { caller, watch } = await makeKnown();
    watch.isAway = true;
    passTime(STALE_MS);
    for (let i = 0; i < 3; i += 1) expect((await makeTask(caller)).status).toBe(201);
    expect(watch.reads).toBe(1);
    passTime(EXPIRED_MS - STALE_MS - 1_000);
    expect((await makeTask(caller)).status).toBe(201);
    passTime(1_000);
    expect((await makeTask(caller)).status).toBe(503);
    watch.isAway = false;
    expect((await makeTask(caller)).status).toBe(201);
  });

  test("is removed by a refresh that finds it deleted, also when no stamp said so", async () => {
    const { caller, id } = await makeKnown();
    const [at, random] = [Date.now(), crypto.getRandomValues(new Uint8Array(10))];
    const act = { id: makeId("audit", at, random), at, actor: "key", action: "agent.archive" as const, target: id };
    await databaseFromEnv(env).agents.archive(caller.tenant, id, { ...act, requestId: "req_test" });
    expect((await makeTask(caller)).status).toBe(201);
    passTime(STALE_MS);
    await vi.waitFor(async () => expect((await makeTask(caller)).status).toBe(404));
  });
});

describe("a change that was answered for", () => {
  test("counts at once, also while a read from before it is under way", async () => {
    const { caller, agent, id, watch } = await makeKnown();
    passTime(EXPIRED_MS);
    watch.isSlow = true;
    const before = makeTask(caller);
    await vi.waitFor(() => expect(watch.reads).toBe(1));
    // The first read has its row by now, and waits.
    await new Promise((resolve) => setTimeout(resolve, 200));
    vi.mocked(databaseFromEnv(env).agents.get).mockRestore();
    const etag = agent.headers.get("etag") ?? "";
    const changed = await caller.send("PUT", `/v1/agents/${id}`, config("writer", { instructions: "New." }), {
      "if-match": etag,
    });
    expect(changed.status, changed.text).toBe(200);
    expect((await makeTask(caller)).json.agent.version).toBe(2);
    watch.isSlow = false;
    expect((await before).json.agent.version).toBe(1);
    expect((await makeTask(caller)).json.agent.version).toBe(2);
  });

  test.each([
    ["fresh", 0],
    ["stale", STALE_MS],
  ])("of a deletion counts at once, for a %s agent", async (_, ageMs) => {
    const { caller, id } = await makeKnown();
    passTime(ageMs);
    expect((await makeTask(caller)).status).toBe(201);
    expect((await caller.send("DELETE", `/v1/agents/${id}`)).status).toBe(204);
    expect((await makeTask(caller)).status).toBe(404);
  });
});
