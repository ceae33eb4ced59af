/** When the sweep begins a sync of the catalogue of apps. */
import { expect, test } from "vitest";
import { chooseDueSync, isSilent } from "../../../core/apps/sync/due.ts";

const NOW = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const synced = (ago: number) => ({ snapshot: "a", syncedAt: NOW - ago, logos: null });
const ended = (status: "failed" | "completed", ago: number) => ({ status, completedAt: NOW - ago });

test.each([
  ["no catalogue", null, null, "full"],
  ["none after a failure of a minute ago", null, ended("failed", MINUTE_MS), null],
  ["none after a failure of ten minutes ago", null, ended("failed", 10 * MINUTE_MS), "full"],
  ["a young one", synced(23 * HOUR_MS), ended("completed", 23 * HOUR_MS), null],
  ["an old one", synced(24 * HOUR_MS), ended("completed", 24 * HOUR_MS), "incremental"],
  ["an old one after a failure of ten minutes ago", synced(30 * HOUR_MS), ended("failed", 10 * MINUTE_MS), null],
  ["an old one after a failure of an hour ago", synced(30 * HOUR_MS), ended("failed", HOUR_MS), "incremental"],
] as const)("with %s", (_what, pointer, latest, expected) => {
  expect(chooseDueSync({ pointer, latest, ttlMs: 24 * HOUR_MS }, NOW)).toBe(expected);
});

test("a sync is silent two minutes after its latest page", () => {
  const open = { id: "syn_1", kind: "full", startedAt: NOW - HOUR_MS } as const;
  expect(isSilent({ ...open, updatedAt: NOW - 2 * MINUTE_MS + 1 }, NOW)).toBe(false);
  expect(isSilent({ ...open, updatedAt: NOW - 2 * MINUTE_MS }, NOW)).toBe(true);
});
