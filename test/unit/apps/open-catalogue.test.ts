/** The published catalogue as an isolate holds it. */
import { beforeEach, describe, expect, test } from "vitest";
import { ByteCache } from "../../../adapters/apps/byte-cache.ts";
import { openAppCatalogue } from "../../../adapters/apps/open-catalogue.ts";
import {
  ActionListWriter,
  formatApp,
  formatSnapshot,
  getAppKey,
  getListKey,
  getSnapshotKey,
} from "../../../core/apps/compiled.ts";
import { formatLogos, getLogosKey } from "../../../core/apps/logo.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { CataloguePointer, CompiledApp } from "../../../core/ports/app-catalogue-table.ts";
import type { AppCatalogue, ListedAction } from "../../../core/ports/app-catalogue.ts";
import { valueOf } from "../../contracts/value-of.ts";

const AWAY = failed("upstream_failed", "The database did not reply.");
const APP: CompiledApp = {
  app: "gmail",
  title: "Gmail",
  description: "Mail.",
  logoUrl: null,
  categories: [],
  actionCount: 1,
  triggerCount: 0,
  authSchemes: [],
  managedSchemes: [],
  isOpen: false,
  guideUrl: null,
  version: null,
  updatedAt: null,
  provider: "composio",
  status: "active",
  compiled: "c1",
};
const ACTION: ListedAction = {
  action: "GMAIL_SEND",
  app: "gmail",
  title: "Send",
  description: "Sends a mail.",
  tags: ["important"],
  isOpen: true,
  parameters: ["to", "gmail"],
  effect: "probe",
  security: "dangerous",
  because: "No hint says that it only reads.",
  capabilities: ["email.send"],
  isDestructive: true,
};

let files: Map<string, string>;
let pointer: Result<CataloguePointer | null>;
let reads: string[];
let clock: number;
let catalogue: AppCatalogue;

beforeEach(() => {
  files = new Map();
  reads = [];
  clock = 1_800_000_000_000;
  publish("s1", [APP]);
  catalogue = openAppCatalogue({
    table: {
      pointer: () => {
        reads.push("pointer");
        return Promise.resolve(pointer);
      },
    },
    blobs: {
      get: (key) => {
        reads.push(key);
        const text = files.get(key);
        return Promise.resolve(text === undefined ? failed("not_found", "No.") : ok(new TextEncoder().encode(text)));
      },
    },
    now: () => clock,
  });
});

function publish(hash: string, apps: readonly CompiledApp[]): void {
  const list = new ActionListWriter();
  list.add(ACTION);
  files.set(getListKey("l1"), list.format());
  for (const { app, compiled } of apps)
    files.set(getAppKey(app, compiled), formatApp({ app, actions: [], triggers: [] }));
  const stats = { apps: apps.length, actions: 1, triggers: 0, categories: [] };
  files.set(getSnapshotKey(hash), formatSnapshot({ list: "l1", stats, apps }));
  pointer = ok({ snapshot: hash, syncedAt: clock, logos: null });
}

const read = async () => {
  const snapshot = valueOf(await catalogue.snapshot());
  if (snapshot === null) throw new Error("no catalogue was published");
  return snapshot;
};

describe("a version", () => {
  test("is read once, and each of its files on its first use", async () => {
    const snapshot = await read();
    expect(await read()).toBe(snapshot);
    expect(snapshot).toMatchObject({ hash: "s1", apps: [{ app: "gmail" }] });
    for (let times = 0; times < 2; times += 1) {
      expect(valueOf(await snapshot.actions())).toEqual([ACTION]);
      expect(valueOf(await snapshot.actionsOf("gmail"))).toEqual([]);
      expect(valueOf(await snapshot.triggersOf("gmail"))).toEqual([]);
    }
    expect(reads).toEqual(["pointer", "catalogue/apps/s1", "catalogue/list/l1", "catalogue/app/gmail/c1"]);
    expect(await snapshot.actionsOf("slack")).toMatchObject({ error: { code: "not_found" } });
  });

  test("is served for a minute, then by others while one request looks, and stays what it was", async () => {
    const first = await read();
    publish("s2", [APP, { ...APP, app: "slack" }]);
    clock += 59_999;
    expect((await read()).hash).toBe("s1");
    clock += 1;
    const [looking, other] = await Promise.all([read(), read()]);
    expect([looking.hash, other.hash]).toEqual(["s2", "s1"]);
    expect((await read()).hash).toBe("s2");
    expect(first.apps).toHaveLength(1);
    expect(await first.actionsOf("slack")).toMatchObject({ error: { code: "not_found" } });
    expect(valueOf(await looking.actionsOf("slack"))).toEqual([]);
  });

  test("gets logos that are published after it, and shares what was read of it", async () => {
    const first = await read();
    const actions = valueOf(await first.actions());
    files.set(getLogosKey("g1"), formatLogos([{ app: "gmail", hash: "h1" }]));
    pointer = ok({ snapshot: "s1", syncedAt: first.syncedAt, logos: "g1" });
    clock += 60_000;
    const second = await read();
    expect(first.apps[0]?.logo).toBeNull();
    expect(second).toMatchObject({ hash: "s1", apps: [{ app: "gmail", logo: "h1" }] });
    expect(valueOf(await second.actions())).toBe(actions);
    clock += 60_000;
    expect(await read()).toBe(second);
    // The file of later ones is missing: the logos stay until it is there.
    pointer = ok({ snapshot: "s1", syncedAt: first.syncedAt, logos: "g2" });
    clock += 60_000;
    expect((await read()).apps[0]?.logo).toBe("h1");
    files.set(getLogosKey("g2"), formatLogos([]));
    clock += 60_000;
    expect((await read()).apps[0]?.logo).toBeNull();
  });

  test("is served while the database is away, and when a file of the next one is missing", async () => {
    await read();
    pointer = AWAY;
    clock += 60_000;
    expect((await read()).hash).toBe("s1");
    pointer = ok({ snapshot: "s9", syncedAt: clock, logos: null });
    clock += 60_000;
    expect((await read()).hash).toBe("s1");
  });
});

test("without a version, the first one appears within five seconds", async () => {
  pointer = ok(null);
  expect(await catalogue.snapshot()).toEqual(ok(null));
  publish("s1", [APP]);
  clock += 4_999;
  expect(await catalogue.snapshot()).toEqual(ok(null));
  clock += 1;
  expect((await read()).hash).toBe("s1");
});

test("what cannot be read at all is a failure, also a file that is missing", async () => {
  const named = pointer;
  pointer = AWAY;
  expect(await catalogue.snapshot()).toEqual(AWAY);
  pointer = named;
  files.delete(getAppKey("gmail", "c1"));
  expect(await (await read()).actionsOf("gmail")).toMatchObject({ error: { code: "upstream_failed" } });
});

test("a cache of bytes drops the values that were used longest ago", () => {
  const cache = new ByteCache<string>(10);
  cache.set("a", "A", 4);
  cache.set("b", "B", 4);
  expect(cache.get("a")).toBe("A");
  cache.set("c", "C", 4);
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual(["A", undefined, "C"]);
  cache.set("c", "D", 6);
  expect([cache.get("a"), cache.get("c")]).toEqual(["A", "D"]);
  cache.set("e", "E", 11);
  expect([cache.get("a"), cache.get("c"), cache.get("e")]).toEqual(["A", "D", undefined]);
});
