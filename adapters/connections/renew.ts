/**
 * Renews the tokens of connections. Refresh tokens rotate, and a server may end the grant when one is used twice, so:
 * 1. Only the holder of the row's lease refreshes, for the version of the tokens that it read.
 * 2. The lease outlasts the request. A holder that dies leaves the lease to run out; the next call then uses the stored
 *    refresh token, which the server accepts once more, or refuses: the connection expires.
 * 3. A call refreshes at most once. The table gives no tokens of an expired connection, so that nobody refreshes them.
 * 4. A fault of the provider changes nothing; tokens that still have time are used.
 */
import { computeBackoffMs } from "../../core/base/backoff.ts";
import { awaitWithin, sleep, type Timer } from "../../core/base/deadline.ts";
import { failed, type Failed, notSent, ok, type Result } from "../../core/base/errors.ts";
import { SingleFlight } from "../../core/base/single-flight.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import { awaitHolder, HOLDER_WAIT_MS, LEASE_MS } from "../../core/connections/renewal-lease.ts";
import { isUsable, needsRenewal, type SealedTokens, type TokenSet } from "../../core/connections/tokens.ts";
import type { AuthorizationsPort } from "../../core/ports/authorizations.ts";
import type { ConnectionTable } from "../../core/ports/connection-table.ts";

/** Of storing renewed tokens: they are lost if it fails. */
const STORE_ATTEMPTS = 4;
const STORE_DELAY_MS = 250;
const LONGEST_STORE_DELAY_MS = 1_000;
const MAX_FLIGHTS = 1_000;

/** The part of the table that renewal needs. */
export type TokenTable = Pick<ConnectionTable, "tokens" | "lease" | "storeTokens" | "settle">;

export interface RenewalParts {
  /** Of one tenant, whose id is in `tenant`. */
  readonly tenant: string;
  readonly table: TokenTable;
  readonly authorizations: Pick<AuthorizationsPort, "refresh">;
  readonly flights: TokenFlights;
  readonly timer: Timer;
  readonly now: () => number;
  /** Lets a renewal end after its caller has gone: the platform's `waitUntil`. */
  readonly background: (work: Promise<unknown>) => void;
}

/** The renewals of an isolate: concurrent calls of one connection share one. */
export type TokenFlights = SingleFlight<Result<TokenSet>>;

export function createTokenFlights(): TokenFlights {
  return new SingleFlight({ maxAgeMs: HOLDER_WAIT_MS, maxFlights: MAX_FLIGHTS });
}

/**
 * Returns tokens that the app accepts, renewed if less than 120 s remain or the app refused `refused`. Fails with the
 * cause `connection_ended` once the connection has expired, and with `retry: "later"` while the provider or the
 * database is away.
 */
export async function getFreshTokens(
  parts: RenewalParts,
  app: AppClient,
  id: string,
  refused: string | null = null,
): Promise<Result<TokenSet>> {
  const stored = await parts.table.tokens(id);
  if (!stored.ok) return stored;
  if (!needsRenewal(stored.value.tokens, parts.now(), refused)) return ok(stored.value.tokens);
  const key = `${parts.tenant} ${id} ${refused ?? ""}`;
  const renewing = parts.flights.run(key, async () => await renew(parts, app, { id, refused }), parts.now());
  parts.background(renewing.catch(() => undefined));
  // The request that started the shared renewal may have been cancelled.
  return await awaitWithin(parts.timer, LEASE_MS + HOLDER_WAIT_MS, renewing, failBusy(app));
}

interface Wanted {
  readonly id: string;
  readonly refused: string | null;
}

async function renew(parts: RenewalParts, app: AppClient, wanted: Wanted): Promise<Result<TokenSet>> {
  const { table } = parts;
  const stored = await table.tokens(wanted.id);
  if (!stored.ok) return stored;
  const { tokens, version } = stored.value;
  if (!needsRenewal(tokens, parts.now(), wanted.refused)) return ok(tokens);
  if (tokens.kind !== "oauth" || tokens.refresh === null)
    return await useWithoutRenewal(parts, app, wanted, stored.value);
  const leased = await table.lease(wanted.id, version, LEASE_MS);
  if (!leased.ok) return keepUsable(parts, wanted, tokens, leased);
  if (leased.value) return await refreshUnderLease(parts, app, wanted, stored.value);
  return isUsable(tokens, parts.now(), wanted.refused) ? ok(tokens) : await awaitTokens(parts, app, wanted, version);
}

