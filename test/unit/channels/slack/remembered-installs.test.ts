/** An isolate's cache of installations: its lifetime, its invalidation, and its use while Postgres is away. */
import { expect, test } from "vitest";
import { cacheInstalls } from "../../../../adapters/database/remembered-installs.ts";
import type { SlackInstall, SlackInstallTable } from "../../../../core/ports/slack-install-table.ts";
import type { AuditEntry } from "../../../../core/ports/audit.ts";
import { failed, ok } from "../../../../core/base/errors.ts";

const INSTALL: SlackInstall = {
  id: "slk_1",
  team: "T1",
  teamName: "One",
  app: null,
  botUser: "UBOT",
  scopes: [],
  status: "active",
  installedBy: "key_1",
  createdAt: 0,
  updatedAt: 0,
};
const ACT: AuditEntry = {
  id: "aud_1",
  at: 0,
  actor: "key_1",
  action: "slack.install",
  target: "slk_1",
  requestId: "req_1",
};
const NEVER = failed("internal", "Nobody asks for this.");

/** A fake of Postgres; with `tenant` null, no tenant has the workspace. */
function postgres() {
  const state = { tenant: "a" as string | null, isAway: false, asked: 0, now: 1_000_000 };
  const ask = <T>(value: T) => {
    state.asked += 1;
    return Promise.resolve(state.isAway ? failed("upstream_failed", "It is away.") : ok(value));
  };
  const table: SlackInstallTable = {
    findTenant: async () => await ask(state.tenant),
    findByTeam: async () => await ask({ ...INSTALL, sealed: "c2VhbGVk" }),
    put: async (_tenant, { team }) => await Promise.resolve(ok({ ...INSTALL, team })),
    remove: async () => await Promise.resolve(ok(INSTALL)),
    revoke: async () => await Promise.resolve(ok(undefined)),
    get: async () => await Promise.resolve(NEVER),
    page: async () => await Promise.resolve(NEVER),
    active: async () => await Promise.resolve(NEVER),
    begin: async () => await Promise.resolve(NEVER),
    end: async () => await Promise.resolve(NEVER),
  };
  return { state, installs: cacheInstalls(table, () => state.now) };
}

test("a workspace and its bot are read once in five seconds", async () => {
  const { state, installs } = postgres();
  for (let tries = 0; tries < 3; tries += 1) {
    expect(await installs.findTenant("T1")).toEqual({ ok: true, value: "a" });
    expect(await installs.findByTeam("a", "T1")).toMatchObject({ ok: true, value: { botUser: "UBOT" } });
  }
  expect(state.asked).toBe(2);
  state.tenant = "b";
  state.now += 5_000;
  expect(await installs.findTenant("T1")).toEqual({ ok: true, value: "b" });
});

test("a workspace without a tenant is not cached", async () => {
  const { state, installs } = postgres();
  state.tenant = null;
  expect(await installs.findTenant("T1")).toEqual({ ok: true, value: null });
  state.tenant = "a";
  expect(await installs.findTenant("T1")).toEqual({ ok: true, value: "a" });
});

test.each<[string, (installs: SlackInstallTable) => Promise<unknown>]>([
  ["reinstalled", (installs) => installs.put("b", { ...INSTALL, sealed: "" }, ACT)],
  ["removed", (installs) => installs.remove("a", "slk_1", ACT)],
  ["revoked", (installs) => installs.revoke("a", "T1", 0)],
])("a workspace that is %s is read at once", async (_what, change) => {
  const { state, installs } = postgres();
  await installs.findTenant("T1");
  state.tenant = "b";
  await change(installs);
  expect(await installs.findTenant("T1")).toEqual({ ok: true, value: "b" });
});

test("the cache serves ten minutes while Postgres is away, which is queried every five seconds", async () => {
  const { state, installs } = postgres();
  await installs.findTenant("T1");
  state.isAway = true;
  state.now += 6_000;
  for (let tries = 0; tries < 3; tries += 1) expect(await installs.findTenant("T1")).toEqual({ ok: true, value: "a" });
  expect(state.asked).toBe(2);
  expect(await installs.findTenant("T2"), "what was never read is asked for").toMatchObject({ ok: false });
  state.now += 600_000;
  expect(await installs.findTenant("T1")).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
  state.isAway = false;
  expect(await installs.findTenant("T1")).toEqual({ ok: true, value: "a" });
});
