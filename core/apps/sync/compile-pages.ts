/** The phases of a sync after its last request: what vanished is removed, the files are compiled, and a version is published. */
import { ok, type Result } from "../../base/errors.ts";
import { runConcurrently } from "../../base/run-concurrently.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { BlobPort } from "../../ports/blobs.ts";
import type { CatalogueStats, ListedAction } from "../../ports/app-catalogue.ts";
import type { AppContent, CompiledApp } from "../../ports/app-catalogue-table.ts";
import { ActionListWriter, formatApp, formatSnapshot, getAppKey, getListKey, getSnapshotKey } from "../compiled.ts";
import { beginPhase, next, type Phase, stop } from "./state.ts";

/** A sync that would remove a greater part of the actions is an outage of the provider rather than a change. */
const MAX_REMOVED = 0.2;
/** How long removed rows are stored, for tasks that began before. */
const REMOVED_MS = 7 * 86_400_000;
/** Actions that are compiled together, and listed at once. */
const COMPILE_ACTIONS = 1_500;
const LIST_ACTIONS = 2_000;
const CONCURRENT_WRITES = 6;

export const settle: Phase = async ({ table, now }, state) => {
  const hasListing = state.kind !== "backfill";
  const counted = await table.countRemoval(state.job, hasListing);
  if (!counted.ok) return counted;
  const { before, removed } = counted.value;
  if (removed > before * MAX_REMOVED)
    return stop(`It would remove ${removed} of ${before} actions, so the catalogue is left as it was.`);
  const at = now();
  const settled = await table.settle(state.job, { hasListing, at, forgetBefore: at - REMOVED_MS });
  return settled.ok ? next(beginPhase("compile", state)) : settled;
};

export const compileApps: Phase = async ({ table, blobs }, state) => {
  const chosen = await table.appsToCompile(COMPILE_ACTIONS);
  if (!chosen.ok) return chosen;
  if (chosen.value.length === 0) return next(beginPhase("publish", state));
  const read = await table.readApps(chosen.value);
  if (!read.ok) return read;
  const files = new Map<string, string>();
  for await (const { app, hash } of runConcurrently(read.value, CONCURRENT_WRITES, async (content) => ({
    app: content.app,
    hash: await putApp(blobs, content),
  }))) {
    if (!hash.ok) return hash;
    files.set(app, hash.value);
  }
  const stored = await table.storeCompiled(state.job, files);
  return stored.ok ? next(state) : stored;
};

async function putApp(blobs: BlobPort, content: AppContent): Promise<Result<string>> {
  return await putText(blobs, formatApp(content), (hash) => getAppKey(content.app, hash));
}

/** Writes the files in the order in which they name each other, then the row: what it names can be read. */
export const publishCatalogue: Phase = async ({ table, blobs, now }, state) => {
  const list = new ActionListWriter();
  for (let after: ListedAction | null = null; ; ) {
    const page = await table.listActions(after, LIST_ACTIONS);
    if (!page.ok) return page;
    for (const action of page.value) list.add(action);
    after = page.value.at(-1) ?? null;
    if (page.value.length < LIST_ACTIONS) break;
  }
  const listHash = await putText(blobs, list.format(), getListKey);
  if (!listHash.ok) return listHash;
  const apps = await table.compiledApps();
  if (!apps.ok) return apps;
  const stats = summarize(apps.value);
  const snapshot = await putText(
    blobs,
    formatSnapshot({ list: listHash.value, stats, apps: apps.value }),
    getSnapshotKey,
  );
  if (!snapshot.ok) return snapshot;
  const published = await table.publish(state.job, { snapshot: snapshot.value, syncedAt: now(), stats });
  if (!published.ok) return published;
  return published.value ? ok({ kind: "published", state }) : stop("The sync has ended.");
};

/** Stores a text under its hash, and returns that. */
export async function putText(
  blobs: BlobPort,
  text: string,
  getKey: (hash: string) => string,
): Promise<Result<string>> {
  const bytes = new TextEncoder().encode(text);
  const hash = await sha256Hex(bytes);
  const put = await blobs.put(getKey(hash), bytes);
  return put.ok ? ok(hash) : put;
}

function summarize(apps: readonly CompiledApp[]): CatalogueStats {
  const active = apps.filter(({ status }) => status === "active");
  const byCategory = new Map<string, number>();
  for (const { categories } of active)
    for (const category of new Set(categories)) byCategory.set(category, (byCategory.get(category) ?? 0) + 1);
  return {
    apps: active.length,
    actions: active.reduce((sum, { actionCount }) => sum + actionCount, 0),
    triggers: active.reduce((sum, { triggerCount }) => sum + triggerCount, 0),
    categories: [...byCategory]
      .map(([category, count]) => ({ category, apps: count }))
      .toSorted((a, b) => b.apps - a.apps || (a.category < b.category ? -1 : 1)),
  };
}
