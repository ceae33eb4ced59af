/** Renewal under any order of calls, crashes, faults, consents and waits. */
import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { createTokenFlights, getFreshTokens } from "../../../adapters/connections/renew.ts";
import { wasAnswered, type Result } from "../../../core/base/errors.ts";
import { LEASE_MS } from "../../../core/connections/renewal-lease.ts";
import type { TokenSet } from "../../../core/connections/tokens.ts";
import { fakeTokenTable } from "../../fakes/token-table.ts";
import { connect } from "./oauth-client-suite.ts";
import { startFakeProvider } from "./providers.ts";

const ID = "con_1";
const REFRESH_MS = 300;
const ISOLATES = 3;

afterEach(() => {
  vi.useRealTimers();
});

const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("call" as const), isolate: fc.nat(ISOLATES - 1) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("refused" as const), isolate: fc.nat(ISOLATES - 1) }) },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant("pass" as const), ms: fc.constantFrom(10, 200, 5_000, 3_600_000) }),
  },
  { weight: 2, arbitrary: fc.constant({ type: "crash" as const }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("fault" as const), isOn: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ type: "end" as const }) },
  { weight: 1, arbitrary: fc.constant({ type: "consent" as const }) },
);

it("sends no refresh token twice under one lease, and every call ends", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 25 }), fc.constantFrom(0, 120_000), async (commands, graceMs) => {
      vi.useFakeTimers({ now: 1_800_000_000_000 });
      const provider = await startFakeProvider();
      provider.grants.rules = { ...provider.grants.rules, graceMs };
      const table = fakeTokenTable();
      table.consent(ID, (await connect(provider)).tokens);
      const sent = new Map<string, number>();
      const problems: string[] = [];
      let crashes = 0;
      let lost = 0;
      let ended = false;

      const refresh: typeof provider.port.refresh = async (app, tokens) => {
        const token = tokens.kind === "oauth" ? (tokens.refresh ?? "") : "";
        const before = sent.get(token);
        if (before !== undefined && Date.now() - before < LEASE_MS) problems.push("sent twice under one lease");
        if (table.find(ID).status !== "active") problems.push("refreshed an expired connection");
        sent.set(token, Date.now());
        await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
        return await provider.port.refresh(app, tokens);
      };
      // A caller that dies between refreshing and storing never ends.
      table.fault = (operation) => {
        if (operation !== "storeTokens" || crashes === 0) return null;
        crashes -= 1;
        lost += 1;
        return new Promise(() => undefined);
      };
      const isolates = Array.from({ length: ISOLATES }, () => ({
        tenant: "t1",
        table,
        authorizations: { refresh },
        flights: createTokenFlights(),
        timer: globalThis,
        now: Date.now,
        background: () => undefined,
      }));
      const calls: Promise<Result<TokenSet>>[] = [];
      const call = async (isolate: number, refused: string | null) => {
        const parts = isolates[isolate];
        if (parts === undefined) throw new Error("no such isolate");
        return await getFreshTokens(parts, provider.app, ID, refused);
      };

      for (const one of commands) {
        if (one.type === "call") calls.push(call(one.isolate, null));
        else if (one.type === "refused") {
          const stored = await table.tokens(ID);
          const refused = stored.ok && stored.value.tokens.kind === "oauth" ? stored.value.tokens.access : null;
          calls.push(call(one.isolate, refused));
        } else if (one.type === "pass") await vi.advanceTimersByTimeAsync(one.ms);
        else if (one.type === "crash") crashes = 1;
        else if (one.type === "fault") provider.fault("token", one.isOn ? "error" : null);
        else if (one.type === "end") {
          provider.grants.endGrants();
          ended = true;
        } else {
          provider.fault("token", null);
          table.consent(ID, (await connect(provider)).tokens);
          ended = false;
        }
      }
      provider.fault("token", null);
      crashes = 0;
      await vi.advanceTimersByTimeAsync(60_000);
      const results = await Promise.all(calls);
      for (const result of results)
        if (!result.ok && !["permission_denied", "upstream_failed"].includes(result.error.code))
          problems.push(`ended with ${result.error.code}`);
      const last = call(0, null);
      await vi.advanceTimersByTimeAsync(60_000);
      const final = await last;
      if (!final.ok && final.error.cause?.kind !== "connection_ended") problems.push("did not recover");
      if (!final.ok && lost === 0 && !ended) problems.push("ended without a reason");
      if (!final.ok && wasAnswered(final.error)) problems.push("a refusal reached the caller");
      expect(problems).toEqual([]);
      vi.useRealTimers();
    }),
    { numRuns: 300 },
  );
});
