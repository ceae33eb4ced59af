/**
 * Refreshing under a lease, over the table on Postgres and its fake. Callers run interleaved, and any of them may die
 * between two statements. The provider rotates: it accepts the newest refresh token, and its grant ends when an older
 * one comes back.
 */
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { TokenSet } from "../../../core/connections/tokens.ts";
import type { ConnectionTable } from "../../../core/ports/connection-table.ts";
import { valueOf } from "../value-of.ts";
import { fakeBackend, postgresBackend, type TenantConnections } from "./connection-tables.ts";
import { act } from "./rows.ts";

const LEASE_MS = 20_000;

const tokensOf = (generation: number): TokenSet => ({
  kind: "oauth",
  access: `access ${generation}`,
  refresh: `refresh ${generation}`,
  expiresAt: null,
  issuer: null,
});
const generationOf = (tokens: TokenSet) => (tokens.kind === "oauth" ? Number(tokens.access.split(" ")[1]) : Number.NaN);

/** A provider that gives tokens for the newest refresh token, once. */
class Provider {
  newest = 0;
  reuses = 0;
  /** Accepts the last refresh token but one as well, and gives the same tokens again. */
  hasGrace = false;
  /** The refreshes of each version of the row. */
  readonly refreshed = new Map<number, number>();

  refresh(tokens: TokenSet, version: number): TokenSet | null {
    this.refreshed.set(version, (this.refreshed.get(version) ?? 0) + 1);
    if (this.hasGrace && generationOf(tokens) === this.newest - 1) return tokensOf(this.newest);
    if (generationOf(tokens) !== this.newest) {
      this.reuses += 1;
      return null;
    }
    this.newest += 1;
    return tokensOf(this.newest);
  }
}

async function connect(table: ConnectionTable): Promise<string> {
  const { id } = valueOf(await table.ensure({ app: "crm", person: null, alias: null }, "oauth"));
  const consent = { tokens: tokensOf(0), label: null, scopes: null, unattended: false, settingsHash: "h" };
  const by = { person: null, name: "a key" };
  valueOf(await table.complete(id, { ...consent, by }, act("connection.connect", id)));
  return id;
}

/** How far a caller gets before it dies. */
type Cut = "lease" | "refresh" | "store" | null;
const cuts = fc.constantFrom<Cut>("lease", "refresh", "store", null, null);

interface World {
  readonly table: ConnectionTable;
  readonly id: string;
  readonly provider: Provider;
  /** Waits for the caller's turn. */
  readonly turn: () => Promise<unknown>;
}

/** What a caller got: the generation that it stored. `fresh`: nothing was to be done. */
type Ended =
  | { readonly kind: "stored"; readonly generation: number }
  | { readonly kind: "fresh" | "waits" | "died" | "lost" };

/** One round of a caller, for which tokens of every generation before `good` are about to expire. */
async function refreshOnce({ table, id, provider, turn }: World, cut: Cut, good = Infinity): Promise<Ended> {
  await turn();
  const { tokens, version } = valueOf(await table.tokens(id));
  if (generationOf(tokens) >= good) return { kind: "fresh" };
  await turn();
  if (!valueOf(await table.lease(id, version, LEASE_MS))) return { kind: "waits" };
  await turn();
  if (cut === "lease") return { kind: "died" };
  const fresh = provider.refresh(tokens, version);
  await turn();
  if (cut === "refresh") return { kind: "died" };
  if (fresh === null) return { kind: "lost" };
  const isStored = valueOf(await table.storeTokens(id, version, fresh));
  if (cut === "store") return { kind: "died" };
  return isStored ? { kind: "stored", generation: generationOf(fresh) } : { kind: "lost" };
}

const backends = [
  { ...fakeBackend(), runs: 300 },
  { ...postgresBackend(), runs: 25 },
];

