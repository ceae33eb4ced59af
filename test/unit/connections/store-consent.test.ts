/** A consent whose stored answer is lost counts, and one that was not stored does not. */
import { expect, test } from "vitest";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { Connection } from "../../../core/connections/connection.ts";
import type { SealedTokens, TokenSet } from "../../../core/connections/tokens.ts";
import { storeConsent } from "../../../workers/connections/store-consent.ts";

const AWAY = failed("upstream_failed", "The database did not reply.");
const NO_TOKENS = failed("not_found", "The connection has no tokens.");
const TOKENS: TokenSet = { kind: "key", value: "new" };
const CONNECTION = { id: "con_1", status: "active" } as Connection;
const at = { id: "audit_1", at: 0, actor: "per_1", target: "con_1", requestId: "req_1" };
const TO_STORE = {
  id: "con_1",
  consent: {
    tokens: TOKENS,
    label: null,
    scopes: null,
    unattended: false,
    settingsHash: "h",
    by: { person: "per_1", name: "Ana" },
  },
  act: { ...at, action: "connection.connect" },
} as const;
/** Its pauses end at once. */
const timer = {
  setTimeout: (run: () => void) => queueMicrotask(run),
  clearTimeout: () => undefined,
} as unknown as typeof globalThis;

const sealed = (tokens: TokenSet): Result<SealedTokens> => ok({ tokens, version: 2 }) as Result<SealedTokens>;

/** Stores with these answers of the write and of each read. */
async function store(written: Result<Connection>, ...reads: readonly Result<SealedTokens>[]) {
  const left = [...reads];
  let count = 0;
  const table = {
    complete: async () => written,
    async tokens() {
      count += 1;
      return left.shift() ?? AWAY;
    },
    find: async () => ok(CONNECTION),
  };
  return { result: await storeConsent(table, TO_STORE, timer), count };
}

test("an answer counts without a read", async () => {
  expect(await store(ok(CONNECTION))).toEqual({ result: ok(CONNECTION), count: 0 });
  expect(await store(failed("too_large", "Too many tokens."))).toMatchObject({ result: { ok: false }, count: 0 });
});

test("a lost answer counts once the database says that the tokens are stored", async () => {
  expect(await store(AWAY, sealed(TOKENS))).toEqual({ result: ok(CONNECTION), count: 1 });
  expect(await store(AWAY, AWAY, AWAY, sealed(TOKENS))).toEqual({ result: ok(CONNECTION), count: 3 });
});

test("a consent that was not stored fails as it did, also if the database stays away", async () => {
  expect(await store(AWAY, NO_TOKENS)).toEqual({ result: AWAY, count: 1 });
  expect(await store(AWAY, sealed({ kind: "key", value: "old" }))).toEqual({ result: AWAY, count: 1 });
  expect(await store(AWAY)).toEqual({ result: AWAY, count: 4 });
});
