import { expect, test } from "vitest";
import { SingleFlight } from "../../../core/base/single-flight.ts";

const flights = (more: object = {}) => new SingleFlight<number>({ maxAgeMs: 1_000, maxFlights: 3, ...more });
const never = () => new Promise<number>(() => undefined);

/** Work that counts its runs, and ends when the test says so. */
function makeWork() {
  const gate = Promise.withResolvers<void>();
  let runs = 0;
  const work = async (): Promise<number> => {
    runs += 1;
    const run = runs;
    await gate.promise;
    return run;
  };
  return { work, end: gate.resolve, fail: gate.reject, countRuns: () => runs };
}

test("concurrent callers share one run, and a later caller starts another", async () => {
  const single = flights();
  const { work, end, countRuns } = makeWork();
  const burst = Array.from({ length: 200 }, () => single.run("a", work, 0));
  expect(countRuns()).toBe(1);
  end();
  expect(new Set(await Promise.all(burst))).toEqual(new Set([1]));
  expect(await single.run("a", work, 0)).toBe(2);
  expect(single.size).toBe(0);
});

test("callers of different keys share nothing", async () => {
  const single = flights();
  const results = [1, 2].map((value) => single.run(`key ${value}`, async () => value, 0));
  expect(await Promise.all(results)).toEqual([1, 2]);
});

test("a failure reaches every caller of its run, and no later one", async () => {
  const single = flights();
  const { work, fail } = makeWork();
  const both = Promise.allSettled([single.run("a", work, 0), single.run("a", work, 0)]);
  fail(new Error("away"));
  expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await single.run("a", async () => 7, 0)).toBe(7);
});

test("a run that never settles is joined for a while only", async () => {
  const single = flights();
  void single.run("a", never, 0);
  void single.run("a", never, 999);
  expect(await single.run("a", async () => 7, 1_000)).toBe(7);
});

test("runs that never settle do not accumulate", async () => {
  const single = flights();
  for (let i = 0; i < 10; i += 1) void single.run(`key ${i}`, never, 0);
  expect(single.size).toBe(3);
  expect(await single.run("key 0", async () => 7, 0)).toBe(7);
});
