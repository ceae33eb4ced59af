/** The contract of a table for renewals: leases, and compare-and-set of tokens. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TokenTable } from "../../../adapters/connections/renew.ts";
import type { TokenSet } from "../../../core/connections/tokens.ts";
import { valueOf } from "../value-of.ts";

export interface TableUnderTest {
  readonly table: TokenTable;
  /** Stores tokens as a consent does: the connection is active. */
  consent(id: string, tokens: TokenSet): Promise<void>;
  /** Moves the table's clock. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

const ID = "con_1";
const tokens = (access: string): TokenSet => ({ kind: "oauth", access, refresh: "r", expiresAt: 1_000, issuer: null });

export function tokenTableContract(name: string, open: () => Promise<TableUnderTest>): void {
  describe(`tokens of connections: ${name}`, () => {
    let under: TableUnderTest;
    const read = async () => valueOf(await under.table.tokens(ID));

    beforeEach(async () => {
      under = await open();
      await under.consent(ID, tokens("first"));
    });

    afterEach(async () => {
      await under.close();
    });

    it("gives one of fifty the lease, and only for the stored version", async () => {
      const { version } = await read();
      expect(valueOf(await under.table.lease(ID, version + 1, 20_000))).toBe(false);
      const asked = Array.from({ length: 50 }, async () => valueOf(await under.table.lease(ID, version, 20_000)));
      expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1);
    });

    it("gives the lease again once it has run out, not earlier", async () => {
      const { version } = await read();
      await under.table.lease(ID, version, 20_000);
      await under.advance(19_000);
      expect(valueOf(await under.table.lease(ID, version, 20_000))).toBe(false);
      await under.advance(1_001);
      expect(valueOf(await under.table.lease(ID, version, 20_000))).toBe(true);
    });

    it("stores tokens for the version that was read, once", async () => {
      const { version } = await read();
      expect(valueOf(await under.table.storeTokens(ID, version, tokens("second")))).toBe(true);
      expect(valueOf(await under.table.storeTokens(ID, version, tokens("third")))).toBe(false);
      const stored = await read();
      expect(stored.tokens).toEqual(tokens("second"));
      expect(stored.version).toBeGreaterThan(version);
    });

    it("a lease ends when its tokens are stored", async () => {
      const { version } = await read();
      await under.table.lease(ID, version, 20_000);
      await under.table.storeTokens(ID, version, tokens("second"));
      expect(valueOf(await under.table.lease(ID, (await read()).version, 20_000))).toBe(true);
    });

    it("a consent replaces tokens that are being renewed", async () => {
      const { version } = await read();
      await under.table.lease(ID, version, 20_000);
      await under.consent(ID, tokens("consented"));
      expect(valueOf(await under.table.storeTokens(ID, version, tokens("renewed")))).toBe(false);
      expect((await read()).tokens).toEqual(tokens("consented"));
    });

    it("expires the connection of the version that was read, not of a later consent", async () => {
      const { version } = await read();
      await under.consent(ID, tokens("consented"));
      expect(valueOf(await under.table.settle(ID, "expired", "It ended.", { version })).status).toBe("active");
      const { version: present } = await read();
      const expired = valueOf(await under.table.settle(ID, "expired", "It ended.", { version: present }));
      expect(expired).toMatchObject({ status: "expired", why: "It ended." });
      const ended = { kind: "connection_ended", connection: ID };
      expect(await under.table.tokens(ID)).toMatchObject({ ok: false, error: { cause: ended } });
      await under.consent(ID, tokens("again"));
      expect((await read()).tokens).toEqual(tokens("again"));
    });

    it("knows no other connection", async () => {
      expect(await under.table.tokens("con_2")).toMatchObject({ ok: false, error: { code: "not_found" } });
    });
  });
}
