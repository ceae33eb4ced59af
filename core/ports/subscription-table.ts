/** Where a provider of apps sends events. `upstream_failed` while the database is unavailable. Times are ms since the epoch. */
import type { Result } from "../base/errors.ts";
import type { OldSecret } from "../channels/webhooks/old-secrets.ts";

/** A subscription to the events of a key of the provider. Secrets are sealed. */
export interface StoredSubscription {
  readonly providerId: string;
  readonly url: string;
  readonly sealed: string;
  /** Replaced secrets, the latest first. */
  readonly old: readonly OldSecret[];
  /** Until when a change is under way; a past time: it was interrupted. Null: none is. */
  readonly claimedUntil: number | null;
}

/** Subscriptions, by the owner of the provider's key: `operator`, or a tenant. */
export interface SubscriptionTable {
  /** Null until the first one is stored. */
  find(owner: string): Promise<Result<StoredSubscription | null>>;
  /** True: this caller alone changes the subscription until then. */
  claim(owner: string, now: number, until: number): Promise<Result<boolean>>;
  /** Ends a claim without a change. */
  release(owner: string): Promise<Result<void>>;
  /** Stores a secret, and ends the claim. The secret before it is valid until `oldUntil`. */
  store(
    owner: string,
    subscription: Pick<StoredSubscription, "providerId" | "url" | "sealed"> & { readonly oldUntil: number },
    now: number,
  ): Promise<Result<void>>;
}
