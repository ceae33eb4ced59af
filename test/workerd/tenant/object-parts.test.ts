/** The two small parts of an object whose promises are the subtlest, on a real object's storage. */
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { Batcher } from "../../../durable-objects/base/batcher.ts";
import { factsOf, stubOf } from "../tasks/client.ts";
import { Alarm } from "../../../durable-objects/base/alarm.ts";

describe("what is gathered", () => {
  test("is taken together and answered one by one, in order; what comes meanwhile is taken next", async () => {
    const taken: (readonly number[])[] = [];
    const gather = new Batcher(0, (items: readonly number[]) => {
      taken.push(items);
      return items.map((item) => `took ${item}`);
    });
    const first = Promise.all([1, 2, 3].map((item) => gather.add(item)));
    expect(await first).toEqual(["took 1", "took 2", "took 3"]);
    expect(await gather.add(4)).toBe("took 4");
    expect(taken).toEqual([[1, 2, 3], [4]]);
  });

  test("fails for all concurrent callers, but not for later ones", async () => {
    let isBroken = true;
    const gather = new Batcher(0, (items: readonly number[]) => {
      if (isBroken) throw new Error("the disk said no");
      return items;
    });
    const both = await Promise.allSettled([gather.add(1), gather.add(2)]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isBroken = false;
    expect(await gather.add(3)).toBe(3);
  });
});

describe("an object's alarm", () => {
  const soon = Date.now() + 3_600_000;

  test("is set exactly, removed, and set again after doubt", async () => {
    await runInDurableObject(stubOf(factsOf([])), async (_object, { storage }) => {
      const alarm = new Alarm(storage);
      alarm.set(soon);
      expect(await storage.getAlarm()).toBe(soon);
      await storage.deleteAlarm();
      alarm.set(soon);
      expect(await storage.getAlarm()).toBeNull();
      alarm.invalidate();
      alarm.set(soon);
      expect(await storage.getAlarm()).toBe(soon);
      alarm.set(null);
      expect(await storage.getAlarm()).toBeNull();
    });
  });

  test("that is guarded comes earlier and never later, and not at all when nothing is due", async () => {
    await runInDurableObject(stubOf(factsOf([])), async (_object, { storage }) => {
      const alarm = new Alarm(storage);
      alarm.ensureBy(null);
      expect(await storage.getAlarm()).toBeNull();
      alarm.ensureBy(soon);
      alarm.ensureBy(soon + 1000);
      expect(await storage.getAlarm()).toBe(soon);
      alarm.ensureBy(soon - 1000);
      expect(await storage.getAlarm()).toBe(soon - 1000);
      alarm.markUnset();
      alarm.ensureBy(soon + 1000);
      expect(await storage.getAlarm()).toBe(soon + 1000);
      alarm.set(null);
    });
  });
});
