/** Renewal under a lease over the table in memory, and 50 callers with the adapter and the mock app. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTokenFlights, getFreshTokens } from "../../../adapters/connections/renew.ts";
import { fakeTokenTable } from "../../fakes/token-table.ts";
import { valueOf } from "../value-of.ts";
import { leaseContract, openFakeTable } from "./lease-suite.ts";
import { connect } from "./oauth-client-suite.ts";
import { type RealProvider, startRealProvider } from "./providers.ts";
import { tokenTableContract } from "./token-table-suite.ts";

tokenTableContract("the table in memory", openFakeTable);
leaseContract("over the table in memory", () => fakeTokenTable());

let provider: RealProvider;

beforeEach(async () => {
  provider = await startRealProvider();
});

afterEach(async () => {
  await provider.close();
});

it("50 callers of 50 isolates at expiry, with the adapter and a rotating server: 1 refresh", async () => {
  const table = fakeTokenTable();
  provider.mock.grants.rules = { ...provider.mock.grants.rules, lifetimeS: 60 };
  table.consent("con_1", (await connect(provider)).tokens);
  provider.mock.grants.rules = { ...provider.mock.grants.rules, lifetimeS: 3_600 };
  const isExpired = () => Date.now() + 60_001;
  provider.mock.tokenDelayMs = 300;
  const asked = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const own = { flights: createTokenFlights(), timer: globalThis, now: isExpired, background: () => undefined };
      const parts = { tenant: "t1", table, authorizations: provider.port, ...own };
      return valueOf(await getFreshTokens(parts, provider.app, "con_1"));
    }),
  );
  const values = new Set(asked.map((tokens) => (tokens.kind === "oauth" ? tokens.access : "")));
  expect(values.size).toBe(1);
  expect(provider.grants.findUser([...values][0] ?? "")?.id).toBe("ana");
  expect([provider.grants.counts.refreshes, provider.grants.counts.reuses]).toEqual([1, 0]);
});
