import { expect, it } from "vitest";
import { openResultRoom } from "../../../adapters/sidecar/result-memory.ts";

/** A room of 100 bytes whose clock goes on with each pause. */
function room(afterPause: (at: number) => void = () => undefined) {
  const clock = { now: 0 };
  const pause = async (ms: number) => {
    clock.now += ms;
    afterPause(clock.now);
  };
  return { ...openResultRoom({ maxBytes: 100, now: () => clock.now, pause }), clock };
}

const { signal } = new AbortController();

it("lets results in beside each other while they fit", async () => {
  const { enter, clock } = room();
  await enter(60, signal);
  await enter(40, signal);
  expect(clock.now).toBe(0);
});

it("has one that does not fit wait until others are gone, and one that is too large until it is alone", async () => {
  const leaving: (() => void)[] = [];
  const { enter, clock } = room((at) => at % 100 === 0 && leaving.shift()?.());
  leaving.push(await enter(60, signal));
  leaving.push(await enter(50, signal));
  expect(clock.now).toBe(100);
  await enter(200, signal);
  expect(clock.now).toBe(200);
});

it("forgets what nobody gave back", async () => {
  const { enter, clock } = room();
  await enter(100, signal);
  await enter(1, signal);
  expect(clock.now).toBe(60_000);
});

it("has nobody wait who was given up", async () => {
  const caller = new AbortController();
  const { enter, clock } = room((at) => at === 50 && caller.abort());
  await enter(100, signal);
  await enter(1, caller.signal);
  expect(clock.now).toBe(50);
});
