/** The rights that an isolate holds: how old they may be, and what it says while they cannot be read. */
import { beforeEach, expect, test } from "vitest";
import { AppRightsCache } from "../../../adapters/apps/open-rights.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { AppRights } from "../../../core/ports/app-rights.ts";

const rightsOf = (...apps: string[]): AppRights => ({
  assignments: [],
  permissions: new Map(),
  added: new Map(apps.map((app) => [app, new Set<string>()])),
  overrides: new Map(),
});

let cache: AppRightsCache;
let now: number;
let reads: string[];
let reply: () => Result<AppRights> | Promise<Result<AppRights>>;

const read = async (tenant = "ten_a", agent = "agent_x") => {
  const table = {
    rights: async (...of: string[]) => {
      reads.push(of.join(" "));
      return await reply();
    },
  };
  return await cache.read(table, { tenant, agent }, () => now);
};

beforeEach(() => {
  cache = new AppRightsCache();
  now = 1_000_000;
  reads = [];
  reply = () => ok(rightsOf("gmail"));
});

test("rights count for three seconds from the beginning of their read", async () => {
  reply = async () => {
    now += 500;
    return await Promise.resolve(ok(rightsOf("gmail")));
  };
  await read();
  reply = () => ok(rightsOf());
  now += 2_499;
  expect(await read()).toEqual(ok(rightsOf("gmail")));
  now += 1;
  expect(await read()).toEqual(ok(rightsOf()));
  expect(reads).toHaveLength(2);
});

test("rights belong to their tenant and agent, and requests at the same time share a read", async () => {
  await Promise.all([read(), read(), read("ten_a", "agent_y"), read("ten_b")]);
  expect(reads.toSorted()).toEqual(["ten_a agent_x", "ten_a agent_y", "ten_b agent_x"]);
});

test("nothing older is said while the database is away", async () => {
  await read();
  now += 3_000;
  reply = () => failed("upstream_failed", "away");
  expect(await read()).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
  reply = () => ok(rightsOf());
  expect(await read()).toEqual(ok(rightsOf()));
});

test("a change is read at once, and a read that began before it is not stored", async () => {
  await read();
  let release = (_: Result<AppRights>) => {};
  const held = new Promise<Result<AppRights>>((resolve) => {
    release = resolve;
  });
  reply = async () => await held;
  const early = read("ten_a", "agent_y");
  cache.forget("ten_a");
  release(ok(rightsOf("gmail")));
  await early;
  reply = () => ok(rightsOf());
  expect(await read()).toEqual(ok(rightsOf()));
  expect(await read("ten_a", "agent_y")).toEqual(ok(rightsOf()));
});

test("the rights of an isolate take a bounded amount of memory, and the least recently read go first", async () => {
  cache = new AppRightsCache(4_000);
  reply = () =>
    ok({ ...rightsOf(), added: new Map([["crm", new Set(Array.from({ length: 20 }, (_, at) => `CRM_${at}`))]]) });
  const readAll = async (...agents: string[]) => {
    reads = [];
    for (const agent of agents) await read("ten_a", agent);
    return reads.length;
  };
  expect(await readAll("one", "two", "one", "two")).toBe(2);
  expect(await readAll("three", "four", "three")).toBe(2);
  expect(await readAll("one")).toBe(1);
  // More than the bound is not stored.
  cache = new AppRightsCache(100);
  expect(await readAll("one", "one")).toBe(2);
});
