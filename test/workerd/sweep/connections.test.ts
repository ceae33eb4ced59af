/** What the sweep does for connections: checks, revocations, and wakings that were lost. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, test, vi } from "vitest";
import { authorizationsFromEnv, connectionTableFromEnv } from "../../../adapters/env/connections.ts";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { ok } from "../../../core/base/errors.ts";
import { makeId } from "../../../core/base/ids.ts";
import { getValue, type TokenSet } from "../../../core/connections/tokens.ts";
import { TaskObject } from "../../../workers/index.ts";
import { sweep } from "../../../workers/sweep.ts";
import { sweepConnections } from "../../../workers/sweep/connections.ts";
import { act, report } from "../../contracts/database/rows.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { newCaller, person, SOON } from "../channels/inbox/ask-people.ts";
import { sendingsOf } from "../channels/outbox/test-sender.ts";
import { toCanonicalJson } from "../../../core/base/canonical-json.ts";
import { addApp, APP, connect, grantTokens, nowhere } from "../connections/app-of-tests.ts";
import type { Caller } from "../http/entry.ts";
import { operatorKey, send } from "../tenant/client.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

let caller: Caller;
let tenant: string;

const table = () => connectionTableFromEnv(env, tenant);
const find = async (id: string) => valueOf(await table().find(id));
/** Tokens that the endpoints of `nowhere` gave. */
const nowhereTokens = (expiresAt: number | null): TokenSet => {
  const given = { issuer: null, endpoints: toCanonicalJson(nowhere().at) };
  return { kind: "oauth", access: "a", refresh: "r", expiresAt, ...given };
};
const texts = () => sendingsOf(tenant).map(({ delivery }) => String(delivery.content["text"]));

beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  caller = await newCaller();
  ({ tenant } = caller);
});

/** Tokens that are about to expire. */
async function grantExpiring(): Promise<TokenSet> {
  const tokens = await grantTokens(tenant);
  return { ...tokens, ...(tokens.kind === "oauth" ? { expiresAt: Date.now() + MINUTE_MS } : {}) };
}

describe("a check", () => {
  const check = () => sweepConnections(env, Date.now() + DAY_MS + MINUTE_MS);

  test("renews tokens that end soon, and says nothing", async () => {
    await addApp(tenant);
    const ana = await person(caller, "Ana");
    const { id, lastCheckedAt } = await connect(tenant, ana.id, { tokens: await grantExpiring() });
    await check();
    const checked = await find(id);
    expect(checked).toMatchObject({ status: "active", outage: 0 });
    expect(checked.expiresAt).toBeGreaterThan(Date.now() + 10 * MINUTE_MS);
    expect(checked.lastCheckedAt).toBeGreaterThan(lastCheckedAt ?? 0);
    expect(texts()).toEqual([]);
  });

  test("finds that the access has ended, notifies the owner once, and no task again", async () => {
    await addApp(tenant);
    const ana = await person(caller, "Ana");
    const tokens = await grantExpiring();
    const { id } = await connect(tenant, ana.id, { tokens });
    const before = await tenantsFromEnv(env)(tenant).standing();
    valueOf(await authorizationsFromEnv(env, tenant).revoke(APP, tokens));
    await check();
    await check();
    expect(await find(id)).toMatchObject({ status: "expired", outage: 1, notifiedAt: expect.any(Number) });
    await vi.waitFor(() => expect(texts()).toHaveLength(1), SOON);
    expect(texts()[0]).toBe(
      "Otto can no longer use your account of Crm: schedules and tasks that use it will wait.\n\nConnect it again in Otto.",
    );
    expect((await tenantsFromEnv(env)(tenant).standing())?.appsStamp).not.toBe(before?.appsStamp);
  });

  test("that cannot be made changes nothing, and is made again", async () => {
    await addApp(tenant, nowhere());
    const tokens = nowhereTokens(Date.now() - 1);
    const { id, lastCheckedAt } = await connect(tenant, null, { tokens });
    await check();
    expect(await find(id)).toMatchObject({ status: "active", lastCheckedAt });
    const due = valueOf(await databaseFromEnv(env).connectionJobs.toCheck(Date.now() + 2 * DAY_MS, 10_000));
    expect(due).toContainEqual({ tenant, connection: id });
  });

  test("of tokens without an end is noted, also where no app knows them any more", async () => {
    const { id, lastCheckedAt } = await connect(tenant, null, { tokens: { kind: "key", value: "k" } });
    await check();
    expect((await find(id)).lastCheckedAt).toBeGreaterThan(lastCheckedAt ?? 0);
    expect((await find(id)).status).toBe("active");
  });
});

