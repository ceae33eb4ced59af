import { describe, expect, it } from "vitest";
import { FactsCache } from "../../../adapters/databases/facts-cache.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { SchemaFacts } from "../../../core/databases/facts.ts";

const MINUTE_MS = 60_000;
const KEY = { tenant: "t1", id: "dbs_1", version: 1 };
const NONE: SchemaFacts = { tables: [], truncated: false };

function open(answer: () => Result<SchemaFacts> = () => ok(NONE)) {
  const clock = { now: 0 };
  const work: Promise<unknown>[] = [];
  const cache = new FactsCache({ now: () => clock.now, background: (one) => void work.push(one) });
  let reads = 0;
  const read = async (key: Partial<typeof KEY> = {}) =>
    await cache.read(
      { ...KEY, ...key },
      async () => {
        reads += 1;
        return answer();
      },
      new AbortController().signal,
    );
  return { clock, work, read, reads: () => reads };
}

describe("facts of a database", () => {
  it("are read once in half an hour, then in the background, and after an hour for the caller", async () => {
    const { clock, work, read, reads } = open();
    await read();
    clock.now = 29 * MINUTE_MS;
    await read();
    expect([reads(), work.length]).toEqual([1, 0]);
    clock.now = 31 * MINUTE_MS;
    await Promise.all([read(), read()]);
    expect(work).toHaveLength(1);
    await Promise.all(work);
    expect(reads()).toBe(2);
    clock.now = 31 * MINUTE_MS + 60 * MINUTE_MS;
    await read();
    expect([reads(), work.length]).toEqual([3, 1]);
  });

  it("belong to a tenant and a version of the record", async () => {
    const { read, reads } = open();
    for (const key of [{}, { tenant: "t2" }, { id: "dbs_2" }, { version: 2 }, {}]) await read(key);
    expect(reads()).toBe(4);
  });

  it("are not stored after a failure, which a refresh ignores", async () => {
    let isUp = true;
    const { clock, work, read, reads } = open(() => (isUp ? ok(NONE) : failed("upstream_failed", "It is away.")));
    await read();
    isUp = false;
    clock.now = 40 * MINUTE_MS;
    expect(await read()).toEqual(ok(NONE));
    await Promise.all(work);
    expect(await read()).toEqual(ok(NONE));
    clock.now = 61 * MINUTE_MS;
    expect(await read()).toMatchObject({ ok: false });
    expect(await read()).toMatchObject({ ok: false });
    expect(reads()).toBe(5);
  });
});