describe.each(backends)("a refresh in $name", (backend) => {
  afterAll(() => backend.close());

  async function openWorld(turn: () => Promise<unknown>): Promise<World & { readonly at: TenantConnections }> {
    const at = await backend.open();
    return { at, table: at.table, id: await connect(at.table), provider: new Provider(), turn };
  }

  test("of fifty callers at expiry is one", async () => {
    const world = await openWorld(() => Promise.resolve());
    const ended = await Promise.all(Array.from({ length: 50 }, () => refreshOnce(world, null, 1)));
    expect(ended.filter(({ kind }) => kind === "stored")).toEqual([{ kind: "stored", generation: 1 }]);
    expect(world.provider).toMatchObject({ newest: 1, reuses: 0 });
    expect(valueOf(await world.table.tokens(world.id))).toEqual({ tokens: tokensOf(1), version: 2 });
  });

  test("happens at most once per version in any order, with callers that die anywhere", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(cuts, { minLength: 2, maxLength: 8 }), async (order, callers) => {
        const world = await openWorld(() => order.schedule(Promise.resolve()));
        const { table, id, provider } = world;
        const work = Promise.all(callers.map((cut) => refreshOnce(world, cut)));
        const ended = await order.waitFor(work);
        expect(Math.max(0, ...provider.refreshed.values())).toBeLessThanOrEqual(1);
        expect(provider.reuses).toBe(0);
        const { tokens } = valueOf(await table.tokens(id));
        for (const one of ended)
          if (one.kind === "stored") expect(generationOf(tokens)).toBeGreaterThanOrEqual(one.generation);
        // What is stored is the newest, unless a caller died with it.
        const died = ended.filter(({ kind }) => kind === "died").length;
        expect(provider.newest - generationOf(tokens)).toBeLessThanOrEqual(died);
      }),
      { numRuns: backend.runs },
    );
  });

  test("recovers after callers died in many rounds, with a provider that accepts the last token but one", async () => {
    const rounds = fc.array(fc.array(cuts, { minLength: 1, maxLength: 4 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), rounds, async (order, all) => {
        const world = await openWorld(() => order.schedule(Promise.resolve()));
        const { at, table, id, provider } = world;
        provider.hasGrace = true;
        // Each round begins when the leases of the one before have run out.
        for (const callers of [...all, [null]]) {
          const { version } = valueOf(await table.tokens(id));
          const before = provider.refreshed.get(version) ?? 0;
          await order.waitFor(Promise.all(callers.map((cut) => refreshOnce(world, cut))));
          expect(provider.refreshed.get(version) ?? 0).toBeLessThanOrEqual(before + 1);
          await at.passTime(LEASE_MS + 1);
        }
        expect(provider.reuses).toBe(0);
        expect(generationOf(valueOf(await table.tokens(id)).tokens)).toBe(provider.newest);
      }),
      { numRuns: backend.runs },
    );
  });

  test("is begun again once the lease of a dead caller has run out, and not before", async () => {
    const world = await openWorld(() => Promise.resolve());
    const { at, provider } = world;
    expect((await refreshOnce(world, "lease")).kind).toBe("died");
    await at.passTime(LEASE_MS - 5_000);
    expect((await refreshOnce(world, null)).kind).toBe("waits");
    await at.passTime(5_001);
    expect(await refreshOnce(world, null)).toEqual({ kind: "stored", generation: 1 });
    expect(provider.reuses).toBe(0);
  });

  test("of a caller that died with the new tokens ends in an expired connection, never in a loop", async () => {
    const world = await openWorld(() => Promise.resolve());
    const { at, table, id } = world;
    expect((await refreshOnce(world, "refresh")).kind).toBe("died");
    await at.passTime(LEASE_MS + 1);
    expect((await refreshOnce(world, null)).kind).toBe("lost");
    expect(valueOf(await table.settle(id, "expired", "refused", { version: 1 })).status).toBe("expired");
    expect(valueOf(await table.lease(id, 1, LEASE_MS))).toBe(false);
    expect(await table.tokens(id)).toMatchObject({ error: { cause: { kind: "connection_ended" } } });
  });

  test("that is late overwrites no newer token, and one that another caller declared dead is stored after all", async () => {
    const { at, table, id } = await openWorld(() => Promise.resolve());
    expect(valueOf(await table.lease(id, 1, LEASE_MS))).toBe(true);
    await at.passTime(LEASE_MS + 1);
    expect(valueOf(await table.lease(id, 1, LEASE_MS))).toBe(true);
    expect(valueOf(await table.storeTokens(id, 1, tokensOf(2)))).toBe(true);
    expect(valueOf(await table.storeTokens(id, 1, tokensOf(1)))).toBe(false);
    expect(valueOf(await table.tokens(id))).toEqual({ tokens: tokensOf(2), version: 2 });
    expect(valueOf(await table.settle(id, "expired", "refused", { version: 2 })).status).toBe("expired");
    expect(valueOf(await table.storeTokens(id, 2, tokensOf(3)))).toBe(true);
    expect(valueOf(await table.find(id))).toMatchObject({ status: "active", why: null, outage: 1 });
    expect(valueOf(await table.tokens(id))).toEqual({ tokens: tokensOf(3), version: 3 });
  });

  test("that ends after a new consent changes nothing of it", async () => {
    const { table, id } = await openWorld(() => Promise.resolve());
    expect(valueOf(await table.lease(id, 1, LEASE_MS))).toBe(true);
    const consent = { tokens: tokensOf(9), label: "Bob", scopes: null, unattended: false, settingsHash: "h" };
    valueOf(await table.complete(id, { ...consent, by: { person: null, name: "x" } }, act("connection.connect", id)));
    expect(valueOf(await table.storeTokens(id, 1, tokensOf(1)))).toBe(false);
    expect(valueOf(await table.tokens(id))).toEqual({ tokens: tokensOf(9), version: 2 });
    expect(valueOf(await table.lease(id, 2, LEASE_MS))).toBe(true);
  });

  test("that ends after a revocation is revoked too, and never comes back", async () => {
    const { table, id } = await openWorld(() => Promise.resolve());
    expect(valueOf(await table.lease(id, 1, LEASE_MS))).toBe(true);
    valueOf(await table.revoke(id, act("connection.revoke", id)));
    expect(valueOf(await table.storeTokens(id, 1, tokensOf(1)))).toBe(false);
    expect(valueOf(await table.storeTokens(id, 1, tokensOf(1)))).toBe(false);
    expect(valueOf(await table.find(id)).status).toBe("revoked");
    const revoked: number[] = [];
    for (
      let due = valueOf(await table.takeRevocation(id));
      due !== null;
      due = valueOf(await table.takeRevocation(id))
    ) {
      revoked.push(generationOf(due.tokens));
      valueOf(await table.endRevocation(id, due));
    }
    expect(revoked).toEqual([0, 1]);
    expect(valueOf(await table.lease(id, 2, LEASE_MS))).toBe(false);
  });

  test("has a lease that is bounded, and of the version that the caller read", async () => {
    const { at, table, id } = await openWorld(() => Promise.resolve());
    expect(valueOf(await table.lease(id, 0, LEASE_MS))).toBe(false);
    expect(valueOf(await table.lease(id, 2, LEASE_MS))).toBe(false);
    expect(valueOf(await table.lease("con_unknown", 1, LEASE_MS))).toBe(false);
    expect(valueOf(await table.lease(id, 1, 9e9))).toBe(true);
    await at.passTime(60_001);
    expect(valueOf(await table.lease(id, 1, 1))).toBe(true);
    await sleep(20);
    expect(valueOf(await table.lease(id, 1, LEASE_MS))).toBe(true);
    expect(valueOf(await table.lease(id, 1, LEASE_MS))).toBe(false);
  });
});
