/**
 * A provider of apps. Expected failures are values: `upstream_failed` while it is away or gives a reply that cannot be
 * read, `rate_limited` with `retryAfterMs`, `not_found` for what it does not have. Nothing here repeats a request, because
 * a provider without idempotency keys may do it twice.
 */
import type { DescribedAction, DescribedApp, DescribedTrigger } from "../apps/catalogue.ts";
import type { Failure, Result } from "../base/errors.ts";

/** One page of a listing. What cannot be read is named in `rejected`, and the rest of the page counts. */
export interface CataloguePage<Item> {
  readonly items: readonly Item[];
  readonly rejected: readonly { readonly name: string; readonly why: string }[];
  /** Null: the last page. */
  readonly next: string | null;
  /** All items of the listing, if the provider says it. */
  readonly total: number | null;
}

/** Where apps and actions are described. A page has at most 1,000 items; `cursor` null: the first one. */
export interface CatalogueSource {
  /** True of a tenant's own key: what the catalogue lacks may be the tenant's, so others do not read its names. */
  readonly isOfTenant?: boolean;
  apps(cursor: string | null): Promise<Result<CataloguePage<DescribedApp>>>;
  /** The actions of all apps, or of one, with their schemas. */
  actions(cursor: string | null, of?: { readonly app: string }): Promise<Result<CataloguePage<DescribedAction>>>;
  triggers(
    cursor: string | null,
    of: { readonly apps: readonly string[] },
  ): Promise<Result<CataloguePage<DescribedTrigger>>>;
}

/** The account of a call: Otto's connection, and what the provider calls it and its owner. */
export interface AppAccount {
  /** `con_…` */
  readonly connection: string;
  readonly entity: string;
  readonly providerId: string;
}

/** One call of an action. */
export interface AppCall {
  readonly app: string;
  readonly action: string;
  readonly version: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Null for an app that needs none. */
  readonly account: AppAccount | null;
  /** The call's key, equal for each of its attempts. It is sent as `Idempotency-Key` and never relied on. */
  readonly key: string;
  /** A UUID of the call and its attempt, by which the provider's log is searched. */
  readonly requestId: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The reply of an action that was carried out, or that the provider refused. */
export interface AppReply {
  readonly data: unknown;
  /** The entry in the provider's log; null if it named none. */
  readonly logId: string | null;
}

/** A call that may have been sent and whose reply was lost. */
export interface AppLookup extends Pick<AppCall, "app" | "action" | "account" | "signal"> {
  /** Of the attempts that may have been sent, the latest first. At least one. */
  readonly requestIds: readonly string[];
  /** When the call was to be sent, in milliseconds since the epoch. */
  readonly since: number;
}

/**
 * What the provider's log says of a call whose reply was lost. An equal call is not evidence: only an entry with a request id
 * of the call decides.
 */
export type AppProbe =
  | { readonly kind: "happened"; readonly reply: AppReply }
  /** The app refused the latest attempt. */
  | { readonly kind: "not_happened"; readonly failure: Failure }
  /** `isEarly`: the entry may still be written. */
  | { readonly kind: "cannot_tell"; readonly why: string; readonly isEarly: boolean };

/** A file that a call will name. */
export interface AppUpload extends Pick<AppCall, "app" | "action" | "signal"> {
  readonly name: string;
  readonly contentType: string;
  /** Of its bytes, in hex. */
  readonly md5: string;
}

/** Where the bytes of a file are to be put, by one PUT. */
export interface UploadTarget {
  /** Names the file in calls. */
  readonly key: string;
  /** A signed address, which is a secret. */
  readonly url: string;
}

export interface AppsPort {
  /** `happened` of a failure (core/base/errors.ts) says if the action was or may have been carried out. */
  execute(call: AppCall): Promise<Result<AppReply>>;
  probe(lookup: AppLookup): Promise<Result<AppProbe>>;
  /** Calls nothing, and may be repeated. */
  requestUpload(upload: AppUpload): Promise<Result<UploadTarget>>;
}

/** An account at the provider, by the provider's own id. */
export interface ProviderAccount {
  readonly providerId: string;
  readonly entity: string;
  readonly app: string;
  readonly status: "pending" | "active" | "failed" | "expired" | "revoked";
  readonly label: string | null;
}

/** The page of the provider where a person consents. */
export interface AccountLink {
  readonly url: string;
  readonly providerId: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Accounts at the provider. */
export interface AppLinks {
  /**
   * Begins a consent with the fewest scopes that `actions` need. `not_available` with the setup page in the message
   * for an app without a client of the provider's own.
   */
  link(wanted: {
    readonly app: string;
    readonly entity: string;
    readonly actions: readonly string[];
    readonly callbackUrl: string;
  }): Promise<Result<AccountLink>>;
  account(providerId: string): Promise<Result<ProviderAccount>>;
  /** Idempotent: one that is gone counts as revoked. */
  revoke(providerId: string): Promise<Result<void>>;
}

/** A trigger to create at the provider. */
export interface WantedTrigger {
  /** The provider's name of it, in upper case. */
  readonly trigger: string;
  /** What the provider calls the account. */
  readonly providerId: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** The one address to which the provider sends the events of all triggers of a key. */
export interface EventSubscription {
  readonly id: string;
  readonly url: string;
}

/** Triggers at the provider, by the provider's own ids, and where their events are sent. */
export interface AppTriggers {
  /**
   * Creates and enables a trigger, and returns its id. Idempotent: the same account, trigger and configuration are the same
   * trigger. `invalid_input` with the provider's reason if it refuses them.
   */
  upsert(wanted: WantedTrigger): Promise<Result<string>>;
  /** A trigger that is disabled reports no events. */
  setEnabled(id: string, isEnabled: boolean): Promise<Result<void>>;
  /** Idempotent: one that is gone counts as removed. */
  remove(id: string): Promise<Result<void>>;
  /** Null: the key has none. */
  findSubscription(): Promise<Result<EventSubscription | null>>;
  /** Subscribes to all events that Otto knows. A key has one subscription. */
  subscribe(url: string): Promise<Result<EventSubscription & { readonly secret: string }>>;
  /** Sends events to another address. */
  redirect(id: string, url: string): Promise<Result<void>>;
  /** Returns the new secret. From now on the provider signs with it alone. */
  rotateSecret(id: string): Promise<Result<string>>;
}
