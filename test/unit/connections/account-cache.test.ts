import { expect, test } from "vitest";
import { AgedCache } from "../../../adapters/connections/account-cache.ts";
import { FailurePause } from "../../../core/base/failure-pause.ts";
import { ok } from "../../../core/base/errors.ts";

/** A timer whose times pass at once. */
const instant = { setTimeout: (then: () => void) => setTimeout(then, 1), clearTimeout };

test("a read whose request was cut off holds no other request up", async () => {
  const cache = new AgedCache<string>(new FailurePause(1_000), instant);
  // The runtime settles no promise of a request that was cancelled.
  void cache.get("t1 a", 0, () => new Promise<never>(() => undefined));
  expect(await cache.get("t1 a", 1, () => Promise.resolve(ok("read again")))).toEqual(ok("read again"));
  expect(cache.find("t1 a", 2)).toBe("read again");
});

test("requests share one read while it runs", async () => {
  const cache = new AgedCache<number>(new FailurePause(1_000));
  let reads = 0;
  const read = async () => {
    reads += 1;
    await Promise.resolve();
    return ok(reads);
  };
  expect(await Promise.all([cache.get("t1 a", 0, read), cache.get("t1 a", 0, read)])).toEqual([ok(1), ok(1)]);
});
