/** Thousands of tasks at once: their rows leave in few requests, and a list waits neither for all of them nor for later ones. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, inject, test, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { report } from "../../contracts/database/rows.ts";
import { newTenant, send, tenantStub } from "./client.ts";

const BURST = 3_000;
const EVERY_TASK = { status: null, project: null };

/** Holds back the database requests of a tenant's index from the `from`th on, until `release`. */
function holdIndexRequests(tenant: string, from: number): { count: number; release: () => void } {
  const released = Promise.withResolvers<void>();
  const held = { count: 0, release: () => released.resolve() };
  const { databaseEndpoint } = inject("servers");
  const real = globalThis.fetch.bind(globalThis);
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const body = typeof init?.body === "string" ? init.body : "";
    if (url === databaseEndpoint && body.includes(tenant) && body.includes("insert into tasks")) {
      held.count += 1;
      if (held.count >= from) await released.promise;
    }
    return await real(input, init);
  });
  return held;
}

async function countOutbox(tenant: string): Promise<number> {
  return await runInDurableObject(tenantStub(tenant), (_, { storage }) =>
    Number(storage.sql.exec("SELECT COUNT(*) AS count FROM outbox").one()["count"]),
  );
}

test("the rows of thousands of tasks leave in a few requests, each once", async () => {
  const { id } = await newTenant();
  const rpc = tenantsFromEnv(env)(id);
  // The first request is held, so that the rows wait as they do behind a busy process.
  const held = holdIndexRequests(id, 1);
  const rows = Array.from({ length: BURST }, () => report());
  await Promise.all(rows.map(async (row) => await rpc.report(row)));
  const flushed = rpc.flush();
  held.release();
  expect(await flushed).toBe(true);
  expect(await countOutbox(id)).toBe(0);
  expect(held.count).toBeLessThanOrEqual(5);
  const ids = await databaseFromEnv(env).tasks.ids(id, null, BURST + 1);
  expect(ids.ok && ids.value).toEqual(rows.map(({ task }) => task).toSorted());
});

test("a flush waits for the rows that were stored before it, and not for later ones", async () => {
  const { id } = await newTenant();
  const rpc = tenantsFromEnv(env)(id);
  const [early, late] = [report(), report()];
  const held = holdIndexRequests(id, 2);
  await rpc.report(early);
  const flushed = rpc.flush();
  await rpc.report(late);
  expect(await flushed).toBe(true);
  const listed = await databaseFromEnv(env).tasks.page(id, EVERY_TASK, { after: null, limit: 10 });
  expect(listed.ok && listed.value.items.map((view) => view.id)).toEqual([early.task]);
  const later = rpc.flush();
  held.release();
  expect(await later).toBe(true);
  expect(await countOutbox(id)).toBe(0);
});

test("a list is answered while the index is behind, from what it has", async () => {
  const { id, key } = await newTenant();
  const rpc = tenantsFromEnv(env)(id);
  await rpc.report(report());
  expect(await rpc.flush()).toBe(true);
  const held = holdIndexRequests(id, 1);
  await rpc.report(report());
  const replies = await Promise.all([send({ path: "/v1/tasks", key }), send({ path: "/v1/usage", key })]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(await countOutbox(id)).toBe(1);
  held.release();
  await vi.waitFor(async () => expect(await countOutbox(id)).toBe(0), { timeout: 20_000 });
});

test("a refused row among many is found by halves", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { id } = await newTenant();
  const rpc = tenantsFromEnv(env)(id);
  const held = holdIndexRequests(id, 1);
  const rows = Array.from({ length: 200 }, () => report());
  await Promise.all(rows.map(async (row) => await rpc.report(row)));
  const bad = report();
  await rpc.report({ ...bad, view: { ...bad.view, created_at: "no time at all" } });
  const flushed = rpc.flush();
  held.release();
  expect(await flushed).toBe(false);
  await vi.waitFor(async () => expect(await countOutbox(id)).toBe(1), { timeout: 20_000 });
  // 8 halvings of 201 rows, two requests for each, and a few for what left before.
  expect(held.count).toBeLessThan(30);
});
