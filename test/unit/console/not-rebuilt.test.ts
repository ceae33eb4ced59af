/** What the System page says of a lost database. */
import { expect, test } from "vitest";
import { NOT_REBUILDABLE } from "../../../core/tenant/recovery.ts";
import { notRebuilt } from "../../../web/src/pages/settings/not-rebuilt.ts";

test("names each kind that was lost, with its count", () => {
  expect(notRebuilt({ agents: 1, people: 12_000, keys: 2, secrets: 0 })).toEqual([
    "1 agent",
    "12,000 people",
    "2 API keys that were never used or that another tenant has",
  ]);
  expect(notRebuilt({})).toEqual([]);
});

test("has words for every kind that cannot be rebuilt", () => {
  const counts = Object.fromEntries(NOT_REBUILDABLE.map((kind) => [kind, 1]));
  for (const line of notRebuilt(counts)) expect(line).not.toContain("_");
});
