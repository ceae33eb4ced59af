/** The provider's id of an account: over the table on Postgres, and over its fake. */
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import {
  createConnectionCaches,
  FRESH_MS,
  forgetConnections,
  STALE_MS,
} from "../../../adapters/connections/account-cache.ts";
import { getBearer } from "../../../adapters/connections/bearer.ts";
import { openProviderAccounts } from "../../../adapters/connections/provider-accounts.ts";
import { createTokenFlights } from "../../../adapters/connections/renew.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import type { Account } from "../../../core/connections/account.ts";
import { hashCatalogueApp } from "../../../core/connections/catalogue-app.ts";
import { OPERATOR_KEY } from "../../../core/connections/provider-key.ts";
import { toAccount } from "../../../core/connections/connection.ts";
import type { TokenSet } from "../../../core/connections/tokens.ts";
import type { ProviderAccounts } from "../../../core/ports/provider-accounts.ts";
import { fakeAuthorizations } from "../../fakes/authorizations.ts";
import { fakeProviderBook } from "../../fakes/provider-book.ts";
import { connectAccount } from "../database/connect-account.ts";
import { fakeBackend, postgresBackend, type TenantConnections } from "../database/connection-tables.ts";
import { act } from "../database/rows.ts";
import { valueOf } from "../value-of.ts";
import { makeApp } from "./providers.ts";

