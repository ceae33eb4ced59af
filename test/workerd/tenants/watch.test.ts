import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { FeedFrame } from "../../../core/tenant/feed.ts";
import { createErasedChange } from "../../../core/tenant/feed.ts";
import { type FeedItem, openTenantFeed } from "../../../workers/tenants/watch.ts";

/** A fake tenant's object that publishes what the test sets, and a reader of it. */
async function watched() {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  const closed = vi.fn<() => void>();
  server.addEventListener("close", closed);
  const tenant = { fetch: async () => new Response(null, { status: 101, webSocket: client }) };
  const connection = await openTenantFeed(tenant, { key: "key_1", session: null });
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const items = connection.items(abort.signal);
  const next = async () => (await items.next()).value as FeedItem | undefined;
  expect(await next()).toEqual({ kind: "open" });
  return { next, closed, abort, tell: (frame: FeedFrame) => server.send(JSON.stringify(frame)), server };
}

const changes = (first: number, count: number, version: number): FeedFrame => ({
  changes: Array.from({ length: count }, (_, index) => ({
    ...createErasedChange(`task ${first + index}`, 0),
    version,
  })),
});
/** Lets what was sent arrive. */
const arrived = async () => await scheduler.wait(20);

describe("a reader of a tenant's feed", () => {
  test("that is slow receives the last state of each task", async () => {
    const { next, tell } = await watched();
    for (let version = 1; version <= 50; version += 1) tell(changes(0, 2, version));
    await arrived();
    for (const task of ["task 0", "task 1"])
      expect(await next()).toMatchObject({ kind: "change", change: { task_id: task, version: 50 } });
  });

  test("with too many pending changes learns that it missed some, and then receives later ones", async () => {
    const { next, tell } = await watched();
    for (let first = 0; first <= 400; first += 200) tell(changes(first, 200, 1));
    await arrived();
    expect(await next()).toEqual({ kind: "skipped" });
    tell(changes(7, 1, 2));
    expect(await next()).toMatchObject({ kind: "change", change: { task_id: "task 7", version: 2 } });
  });

  test("learns when the object omitted some", async () => {
    const { next, tell } = await watched();
    tell(changes(0, 1, 1));
    tell({ skipped: true });
    await arrived();
    expect(await next()).toEqual({ kind: "skipped" });
  });

  test("that does not take even that for half a minute is given up", async () => {
    const { next, tell, closed } = await watched();
    tell({ skipped: true });
    await arrived();
    tell(changes(0, 1, 1));
    await arrived();
    expect(closed).not.toHaveBeenCalled();
    const later = Date.now() + 31_000;
    const clock = vi.spyOn(Date, "now").mockReturnValue(later);
    onTestFinished(() => clock.mockRestore());
    tell(changes(0, 1, 2));
    await expect.poll(() => closed.mock.calls.length, { timeout: 20_000 }).toBe(1);
    expect(await next()).toBeUndefined();
  });

  test("ends when the object hangs up, and lets go of the object when it does itself", async () => {
    const ended = await watched();
    ended.server.close(1000, "gone");
    expect(await ended.next()).toBeUndefined();
    const left = await watched();
    left.abort.abort();
    await expect.poll(() => left.closed.mock.calls.length, { timeout: 20_000 }).toBe(1);
    expect(await left.next()).toBeUndefined();
  });
});