describe("a revocation", () => {
  /** True while the app accepts the tokens. */
  async function isAccepted(tokens: TokenSet): Promise<boolean> {
    const headers = { authorization: `Bearer ${getValue(tokens)}` };
    return (await fetch(`${inject("servers").oauthApp}/userinfo`, { headers })).status === 200;
  }

  test("ends the tokens at their provider, once it is due", async () => {
    await addApp(tenant);
    const tokens = await grantTokens(tenant);
    const { id } = await connect(tenant, null, { tokens });
    valueOf(await table().revoke(id, act("connection.revoke", id)));
    expect(await isAccepted(tokens)).toBe(true);
    await sweepConnections(env, Date.now() + 1_000);
    expect(await find(id)).toMatchObject({ status: "revoked", revocation: null });
    expect(await isAccepted(tokens)).toBe(false);
  });

  test("that the provider does not confirm is tried again later", async () => {
    await addApp(tenant, nowhere());
    const { id } = await connect(tenant, null, { tokens: nowhereTokens(null) });
    valueOf(await table().revoke(id, act("connection.revoke", id)));
    await sweepConnections(env, Date.now() + 1_000);
    const { revocation } = await find(id);
    expect(revocation).toMatchObject({ tries: 1 });
    expect(revocation?.nextAt).toBeGreaterThan(Date.now());
  });

  test("is attempted once for an erased tenant, before its rows go", async () => {
    await addApp(tenant);
    const tokens = await grantTokens(tenant);
    await connect(tenant, null, { tokens });
    expect((await send({ method: "DELETE", path: `/v1/tenants/${tenant}`, key: operatorKey() })).status).toBe(200);
    await vi.waitFor(async () => {
      await sweep(env, Date.now());
      expect(valueOf(await databaseFromEnv(env).tenants.listErased(100))).not.toContain(tenant);
    }, SOON);
    expect(await isAccepted(tokens)).toBe(false);
  });
});

describe("a task that waits for a connection", () => {
  const newTask = () => makeId("task", Date.now(), crypto.getRandomValues(new Uint8Array(10)));

  async function wait(owner: string | null, since: number): Promise<string> {
    const task = newTask();
    const open = {
      id: `cnw_${task}`,
      kind: "connection",
      app: APP.app,
      person: null,
      person_id: owner,
      since,
    } as const;
    const row = { ...report({ task, at: Date.now(), status: "waiting_input" }), waits: [open] };
    await tenantsFromEnv(env)(tenant).report(row);
    await tenantsFromEnv(env)(tenant).flush();
    return task;
  }

  function recordWakes(): string[] {
    const woken: string[] = [];
    vi.spyOn(TaskObject.prototype, "connected").mockImplementation(async function (this: TaskObject, id) {
      woken.push(id);
      return await Promise.resolve(ok(undefined));
    });
    return woken;
  }

  test("is woken by the sweep if the call after the consent was lost, once", async () => {
    await addApp(tenant);
    const ana = await person(caller, "Ana");
    const since = Date.now() - MINUTE_MS;
    const [task, shared] = [await wait(ana.id, since), await wait(null, since)];
    const woken = recordWakes();
    await sweepConnections(env, Date.now());
    expect(woken).toEqual([]);
    await connect(tenant, ana.id);
    await sweepConnections(env, Date.now());
    await vi.waitFor(() => expect(woken).toEqual([`cnw_${task}`]), SOON);
    // It waits again, for what the connection does not permit.
    await wait(ana.id, Date.now() + MINUTE_MS);
    await sweepConnections(env, Date.now());
    await sweepConnections(env, Date.now());
    expect(woken).toEqual([`cnw_${task}`]);
    expect(woken).not.toContain(`cnw_${shared}`);
  });
});
