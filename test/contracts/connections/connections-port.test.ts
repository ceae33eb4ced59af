/** Through which account a call acts: the port over the table on Postgres, and over its fake. */
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import {
  createConnectionCaches,
  FRESH_MS,
  forgetConnections,
  STALE_MS,
} from "../../../adapters/connections/account-cache.ts";
import { openConnections } from "../../../adapters/connections/connections-port.ts";
import { createTokenFlights } from "../../../adapters/connections/renew.ts";
import { failed, notSent, ok } from "../../../core/base/errors.ts";
import type { Account, ToolApp } from "../../../core/connections/account.ts";
import { startActors } from "../../../core/connections/actors.ts";
import type { Connection } from "../../../core/connections/connection.ts";
import type { TokenSet } from "../../../core/connections/tokens.ts";
import type { ConnectionsPort } from "../../../core/ports/connections.ts";
import type { GivenConsent } from "../../../core/ports/connection-table.ts";
import { type FakeAuthorizations, fakeAuthorizations } from "../../fakes/authorizations.ts";
import { fakeProviderBook } from "../../fakes/provider-book.ts";
import { fakeBackend, postgresBackend, type TenantConnections } from "../database/connection-tables.ts";
import { act } from "../database/rows.ts";
import { valueOf } from "../value-of.ts";
import { makeApp, makeFlow, REDIRECT } from "./providers.ts";

const TOOL: ToolApp = { app: "crm", provider: "oauth", owner: "either", scopes: [] };
const AWAY = failed("upstream_failed", "The database is away.");

