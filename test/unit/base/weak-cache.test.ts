import { describe, expect, test } from "vitest";
import { WeakCache } from "../../../core/base/weak-cache.ts";

describe("values of objects", () => {
  test("are dropped together beyond the bound, and the last one stays", () => {
    const cache = new WeakCache<object, string>(10);
    const [first, second, third] = [{}, {}, {}];
    cache.set(first, "one", 5);
    cache.set(second, "two", 5);
    expect([cache.get(first), cache.get(second)]).toEqual(["one", "two"]);
    cache.set(third, "three", 1);
    expect([first, second, third].map((key) => cache.get(key))).toEqual([undefined, undefined, "three"]);
  });

  test("that alone exceed the bound are not stored", () => {
    const cache = new WeakCache<object, string>(10);
    const key = {};
    cache.set(key, "large", 11);
    expect(cache.get(key)).toBeUndefined();
  });
});
