import { BroadcastChannel as NodeChannel } from "node:worker_threads";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

/** Node's own, which keeps no process alive. */
class Channel extends NodeChannel {
  constructor(name: string) {
    super(name);
    this.unref();
  }
}

beforeEach(() => {
  vi.resetModules();
  vi.stubGlobal("BroadcastChannel", Channel);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The module as a window of its own has it. */
async function openWindow() {
  vi.resetModules();
  const { tellOfChange, watchForChanges } = await import("../../../web/src/api/other-windows.ts");
  const reads: string[] = [];
  const unsubscribe = watchForChanges(async () => {
    reads.push("read");
  });
  return { tellOfChange, reads, leave: unsubscribe };
}

it("has other windows read what one changed, and not the one that changed it", async () => {
  const [mine, other] = [await openWindow(), await openWindow()];
  mine.tellOfChange();
  await vi.waitFor(() => expect(other.reads).toEqual(["read"]), { timeout: 15_000 });
  expect(mine.reads).toEqual([]);
  other.leave();
  mine.tellOfChange();
  const third = await openWindow();
  mine.tellOfChange();
  await vi.waitFor(() => expect(third.reads).toEqual(["read"]), { timeout: 15_000 });
  expect([mine.reads, other.reads]).toEqual([[], ["read"]]);
  mine.leave();
  third.leave();
});
