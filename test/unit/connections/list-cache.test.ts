import { expect, test } from "vitest";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { Connection } from "../../../core/connections/connection.ts";
import { ConnectionPages } from "../../../workers/connections/list-cache.ts";

const pageOf = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `con_${index}` }) as Connection);

/** Pages whose reads are counted. */
function openPages(size = 1) {
  const pages = new ConnectionPages();
  let reads = 0;
  const get = async (
    key: string,
    stamp: string | undefined,
    now: number,
    result: Result<readonly Connection[]> = ok(pageOf(size)),
  ) =>
    await pages.get({ key, stamp, now }, async () => {
      reads += 1;
      return await Promise.resolve(result);
    });
  return { get, countReads: () => reads };
}

test("a page is read once under one stamp, for half a minute", async () => {
  const { get, countReads } = openPages();
  await get("a", "s1", 0);
  expect(await get("a", "s1", 29_999)).toEqual(ok(pageOf(1)));
  expect(countReads()).toBe(1);
  await get("a", "s2", 29_999);
  await get("b", "s2", 29_999);
  expect(countReads()).toBe(3);
  await get("a", "s2", 59_999);
  expect(countReads()).toBe(4);
});

test("a failure is not kept, and without a stamp nothing is", async () => {
  const { get, countReads } = openPages();
  await get("a", "s1", 0, failed("upstream_failed", "away"));
  await get("a", "s1", 0);
  await get("b", undefined, 0);
  await get("b", undefined, 0);
  expect(countReads()).toBe(4);
});

test("the pages together have a bound, and the oldest goes first", async () => {
  const { get, countReads } = openPages(4_000);
  for (const key of ["a", "b", "c"]) await get(key, "s1", 0);
  expect(countReads()).toBe(3);
  await get("c", "s1", 0);
  expect(countReads()).toBe(3);
  await get("a", "s1", 0);
  expect(countReads()).toBe(4);
});