describe.each([fakeBackend(), postgresBackend()])("accounts of a provider over $name", (backend) => {
  let at: TenantConnections;
  let accounts: ProviderAccounts;
  let ana: string;
  let ahead: number;
  let isAway: boolean;
  let reads: string[];
  let caches: ReturnType<typeof createConnectionCaches>;

  beforeEach(async () => {
    at = await backend.open();
    [ahead, isAway, reads] = [0, false, []];
    ana = await at.addPerson("Ana");
    caches = createConnectionCaches();
    const table = new Proxy(at.table, {
      get:
        (target, name) =>
        async (...given: unknown[]) => {
          reads.push(String(name));
          if (isAway) return failed("upstream_failed", "The database is away.");
          return await (Reflect.get(target, name) as (...rest: unknown[]) => Promise<unknown>)(...given);
        },
    });
    const now = () => at.now() + ahead;
    accounts = openProviderAccounts({
      tenant: at.tenant,
      table,
      caches,
      key: OPERATOR_KEY,
      now,
      background: () => undefined,
    });
  });
  afterAll(() => backend.close());

  async function connect(person: string | null, providerId: string, given: { tokens?: TokenSet; hash?: string } = {}) {
    const { tokens = { kind: "account", providerId }, hash = await hashCatalogueApp("gmail") } = given;
    if (tokens.kind === "account")
      return toAccount(await connectAccount(at.table, { app: "gmail", person, tokens, settingsHash: hash }, at.now()));
    const { id } = valueOf(await at.table.ensure({ app: "gmail", person, alias: null }, "composio"));
    const rest = { label: null, scopes: null, unattended: false, settingsHash: hash, by: { person, name: "Ana" } };
    return toAccount(valueOf(await at.table.complete(id, { tokens, ...rest }, act("connection.connect", id))));
  }

  const idOf = async (account: Account) => valueOf(await accounts.find(account)).providerId;

  it("names the account and its owner as the provider knows them", async () => {
    const [own, shared] = [await connect(ana, "ca_own"), await connect(null, "ca_shared")];
    expect(await accounts.find(own)).toEqual(
      ok({ connection: own.connection, entity: `${at.tenant}.${ana}`, providerId: "ca_own" }),
    );
    expect(await accounts.find(shared)).toMatchObject({ value: { entity: `${at.tenant}.shared` } });
    expect(reads.filter((name) => name === "touchUsed")).toHaveLength(2);
  });

  it("reads once in five seconds, and at once after a change in this isolate", async () => {
    const own = await connect(ana, "ca_1");
    await idOf(own);
    reads = [];
    await idOf(own);
    expect(reads).toEqual([]);
    ahead = FRESH_MS + 1;
    await idOf(own);
    expect(reads).toEqual(["tokens", "find"]);
    valueOf(await at.table.revoke(own.connection, act("connection.revoke", own.connection)));
    forgetConnections(caches, at.tenant);
    expect(await accounts.find(own)).toMatchObject({
      error: { happened: "no", cause: { kind: "connection_ended", connection: own.connection } },
    });
  });

  it("gives no id of another consent", async () => {
    const first = await connect(ana, "ca_1");
    const second = await connect(ana, "ca_2");
    expect(await accounts.find(first)).toMatchObject({ error: { code: "conflict", happened: "no", retry: "now" } });
    expect(await idOf(second)).toBe("ca_2");
  });

  it("gives no id of an account of other settings, of other tokens, or of another provider", async () => {
    const other = await connect(ana, "ca_1", { hash: "h1" });
    expect(await accounts.find(other)).toMatchObject({ error: { cause: { kind: "connection_ended" } } });
    const key = await connect(null, "", { tokens: { kind: "key", value: "secret" } });
    expect(await accounts.find(key)).toMatchObject({ error: { cause: { kind: "connection_ended" } } });
    const good = await connect(ana, "ca_1");
    expect(await accounts.find({ ...good, provider: "oauth" })).toMatchObject({ error: { code: "blocked_by_policy" } });
  });

  it("gives no id of an account that another key made, also not from what it knows", async () => {
    const open = (key: string) =>
      openProviderAccounts({
        tenant: at.tenant,
        table: at.table,
        caches,
        key,
        now: at.now,
        background: () => undefined,
      });
    const [operators, hash] = [await connect(ana, "ca_1"), await hashCatalogueApp("gmail", "pvk_1")];
    const own = await connect(null, "", { tokens: { kind: "account", providerId: "ca_2", key: "pvk_1" }, hash });
    // Consented to for one key, and made by another.
    const odd = await connect(await at.addPerson("Ben"), "ca_3", { hash });
    expect(await open(OPERATOR_KEY).find(operators)).toMatchObject({ value: { providerId: "ca_1" } });
    expect(await open("pvk_1").find(own)).toMatchObject({ value: { providerId: "ca_2" } });
    for (const [key, account] of [
      ["pvk_1", operators],
      ["pvk_1", odd],
      ["pvk_2", own],
      [OPERATOR_KEY, own],
    ] as const)
      expect(await open(key).find(account)).toMatchObject({
        error: { happened: "no", cause: { kind: "connection_ended", connection: account.connection } },
      });
  });

  it("uses what it knows for ten minutes while the database is away, then fails until later", async () => {
    const own = await connect(ana, "ca_1");
    await idOf(own);
    isAway = true;
    ahead = STALE_MS - 1_000;
    expect(await idOf(own)).toBe("ca_1");
    ahead = STALE_MS + FRESH_MS;
    expect(await accounts.find(own)).toMatchObject({ error: { retry: "later", happened: "no" } });
  });

  it("is no credential that a request could carry", async () => {
    const own = await connect(ana, "ca_1");
    const rest = { tenant: at.tenant, table: at.table, flights: createTokenFlights(), timer: globalThis };
    const parts = {
      ...rest,
      now: at.now,
      background: () => undefined,
      authorizations: fakeAuthorizations(at.now),
      book: fakeProviderBook({}),
      apps: { find: () => Promise.resolve(ok(makeApp({ app: "gmail", settingsHash: "h1" }))) },
    };
    for (const account of [own, { ...own, provider: "oauth" as const }]) {
      const bearer = await getBearer(parts, account);
      expect(bearer).toMatchObject({ error: { code: "blocked_by_policy", happened: "no" } });
      expect(JSON.stringify(bearer)).not.toContain("ca_1");
    }
  });
});
