/** Renewal under a lease: one refresh at a time, also after a crash between refreshing and storing. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTokenFlights, getFreshTokens, type RenewalParts } from "../../../adapters/connections/renew.ts";
import { failed, type Result } from "../../../core/base/errors.ts";
import { LEASE_MS } from "../../../core/connections/renewal-lease.ts";
import { getValue, type TokenSet } from "../../../core/connections/tokens.ts";
import { type FakeTokenTable, fakeTokenTable } from "../../fakes/token-table.ts";
import { valueOf } from "../value-of.ts";
import { connect } from "./oauth-client-suite.ts";
import { type ProviderUnderTest, startFakeProvider } from "./providers.ts";

const ID = "con_1";
const HOUR = 3_600_000;

/** With virtual time: waits of seconds take none. */
export function leaseContract(name: string, openTable: () => FakeTokenTable): void {
  describe(`renewal: ${name}`, () => {
    let provider: ProviderUnderTest;
    let table: FakeTokenTable;
    let first: TokenSet;

    beforeEach(async () => {
      vi.useFakeTimers({ now: 1_800_000_000_000 });
      provider = await startFakeProvider();
      table = openTable();
      first = (await connect(provider)).tokens;
      table.consent(ID, first);
    });

    afterEach(() => {
      vi.useRealTimers();
    });

    /** An isolate of its own. */
    const openIsolate = (): RenewalParts => ({
      tenant: "t1",
      table,
      authorizations: provider.port,
      flights: createTokenFlights(),
      timer: globalThis,
      now: Date.now,
      background: () => undefined,
    });

    const ask = async (parts = openIsolate(), refused: string | null = null) =>
      await getFreshTokens(parts, provider.app, ID, refused);

    /** Lets the time pass until the work has ended. */
    async function finish<T>(work: Promise<T>): Promise<T> {
      let isOver = false;
      const watched = work.finally(() => {
        isOver = true;
      });
      for (let step = 0; step < 1_000 && !isOver; step += 1) await vi.advanceTimersByTimeAsync(100);
      return await watched;
    }

    const accessOf = (result: Result<TokenSet>) => getValue(valueOf(result));
    const isGood = (result: Result<TokenSet>) => provider.grants.findUser(accessOf(result))?.id === "ana";
    const passTo = (msBeforeExpiry: number) => vi.setSystemTime(Date.now() + HOUR - msBeforeExpiry);
    const refreshes = () => provider.grants.counts.refreshes;
    const statusOf = () => table.find(ID).status;

    it("uses tokens with more than 120 s, and renews those with less", async () => {
      passTo(121_000);
      expect(accessOf(await ask())).toBe(first.kind === "oauth" ? first.access : "");
      passTo(HOUR - 2_000);
      expect(isGood(await ask())).toBe(true);
      expect(refreshes()).toBe(1);
    });

    it("50 parallel callers of one isolate at expiry: 1 refresh, 50 good calls", async () => {
      passTo(0);
      const isolate = openIsolate();
      const asked = await finish(Promise.all(Array.from({ length: 50 }, async () => await ask(isolate))));
      expect(asked.filter(isGood)).toHaveLength(50);
      expect([refreshes(), provider.grants.counts.reuses]).toEqual([1, 0]);
    });

    it("50 parallel callers of 50 isolates at expiry: 1 refresh, 50 good calls", async () => {
      passTo(0);
      const slow = slowRefresh(1_500);
      const asked = await finish(Promise.all(Array.from({ length: 50 }, async () => await ask(slow()))));
      expect(asked.filter(isGood)).toHaveLength(50);
      expect([refreshes(), provider.grants.counts.reuses]).toEqual([1, 0]);
    });

    /** Isolates whose provider takes this long. */
    function slowRefresh(ms: number): () => RenewalParts {
      const refresh: RenewalParts["authorizations"]["refresh"] = async (app, tokens) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        return await provider.port.refresh(app, tokens);
      };
      return () => ({ ...openIsolate(), authorizations: { refresh } });
    }

    it("others use tokens that still have time while one renews them", async () => {
      passTo(60_000);
      const holder = ask(slowRefresh(5_000)());
      await vi.advanceTimersByTimeAsync(10);
      expect(accessOf(await ask())).toBe(first.kind === "oauth" ? first.access : "");
      expect(isGood(await finish(holder))).toBe(true);
      expect(refreshes()).toBe(1);
    });

    it("others wait at most 10 s, and then ask to try later", async () => {
      passTo(0);
      const holder = ask(slowRefresh(14_000)());
      await vi.advanceTimersByTimeAsync(10);
      const begun = Date.now();
      const waited = await finish(ask());
      expect(waited).toMatchObject({ ok: false, error: { code: "upstream_failed", retry: "later", happened: "no" } });
      expect(Date.now() - begun).toBeLessThan(11_500);
      expect(isGood(await finish(holder))).toBe(true);
      expect(refreshes()).toBe(1);
    });

    it("50 callers that the app refused with 401: 1 refresh", async () => {
      const refused = first.kind === "oauth" ? first.access : "";
      provider.grants.expireAccess();
      const slow = slowRefresh(800);
      const asked = await finish(Promise.all(Array.from({ length: 50 }, async () => await ask(slow(), refused))));
      expect(asked.filter(isGood)).toHaveLength(50);
      expect(refreshes()).toBe(1);
      expect(isGood(await ask(openIsolate(), refused))).toBe(true);
      expect(refreshes()).toBe(1);
    });

    it("a grant that has ended expires the connection, which is not refreshed again", async () => {
      passTo(0);
      provider.grants.endGrants();
      const refresh = vi.spyOn(provider.port, "refresh");
      const asked = await finish(Promise.all(Array.from({ length: 20 }, async () => await ask())));
      const ended = {
        ok: false,
        error: { code: "permission_denied", cause: { kind: "connection_ended", connection: ID } },
      };
      for (const one of asked) expect(one).toMatchObject(ended);
      expect(statusOf()).toBe("expired");
      vi.setSystemTime(Date.now() + LEASE_MS + 1);
      expect(await finish(ask())).toMatchObject(ended);
      expect(refresh).toHaveBeenCalledTimes(1);
      expect(table.find(ID).outage).toBe(1);
    });

    it.each(["refuse", "error", "hang", "bad_json", "huge", "redirect"] as const)(
      "a provider that fails (%s) changes nothing: valid tokens are used, and then calls fail with the advice to try later",
      async (fault) => {
        provider.fault("token", fault);
        passTo(60_000);
        expect(accessOf(await finish(ask()))).toBe(first.kind === "oauth" ? first.access : "");
        vi.setSystemTime(Date.now() + 60_001);
        const later = { ok: false, error: { code: "upstream_failed", retry: "later" } };
        expect(await finish(ask())).toMatchObject(later);
        expect(statusOf()).toBe("active");
        provider.fault("token", null);
        vi.setSystemTime(Date.now() + LEASE_MS + 1);
        expect(isGood(await finish(ask()))).toBe(true);
      },
    );

    it("a crash between refresh and store is recovered by a server with a grace", async () => {
      provider.grants.rules = { ...provider.grants.rules, graceMs: 60_000 };
      await crashBeforeStore();
      expect(isGood(await finish(ask()))).toBe(true);
      expect([refreshes(), provider.grants.counts.reuses, statusOf()]).toEqual([2, 0, "active"]);
      expect(isGood(await ask())).toBe(true);
      expect(refreshes()).toBe(2);
    });

    it("a crash between refresh and store expires at a server without grace, and is not repeated", async () => {
      await crashBeforeStore();
      const ended = { ok: false, error: { cause: { kind: "connection_ended" } } };
      expect(await finish(ask())).toMatchObject(ended);
      const refresh = vi.spyOn(provider.port, "refresh");
      for (let call = 0; call < 5; call += 1) expect(await finish(ask())).toMatchObject(ended);
      expect(refresh).not.toHaveBeenCalled();
      expect([refreshes(), provider.grants.counts.reuses, statusOf()]).toEqual([1, 1, "expired"]);
    });

    /** A caller refreshes and dies. While its lease runs nobody refreshes. */
    async function crashBeforeStore(): Promise<void> {
      passTo(0);
      table.fault = (operation) => (operation === "storeTokens" ? new Promise(() => undefined) : null);
      void ask();
      await vi.advanceTimersByTimeAsync(10);
      table.fault = () => null;
      expect(await finish(ask())).toMatchObject({ ok: false, error: { retry: "later" } });
      expect(refreshes()).toBe(1);
      vi.setSystemTime(Date.now() + LEASE_MS);
    }

    it("tokens that could not be stored for a moment are stored", async () => {
      passTo(0);
      let failures = 2;
      const away = Promise.resolve(failed("upstream_failed", "The database did not answer."));
      table.fault = (operation) => (operation === "storeTokens" && failures-- > 0 ? away : null);
      const renewed = accessOf(await finish(ask()));
      expect(valueOf(await table.tokens(ID)).tokens).toMatchObject({ access: renewed });
      expect(refreshes()).toBe(1);
    });

    it("tokens that cannot be stored are still good for the call that renewed them", async () => {
      passTo(0);
      const away = Promise.resolve(failed("upstream_failed", "The database did not answer."));
      table.fault = (operation) => (operation === "storeTokens" ? away : null);
      expect(isGood(await finish(ask()))).toBe(true);
    });

    it("a consent that is given during a renewal counts, and stays active", async () => {
      passTo(0);
      const holder = ask(slowRefresh(2_000)());
      await vi.advanceTimersByTimeAsync(10);
      const second = (await connect(provider)).tokens;
      table.consent(ID, second);
      expect(valueOf(await finish(holder))).toEqual(second);
      vi.setSystemTime(Date.now() + HOUR);
      const ending = ask(slowRefresh(2_000)());
      await vi.advanceTimersByTimeAsync(10);
      provider.grants.endGrants();
      table.consent(ID, (await connect(provider)).tokens);
      expect(isGood(await finish(ending))).toBe(true);
      expect(statusOf()).toBe("active");
    });

    it("a consent that is given while the connection expires stays active", async () => {
      passTo(0);
      provider.grants.endGrants();
      const second = (await connect(provider)).tokens;
      table.fault = (operation) => {
        if (operation === "settle") table.consent(ID, second);
        return null;
      };
      expect(await finish(ask())).toMatchObject({ ok: false, error: { retry: "later" } });
      expect(statusOf()).toBe("active");
      expect(valueOf(await ask())).toEqual(second);
    });

    it("without a refresh token the access lasts until its time has passed", async () => {
      const now = Date.now();
      const own: TokenSet = { kind: "oauth", access: "own", refresh: null, expiresAt: now + 60_000, issuer: null };
      table.consent(ID, own);
      expect(accessOf(await ask())).toBe("own");
      expect(accessOf(await ask(openIsolate(), "own"))).toBe("own");
      vi.setSystemTime(now + 60_001);
      expect(await ask()).toMatchObject({ ok: false, error: { cause: { kind: "connection_ended" } } });
      expect(statusOf()).toBe("expired");
    });

    it("a key is used as it is, also after a 401", async () => {
      table.consent(ID, { kind: "key", value: "canary-key" });
      expect(accessOf(await ask(openIsolate(), "canary-key"))).toBe("canary-key");
      expect(statusOf()).toBe("active");
    });

    it("a database that is away fails with the advice to try later", async () => {
      passTo(0);
      const away = Promise.resolve(failed("upstream_failed", "The database did not answer."));
      table.fault = () => away;
      expect(await ask()).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
      expect(refreshes()).toBe(0);
    });
  });
}

/** The table in memory with a clock that the suites move. */
export function openFakeTable() {
  let now = 1_800_000_000_000;
  const table = fakeTokenTable(() => now);
  return Promise.resolve({
    table,
    consent: async (id: string, tokens: TokenSet) => await Promise.resolve(table.consent(id, tokens)),
    advance: async (ms: number) => {
      now += ms;
      await Promise.resolve();
    },
    close: () => Promise.resolve(),
  });
}