describe.each([fakeBackend(), postgresBackend()])("the port over $name", (backend) => {
  let at: TenantConnections;
  let provider: FakeAuthorizations;
  let port: ConnectionsPort;
  let ana: string;
  /** How much later than the table's clock it is. */
  let ahead: number;
  let isAway: boolean;
  let settingsHash: string;
  let isRemoved: boolean;
  let reads: string[];
  let caches: ReturnType<typeof createConnectionCaches>;

  beforeEach(async () => {
    at = await backend.open();
    [ahead, isAway, settingsHash, isRemoved, reads] = [0, false, "h1", false, []];
    ana = await at.addPerson("Ana");
    provider = fakeAuthorizations(() => at.now() + ahead);
    caches = createConnectionCaches();
    port = openPort(caches);
  });
  afterAll(() => backend.close());

  function openPort(own = createConnectionCaches()): ConnectionsPort {
    const table = new Proxy(at.table, {
      get(target, name) {
        return async (...given: unknown[]) => {
          reads.push(String(name));
          const operation = Reflect.get(target, name) as (...rest: unknown[]) => Promise<unknown>;
          return isAway ? AWAY : await operation(...given);
        };
      },
    });
    return openConnections({
      tenant: at.tenant,
      table,
      apps: {
        find: () => {
          if (isAway) return Promise.resolve(AWAY);
          return Promise.resolve(
            isRemoved ? notSent("not_found", "There is no such app.") : ok(makeApp({ settingsHash })),
          );
        },
      },
      book: fakeProviderBook({}),
      authorizations: provider,
      caches: own,
      flights: createTokenFlights(),
      timer: globalThis,
      now: () => at.now() + ahead,
      background: () => undefined,
    });
  }

  async function getTokens(user = "ana"): Promise<TokenSet> {
    const begun = valueOf(await provider.begin(makeApp(), { redirectUrl: REDIRECT, state: "s" }));
    return valueOf(await provider.complete(makeApp(), makeFlow(begun), provider.consent(begun.url, user))).tokens;
  }

  async function consent(person: string | null, change: Partial<GivenConsent> = {}, alias: string | null = null) {
    const { id } = valueOf(await at.table.ensure({ app: "crm", person, alias }, "oauth"));
    const given = { label: "ana@acme.example", scopes: null, unattended: false, settingsHash: "h1" };
    const by = { person, name: "Ana" };
    const whole = { tokens: await getTokens(), ...given, by, ...change };
    return valueOf(await at.table.complete(id, whole, act("connection.connect", id)));
  }

  const ask = async (caller: string | null = ana, rule: ToolApp["owner"] = "either", from = port) =>
    await from.choose({ app: TOOL, actors: startActors(caller, caller), rule, configured: null, isUnattended: false });
  const accountOf = ({ id, owner, consent: count, label }: Connection): Account => ({
    connection: id,
    app: "crm",
    provider: "oauth",
    owner,
    label,
    consent: count,
    delegates: false,
  });
  const revoke = async (id: string) => valueOf(await at.table.revoke(id, act("connection.revoke", id)));

  it("chooses the caller's account, the shared one, or says what is needed", async () => {
    expect(await ask()).toEqual(ok({ kind: "needed", need: { app: "crm", reason: "missing", person: ana } }));
    const shared = await consent(null);
    const own = await consent(ana);
    const ben = await at.addPerson("Ben");
    await consent(ben);
    forgetConnections(caches, at.tenant);
    expect(await ask()).toEqual(ok({ kind: "account", account: accountOf(own) }));
    expect(await ask(ana, "shared")).toEqual(ok({ kind: "account", account: accountOf(shared) }));
    expect(await ask(null)).toEqual(ok({ kind: "account", account: accountOf(shared) }));
    expect(await ask(null, "person")).toEqual(ok({ kind: "none" }));
  });

  it("an account of settings that changed has expired, and a removed app has no account", async () => {
    const own = await consent(ana);
    settingsHash = "h2";
    expect(await ask()).toMatchObject({ value: { kind: "needed", need: { reason: "expired", person: ana } } });
    expect(await port.current(accountOf(own), false)).toEqual(ok({ needed: "expired" }));
    forgetConnections(caches, at.tenant);
    isRemoved = true;
    expect(await ask()).toMatchObject({ ok: false, error: { code: "not_available", happened: "no" } });
    expect(await port.current(accountOf(own), false)).toEqual(ok({ needed: "revoked" }));
  });

  it("a person's account serves tasks that nobody started only while its owner allows them", async () => {
    const [own, shared] = [await consent(ana), await consent(null)];
    expect(await port.current(accountOf(own), true)).toEqual(ok({ needed: "unattended" }));
    expect(await port.current(accountOf(shared), true)).toEqual(ok(accountOf(shared)));
    const allowed = valueOf(await at.table.change(own.id, { unattended: true }, act("connection.update", own.id)));
    forgetConnections(caches, at.tenant);
    expect(await port.current(accountOf(allowed), true)).toEqual(ok(accountOf(own)));
  });

  it("reads once in five seconds, also for the shared account and the check before the effect", async () => {
    const shared = await consent(null);
    reads = [];
    await Promise.all([ask(), ask(), ask()]);
    await ask(null);
    await port.current(accountOf(shared), false);
    expect(reads).toEqual(["list"]);
    ahead = FRESH_MS + 1;
    await ask();
    expect(reads).toEqual(["list", "list"]);
  });

  it("a revocation elsewhere applies within five seconds, and in this isolate at once", async () => {
    const own = await consent(ana);
    await ask();
    await revoke(own.id);
    expect(await ask(ana, "either", openPort())).toMatchObject({ value: { need: { reason: "revoked" } } });
    expect(await port.current(accountOf(own), false)).toEqual(ok(accountOf(own)));
    ahead = FRESH_MS + 1;
    expect(await port.current(accountOf(own), false)).toEqual(ok({ needed: "revoked" }));
    await consent(ana);
    forgetConnections(caches, at.tenant);
    expect(await port.current(accountOf(own), false)).toMatchObject({ value: { consent: 2 } });
  });

  it("a connection that is made, or made again, in another isolate counts at once", async () => {
    expect(await ask()).toMatchObject({ value: { kind: "needed" } });
    const first = await consent(ana);
    expect(await port.current(accountOf(first), false)).toEqual(ok(accountOf(first)));
    expect(await ask()).toEqual(ok({ kind: "account", account: accountOf(first) }));
    const second = await consent(ana);
    expect(await port.current(accountOf(second), false)).toEqual(ok(accountOf(second)));
    settingsHash = "h2";
    const third = await consent(ana, { settingsHash: "h2" });
    expect(await port.current(accountOf(third), false)).toEqual(ok(accountOf(third)));
  });

  it("a connection that no longer exists was revoked", async () => {
    const own = await consent(ana);
    await at.removePerson(ana);
    expect(await port.current(accountOf(own), false)).toEqual(ok({ needed: "revoked" }));
  });

  it("while the database is away, what was read counts for ten minutes", async () => {
    const own = await consent(ana);
    await ask();
    const bearer = valueOf(await port.bearer(accountOf(own)));
    isAway = true;
    ahead = STALE_MS - 1_000;
    expect(await ask()).toMatchObject({ value: { kind: "account" } });
    expect(await port.current(accountOf(own), false)).toEqual(ok(accountOf(own)));
    expect(await port.bearer(accountOf(own))).toEqual(ok(bearer));
    ahead = STALE_MS + 10_000;
    const unchecked = { ok: false, error: { code: "upstream_failed", retry: "later", happened: "no" } };
    expect(await ask()).toMatchObject(unchecked);
    expect(await port.current(accountOf(own), false)).toMatchObject(unchecked);
    expect(await port.bearer(accountOf(own))).toMatchObject(unchecked);
    expect(await ask(ana, "either", openPort())).toMatchObject(unchecked);
  });

  it("after a failed read the database is left alone for a moment", async () => {
    isAway = true;
    await ask();
    reads = [];
    await ask();
    expect(reads).toEqual([]);
    isAway = false;
    ahead = 2_001;
    expect(await ask()).toMatchObject({ ok: true });
  });

  it("gives the credential with its header and hosts, renews it once it was refused, and notes the use", async () => {
    const own = await consent(ana);
    reads = [];
    const bearer = valueOf(await port.bearer(accountOf(own)));
    expect(bearer).toMatchObject({ header: "authorization", hosts: ["crm.example"] });
    expect(provider.grants.findUser(bearer.value)?.id).toBe("ana");
    expect(await port.bearer(accountOf(own))).toEqual(ok(bearer));
    expect(reads).toEqual(["tokens", "find", "touchUsed"]);
    provider.grants.expireAccess();
    const renewed = valueOf(await port.bearer(accountOf(own), { refused: bearer.value }));
    expect(provider.grants.findUser(renewed.value)?.id).toBe("ana");
    expect(await port.bearer(accountOf(own))).toEqual(ok(renewed));
    expect(provider.grants.counts.refreshes).toBe(1);
  });

  it("gives no credential for the hosts of settings to which nobody consented", async () => {
    const own = accountOf(await consent(ana));
    expect(await port.current(own, false)).toEqual(ok(own));
    settingsHash = "h2";
    expect(await port.bearer(own)).toMatchObject({
      ok: false,
      error: { happened: "no", cause: { kind: "connection_ended", connection: own.connection } },
    });
  });

  it("gives no credential of a later consent, and none of an ended one", async () => {
    const first = await consent(ana);
    const second = await consent(ana, { tokens: await getTokens("ben") });
    expect(await port.bearer(accountOf(first))).toMatchObject({ error: { code: "conflict", happened: "no" } });
    expect(await port.bearer(accountOf(second))).toMatchObject({ ok: true });
    await revoke(second.id);
    forgetConnections(caches, at.tenant);
    const ended = { cause: { kind: "connection_ended", connection: second.id }, happened: "no" };
    expect(await port.bearer(accountOf(second))).toMatchObject({ error: ended });
  });

  it("a provider that is away is no reason for an old credential", async () => {
    const own = await consent(ana);
    valueOf(await port.bearer(accountOf(own)));
    ahead = 3_600_001;
    provider.faults.set("token", "error");
    expect(await port.bearer(accountOf(own))).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
  });

  it("an account that was refused twice expires at once in this isolate", async () => {
    const own = await consent(ana);
    await ask();
    valueOf(await port.bearer(accountOf(own)));
    await port.refused(accountOf(own));
    expect(await ask()).toMatchObject({ value: { kind: "needed", need: { reason: "expired", person: ana } } });
    expect(valueOf(await at.table.find(own.id))).toMatchObject({ outage: 1, why: expect.stringContaining("Crm") });
  });

  it("the grant of an MCP server has its tokens elsewhere: it expires with a reason, and its use is noted", async () => {
    const { id } = valueOf(await at.table.ensure({ app: "crm", person: null, alias: null }, "mcp"));
    const given = { tokens: null, label: null, scopes: null, unattended: false, settingsHash: "h1" };
    const by = { person: ana, name: "Ana" };
    const consentAgain = async () =>
      valueOf(await at.table.complete(id, { ...given, by }, act("connection.connect", id)));
    const first: Account = { ...accountOf(await consentAgain()), provider: "mcp" };
    expect(await port.current(first, false)).toEqual(ok(first));
    expect(reads).toContain("touchUsed");
    const second: Account = { ...accountOf(await consentAgain()), provider: "mcp" };
    await port.refused(first, "An earlier one.");
    expect(valueOf(await at.table.find(id)).status).toBe("active");
    await port.refused(second, "The server refuses Otto.");
    expect(valueOf(await at.table.find(id))).toMatchObject({ status: "expired", why: "The server refuses Otto." });
    expect(await port.current(second, false)).toEqual(ok({ needed: "expired" }));
    expect(await ask(null)).toMatchObject({ value: { kind: "needed", need: { reason: "expired", person: null } } });
  });

  it("a refusal of earlier tokens ends neither a later consent nor renewed tokens", async () => {
    const own = await consent(ana);
    valueOf(await port.bearer(accountOf(own)));
    const again = await consent(ana);
    await port.refused(accountOf(own));
    expect(valueOf(await at.table.find(own.id)).status).toBe("active");
    const bearer = valueOf(await port.bearer(accountOf(again)));
    valueOf(await openPort().bearer(accountOf(again), { refused: bearer.value }));
    await port.refused(accountOf(again));
    expect(valueOf(await at.table.find(own.id)).status).toBe("active");
  });
});
