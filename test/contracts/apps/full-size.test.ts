/** A full sync of the usual size: every action is listed, from files of the usual sizes. Prints what it took. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAppCatalogue } from "../../../adapters/apps/open-catalogue.ts";
import { runSyncPage } from "../../../core/apps/sync/run-page.ts";
import type { SyncDeps, SyncState } from "../../../core/apps/sync/state.ts";
import { DescribedCatalogue, describeAction, TOO_MANY } from "../../fakes/described-catalogue.ts";
import { valueOf } from "../value-of.ts";
import { beginSync, depsOf, openSyncWorld, runSync, type SyncWorld } from "./sync-world.ts";

const APPS = 880;
const ACTIONS = 12_000;
const LARGEST = 823;
const MIB = 1_048_576;

let world: SyncWorld;

beforeAll(async () => {
  world = await openSyncWorld();
});
afterAll(() => world.close());

/** 880 apps, one of them with 823 actions, each with schemas of about 1,600 characters. */
function describeUsual(): DescribedCatalogue {
  const source = new DescribedCatalogue({ apps: 0, actions: 0 });
  const names = Array.from({ length: APPS }, (_, at) => `app${at}`);
  const usual = (ACTIONS - LARGEST) / (APPS - 1);
  names.forEach((app, at) => {
    const count = at === 0 ? LARGEST : Math.round(at * usual) - Math.round((at - 1) * usual);
    source.add(app, count);
    for (let action = 0; action < count; action += 1) source.addAction(describeUsualAction(app, action));
  });
  return source;
}

function describeUsualAction(app: string, at: number) {
  const names = Array.from({ length: 8 }, (_, field) => `field_${(at * 7 + field) % 300}`);
  const properties = Object.fromEntries(
    names.map((name) => [name, { type: "string", title: name, description: `What ${name} is. `.repeat(6) }]),
  );
  const input = { type: "object", properties, required: names.slice(0, 2) };
  return describeAction(app, at, { input, description: `Does ${at} in ${app}, and says what it did. `.repeat(3) });
}

/** The deps with a note of the memory at each of their calls. */
function noteMemory(deps: SyncDeps): { readonly deps: SyncDeps; readonly peak: () => number } {
  const base = process.memoryUsage().heapUsed;
  let peak = base;
  const now = (): number => {
    peak = Math.max(peak, process.memoryUsage().heapUsed);
    return deps.now();
  };
  return { deps: { ...deps, now }, peak: () => peak - base };
}

/**
 * Gives a page up at one of its calls, as a crash does: the call was made, and its reply is lost. False if it made fewer calls;
 * then the outcome of the page is lost.
 */
async function giveUp(deps: SyncDeps, state: SyncState, at: number): Promise<boolean> {
  let calls = 0;
  const stop = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(of, name) {
        const value: unknown = Reflect.get(of, name);
        if (typeof value !== "function") return value;
        return async (...given: unknown[]) => {
          const reply: unknown = await Reflect.apply(value, of, given);
          calls += 1;
          if (calls > at) throw new Error("killed");
          return reply;
        };
      },
    });
  const { source, table, blobs } = deps;
  const stopped = { ...deps, source: stop(source), table: stop(table), blobs: stop(blobs) };
  try {
    await runSyncPage(stopped, state);
    return false;
  } catch (error) {
    expect(String(error)).toBe("Error: killed");
    return true;
  }
}

