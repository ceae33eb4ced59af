/** The two small parts of an object whose promises are the subtlest, on a real object's storage. */
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
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

describe("an object's alarm, after failures", () => {
  const HOUR = 3_600_000;
  const damaged = () => {
    throw new SyntaxError("Unexpected end of JSON input");
  };
  const fine = async () => undefined;

  /** With a clock that only the test moves, an hour ahead: no alarm fires unasked. */
  async function withStorage(work: (storage: DurableObjectStorage) => Promise<void>): Promise<void> {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.setSystemTime(Date.now() + HOUR);
    await runInDurableObject(stubOf(factsOf([])), async (_object, { storage }) => await work(storage));
  }

  /** The seconds to the next run after each of `count` failures; the clock moves to each. */
  async function failOften(storage: DurableObjectStorage, alarm: () => Alarm, count: number, arm = () => {}) {
    const delays: number[] = [];
    for (let i = 0; i < count; i += 1) {
      // It has fired.
      await storage.deleteAlarm();
      await alarm().run("test", async () => damaged(), arm);
      const at = (await storage.getAlarm()) ?? 0;
      delays.push((at - Date.now()) / 1000);
      vi.setSystemTime(at);
    }
    return delays;
  }

  afterEach(() => {
    vi.useRealTimers();
  });

  test("comes later each time, up to half a minute", async () => {
    await withStorage(async (storage) => {
      const alarm = new Alarm(storage);
      expect(await failOften(storage, () => alarm, 8)).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    });
  });

  test("comes after up to five minutes when the state cannot be read, also in an object that is loaded for it", async () => {
    await withStorage(async (storage) => {
      const delays = await failOften(storage, () => new Alarm(storage), 11, damaged);
      expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    });
  });

  test("comes in a second again after a run that succeeded, or long after the last failure", async () => {
    await withStorage(async (storage) => {
      const alarm = new Alarm(storage);
      await failOften(storage, () => alarm, 5, damaged);
      await storage.deleteAlarm();
      await alarm.run("test", fine, () => alarm.set(null));
      expect(await storage.getAlarm()).toBeNull();
      expect(storage.kv.get("alarm_failures")).toBeUndefined();
      expect(await failOften(storage, () => alarm, 3, damaged)).toEqual([1, 2, 4]);
      vi.setSystemTime(Date.now() + HOUR);
      expect(await failOften(storage, () => new Alarm(storage), 1, damaged)).toEqual([1]);
    });
  });

  test("is not made earlier by what becomes due meanwhile, but by a recovery", async () => {
    await withStorage(async (storage) => {
      const alarm = new Alarm(storage);
      await failOften(storage, () => alarm, 5);
      await alarm.run(
        "test",
        async () => damaged(),
        () => alarm.set(Date.now()),
      );
      const at = Date.now() + 30_000;
      expect(await storage.getAlarm()).toBe(at);
      alarm.ensureBy(Date.now());
      alarm.set(Date.now());
      expect(await storage.getAlarm()).toBe(at);
      alarm.invalidate();
      alarm.ensureBy(Date.now());
      expect(await storage.getAlarm()).toBe(Date.now());
    });
  });

  test("is set also when the failures cannot be stored", async () => {
    await withStorage(async (storage) => {
      vi.spyOn(storage.kv, "put").mockImplementation(damaged);
      const alarm = new Alarm(storage);
      expect(await failOften(storage, () => alarm, 3, damaged)).toEqual([1, 2, 4]);
    });
  });
});
