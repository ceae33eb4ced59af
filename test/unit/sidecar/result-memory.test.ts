import { expect, it } from "vitest";
import { openResultMemory } from "../../../adapters/sidecar/result-memory.ts";

/** A memory of 100 bytes whose clock advances with each pause. */
function openMemory(afterPause: (at: number) => void = () => undefined) {
  const clock = { now: 0 };
  const pause = async (ms: number) => {
    clock.now += ms;
    afterPause(clock.now);
  };
  return { ...openResultMemory({ maxBytes: 100, now: () => clock.now, pause }), clock };
}

const { signal } = new AbortController();

it("admits concurrent results while they fit", async () => {
  const { reserve, clock } = openMemory();
  await reserve(60, signal);
  await reserve(40, signal);
  expect(clock.now).toBe(0);
});

it("delays a result until it fits, and an oversized one until it is alone", async () => {
  const releasing: (() => void)[] = [];
  const { reserve, clock } = openMemory((at) => at % 100 === 0 && releasing.shift()?.());
  releasing.push(await reserve(60, signal));
  releasing.push(await reserve(50, signal));
  expect(clock.now).toBe(100);
  await reserve(200, signal);
  expect(clock.now).toBe(200);
});

it("releases an expired reservation", async () => {
  const { reserve, clock } = openMemory();
  await reserve(100, signal);
  await reserve(1, signal);
  expect(clock.now).toBe(60_000);
});

it("does not delay a cancelled caller", async () => {
  const caller = new AbortController();
  const { reserve, clock } = openMemory((at) => at === 50 && caller.abort());
  await reserve(100, signal);
  await reserve(1, caller.signal);
  expect(clock.now).toBe(50);
});

it("holds what is in memory already without a delay, and counts it", async () => {
  const { reserve, hold, clock } = openMemory();
  await reserve(100, signal);
  const release = hold(50);
  expect(clock.now).toBe(0);
  release();
  hold(1);
  await reserve(100, signal);
  expect(clock.now).toBe(60_000);
});