test("a full sync that is killed at every page, with 429s and bad and vanished items, lists each action once", {
  timeout: 300_000,
}, async () => {
  const source = describeUsual();
  const { table, blobs } = world;
  expect(await runSync(world, source, "full")).toMatchObject({ status: "completed" });
  const readers = openAppCatalogue({ table, blobs, now: Date.now });
  const before = valueOf(await readers.snapshot());
  for (const app of ["app5", "app6", "app7"]) source.remove(app);
  source.addAction(describeAction("app8", 9_000, { action: "has spaces" }));
  source.addAction(describeAction("app8", 9_001));
  // Each request is refused twice: once in an attempt that is killed, and once in one that is not.
  const asked = new Map<string, number>();
  source.fault = (request) => {
    const times = (asked.get(request) ?? 0) + 1;
    asked.set(request, times);
    return times <= 2 ? TOO_MANY : null;
  };
  const deps = depsOf(world, source);
  let state = await beginSync(world, "full");
  let [pages, later, killed] = [0, 0, 0];
  for (let ended = false; !ended; ) {
    if (await giveUp(deps, state, pages % 2)) killed += 1;
    // A reader that begins now sees the version before, whole. Logos follow once the new one is published.
    const seen = valueOf(await openAppCatalogue({ table, blobs, now: Date.now }).snapshot());
    if (state.phase !== "logos") expect(seen?.hash).toBe(before?.hash);
    const outcome = await runSyncPage(deps, state);
    ended = outcome.kind === "ended";
    if (outcome.kind === "later") later += 1;
    if (outcome.kind === "next") [state, pages] = [outcome.state, pages + 1];
  }
  const after = valueOf(await openAppCatalogue({ table, blobs, now: Date.now }).snapshot());
  const listed = valueOf((await after?.actions()) ?? { ok: true, value: [] }).map(({ action }) => action);
  const provided = [...source.provided.keys()].filter((name) => name !== "has spaces");
  expect(listed.toSorted()).toEqual(provided.toSorted());
  expect(after?.stats.actions).toBe(provided.length);
  expect(
    after?.apps
      .filter(({ status }) => status === "removed")
      .map(({ app }) => app)
      .toSorted(),
  ).toEqual(["app5", "app6", "app7"]);
  expect(killed).toBeGreaterThanOrEqual(pages);
  expect(later).toBeGreaterThan(10);
});

test(`a full sync lists ${ACTIONS} actions of ${APPS} apps`, { timeout: 300_000 }, async () => {
  const source = describeUsual();
  const noted = noteMemory(depsOf(world, source));
  let state = await beginSync(world, "full");
  const startedAt = performance.now();
  let pages = 0;
  for (let ended = false; !ended; pages += 1) {
    const outcome = await runSyncPage(noted.deps, state);
    ended = outcome.kind === "ended";
    if (outcome.kind === "next") ({ state } = outcome);
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const { table, blobs } = world;
  const snapshot = valueOf(await openAppCatalogue({ table, blobs, now: Date.now }).snapshot());
  expect(snapshot?.stats).toMatchObject({ apps: APPS, actions: ACTIONS });
  const openedAt = performance.now();
  const actions = valueOf((await snapshot?.actions()) ?? { ok: true, value: [] });
  const parsed = (performance.now() - openedAt).toFixed(0);
  expect(new Set(actions.map(({ action }) => action)).size).toBe(ACTIONS);
  expect(snapshot?.apps[0]).toMatchObject({ app: "app0", actionCount: LARGEST });
  expect(valueOf((await snapshot?.actionsOf("app0")) ?? { ok: true, value: [] })).toHaveLength(LARGEST);
  const sizeOf = (prefix: string): string => {
    const sizes = [...world.blobs.stored].filter(([key]) => key.startsWith(prefix)).map(([, { length }]) => length);
    return `${(sizes.reduce((sum, size) => sum + size, 0) / MIB).toFixed(2)} MiB`;
  };
  const files = `apps ${sizeOf("catalogue/apps/")}, list ${sizeOf("catalogue/list/")}, schemas ${sizeOf("catalogue/app/")}`;
  const memory = `${(noted.peak() / MIB).toFixed(0)} MiB of heap`;
  console.log(
    `full sync: ${seconds} s, ${pages} pages, ${source.requests.length} requests, ${memory}; ${files}; list read in ${parsed} ms`,
  );
});