/** Only for the holder of the lease on this version. */
async function refreshUnderLease(
  parts: RenewalParts,
  app: AppClient,
  wanted: Wanted,
  stored: SealedTokens,
): Promise<Result<TokenSet>> {
  const { table, authorizations } = parts;
  const renewed = await authorizations.refresh(app, stored.tokens);
  if (!renewed.ok) return keepUsable(parts, wanted, stored.tokens, failAway(app, renewed.error.message));
  if (renewed.value === "ended") return await expire(parts, app, wanted, stored.version);
  const isStored = await storeRenewed(parts, wanted.id, stored.version, renewed.value);
  // The tokens are good, although nobody else will have them.
  if (isStored === null || isStored) return ok(renewed.value);
  // A person consented meanwhile: that consent's tokens count.
  const current = await table.tokens(wanted.id);
  return current.ok ? ok(current.value.tokens) : current;
}

/** Null: the database did not answer. */
async function storeRenewed(
  { table, timer }: RenewalParts,
  id: string,
  version: number,
  tokens: TokenSet,
): Promise<boolean | null> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await table.storeTokens(id, version, tokens);
    if (stored.ok) return stored.value || (attempt > 1 && (await isStoredAlready(table, id, tokens)));
    if (attempt === STORE_ATTEMPTS) return null;
    await sleep(timer, computeBackoffMs(attempt, LONGEST_STORE_DELAY_MS, STORE_DELAY_MS));
  }
}

/** An attempt whose answer was lost may have stored them. */
async function isStoredAlready(table: TokenTable, id: string, tokens: TokenSet): Promise<boolean> {
  const stored = await table.tokens(id);
  return stored.ok && JSON.stringify(stored.value.tokens) === JSON.stringify(tokens);
}

/** Without a refresh token the access lasts until its time has passed. */
async function useWithoutRenewal(
  parts: RenewalParts,
  app: AppClient,
  wanted: Wanted,
  { tokens, version }: SealedTokens,
): Promise<Result<TokenSet>> {
  return isUsable(tokens, parts.now(), null) ? ok(tokens) : await expire(parts, app, wanted, version);
}

async function expire(
  { table, now }: RenewalParts,
  app: AppClient,
  { id, refused }: Wanted,
  version: number,
): Promise<Result<TokenSet>> {
  const current = await table.tokens(id);
  if (!current.ok) return current;
  if (current.value.version !== version && isUsable(current.value.tokens, now(), refused))
    return ok(current.value.tokens);
  const settled = await table.settle(id, "expired", `${app.title} ended the access. Connect it again.`, { version });
  if (!settled.ok) return settled;
  // Still active: a person consented meanwhile.
  return settled.value.status === "active" ? failBusy(app) : failEnded(app, id);
}

/** Waits until another caller's renewal replaces the tokens of this version. */
async function awaitTokens(
  { table, timer, now }: RenewalParts,
  app: AppClient,
  { id, refused }: Wanted,
  version: number,
): Promise<Result<TokenSet>> {
  const read = async (): Promise<Result<TokenSet> | null> => {
    const stored = await table.tokens(id);
    if (!stored.ok) return stored;
    // Not `needsRenewal`: a provider may give tokens of less than 120 s.
    const isReplaced = stored.value.version !== version;
    return isReplaced && isUsable(stored.value.tokens, now(), refused) ? ok(stored.value.tokens) : null;
  };
  return (await awaitHolder(read, { timer, now })) ?? failBusy(app);
}

/** What is still valid after a fault. */
function keepUsable({ now }: RenewalParts, { refused }: Wanted, tokens: TokenSet, fault: Failed): Result<TokenSet> {
  return isUsable(tokens, now(), refused) ? ok(tokens) : fault;
}

function failAway({ title }: AppClient, reason: string): Failed {
  const message = `Otto cannot renew its access to ${title} now. ${reason}`;
  return failed("upstream_failed", message, { retry: "later" });
}

function failBusy({ title }: AppClient): Failed {
  return notSent("upstream_failed", `Otto is renewing its access to ${title}. Try again later.`, { retry: "later" });
}

function failEnded({ title }: AppClient, connection: string): Failed {
  const message = `${title} ended the access of this account. Its owner has to connect it again.`;
  return notSent("permission_denied", message, { cause: { kind: "connection_ended", connection } });
}
