/**
 * Renews the tokens of a server under its lease. Refresh tokens rotate, and an authorization server may end a grant whose
 * token comes back twice, so one caller renews and the others wait for what it stores. A renewal whose answer is lost
 * leaves the lease to run out; the next one uses the stored token, which the server accepts once more or refuses.
 */
import {
  auth,
  type AuthProvider,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthClientProvider,
  type StoredOAuthTokens,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { computeBackoffMs } from "../../core/base/backoff.ts";
import { sleep } from "../../core/base/deadline.ts";
import { notSent, OttoError } from "../../core/base/errors.ts";
import type { AuthStore } from "./server.ts";

/** Longer than a renewal within an operation takes. */
const LEASE_MS = 20_000;
/** How long others wait for the holder. */
const WAIT_MS = 10_000;
const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 1_000;

interface LeaseParts {
  readonly store: Pick<AuthStore, "lease" | "release">;
  /** Reads the tokens that are stored now, also for `provider`. */
  readonly load: () => Promise<unknown>;
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
        if (result !== "AUTHORIZED") throw new UnauthorizedError();
      } catch (thrown) {
        if (!renewal.mayHaveHappened()) await parts.store.release();
        throw thrown;
      }
    },
  };
}

/** True if another caller renewed the refused token. False: this caller holds the lease, or there is nothing to renew. */
async function isRenewedOrLeased({ store, load }: LeaseParts, refused: string | null): Promise<boolean> {
  const until = Date.now() + WAIT_MS;
  for (let poll = 1; ; poll += 1) {
    const tokens = (await load()) as StoredOAuthTokens | undefined;
    if (tokens === undefined) return false;
    if (tokens.access_token !== refused) return true;
    const leased = await store.lease(LEASE_MS);
    if (!leased.ok) throw new OttoError(leased.error);
    if (leased.value) return false;
    if (Date.now() >= until) throw new OttoError(BUSY.error);
    await sleep(globalThis, computeBackoffMs(poll, LONGEST_POLL_MS, FIRST_POLL_MS));
  }
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
