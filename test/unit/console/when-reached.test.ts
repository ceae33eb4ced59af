import { expect, test } from "vitest";
import { whenReached } from "../../../web/src/api/when-reached.ts";

/** Otto is away for so many looks. */
function makeSentinel(away: number) {
  let looks = 0;
  let pauses = 0;
  return {
    isReached: async () => await Promise.resolve(++looks > away),
    pause: async () => {
      pauses += 1;
      await Promise.resolve();
    },
    pauses: () => pauses,
  };
}

test("a part that is requested while Otto is unavailable loads when Otto is back", async () => {
  const { pauses, ...outage } = makeSentinel(3);
  const load = async () => {
    if (pauses() < 3) throw new TypeError("Failed to fetch dynamically imported module");
    return await Promise.resolve("the part");
  };
  expect(await whenReached(load, outage)).toBe("the part");
  expect(pauses()).toBe(3);
});

test("a part that became available between the load and the check is loaded again", async () => {
  let loads = 0;
  const load = async () => {
    loads += 1;
    if (loads === 1) throw new TypeError("Failed to fetch dynamically imported module");
    return await Promise.resolve("the part");
  };
  expect(await whenReached(load, makeSentinel(0))).toBe("the part");
});

test("a part that Otto has no more is refused, without waiting", async () => {
  const { pauses, ...there } = makeSentinel(0);
  const load = async () => await Promise.reject(new TypeError("gone"));
  await expect(whenReached(load, there)).rejects.toThrow("gone");
  expect(pauses()).toBe(0);
});
