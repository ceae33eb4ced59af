/**
 * Renews the tokens of a server under its lease: one caller renews, and the others wait for what it stores. A renewal whose
 * answer is lost leaves the lease to run out; the next one uses the stored token, which the server accepts once more or
 * refuses.
 */
import {
  auth,
  AuthorizationServerMismatchError,
  type AuthProvider,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthClientProvider,
  OAuthError,
  type StoredOAuthTokens,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { notSent, OttoError } from "../../core/base/errors.ts";
import { awaitHolder, LEASE_MS } from "../../core/connections/renewal-lease.ts";
import { type AuthStore, hasRefreshToken } from "./server.ts";

interface LeaseParts {
  readonly store: Pick<AuthStore, "lease" | "release">;
  /** Reads the tokens that are stored now, also for `provider`. */
  readonly load: () => Promise<unknown>;
  /** True: nobody but a person gets tokens in the place of lost ones. False: Otto does, as itself. */
  readonly needsPerson: boolean;
}

/** Gives the stored token, and renews it after it was refused. */
export function leaseRenewals(provider: OAuthClientProvider, parts: LeaseParts): AuthProvider {
  let given: string | null = null;
  return {
    async token() {
      const tokens = await provider.tokens();
      given = tokens?.access_token ?? null;
      return given ?? undefined;
    },
    async onUnauthorized({ response, serverUrl, fetchFn }) {
      if (await isRenewedOrLeased(parts, given)) return;
      const renewal = watchRenewal(fetchFn);
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
      const found = {
        ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
        ...(scope === undefined ? {} : { scope }),
      };
      try {
        const result = await auth(provider, { serverUrl, fetchFn: renewal.send, ...found });
        if (result !== "AUTHORIZED") throw await explainUnauthorized(parts);
      } catch (thrown) {
        if (!renewal.mayHaveHappened()) await parts.store.release();
        if (await isRefusal(thrown, parts)) throw new UnauthorizedError();
        throw thrown;
      }
    },
  };
}

/** True if another caller renewed the refused token. False: this caller holds the lease, or there is nothing to renew. */
async function isRenewedOrLeased({ store, load }: LeaseParts, refused: string | null): Promise<boolean> {
  const tryLease = async (): Promise<boolean | null> => {
    const tokens = (await load()) as StoredOAuthTokens | undefined;
    if (tokens === undefined) return false;
    if (tokens.access_token !== refused) return true;
    const leased = await store.lease(LEASE_MS);
    if (!leased.ok) throw new OttoError(leased.error);
    return leased.value ? false : null;
  };
  const known = (await tryLease()) ?? (await awaitHolder(tryLease, { timer: globalThis, now: Date.now }));
  if (known === null) throw new OttoError(BUSY.error);
  return known;
}

/** The package would begin a new authorization both without a token to renew, and after a fault of the renewal. */
async function explainUnauthorized({ load }: LeaseParts): Promise<Error> {
  return hasRefreshToken({ tokens: await load() }) ? new OttoError(AWAY.error) : new UnauthorizedError();
}

const AWAY = notSent(
  "upstream_failed",
  "The authorization server did not renew Otto's access to this server. Try again later.",
  { retry: "later" },
);

/** Codes with which an authorization server refuses a client or its grant finally. */
const FINAL: ReadonlySet<string> = new Set(["invalid_client", "unauthorized_client", "invalid_grant"]);

/**
 * True if the authorization was refused, rather than not reached. The package discards a person's refused grant, and then
 * fails because it may not begin another one.
 */
async function isRefusal(thrown: unknown, { load, needsPerson }: LeaseParts): Promise<boolean> {
  // It names both authorization servers.
  if (thrown instanceof AuthorizationServerMismatchError) return false;
  if (needsPerson) return (await load()) === undefined;
  return thrown instanceof OAuthError && FINAL.has(thrown.code);
}

const BUSY = notSent("upstream_failed", "Otto is renewing its access to this server. Try again later.", {
  retry: "later",
});

/** Notes whether a renewal was sent whose answer is missing. */
function watchRenewal(fetchFn: FetchLike): { readonly send: FetchLike; readonly mayHaveHappened: () => boolean } {
  let isOpen = false;
  return {
    mayHaveHappened: () => isOpen,
    async send(url, init) {
      const isRenewal = init?.body instanceof URLSearchParams && init.body.get("grant_type") === "refresh_token";
      isOpen ||= isRenewal;
      const response = await fetchFn(url, init);
      if (isRenewal && response.status < 500) isOpen = false;
      return response;
    },
  };
}
