/**
 * The connections of one tenant, with their tokens. Expected failures are values: `not_found` without the row,
 * `invalid_input` and `too_large` for what cannot be stored, `upstream_failed` while the database is unavailable. What
 * depends on time, such as a lease, is decided by the database's clock.
 */
import type { AuditEntry } from "./audit.ts";
import type { Result } from "../base/errors.ts";
import type { Provider } from "../connections/account.ts";
import type { Actor } from "../connections/actors.ts";
import type { Connection } from "../connections/connection.ts";
import type { Flow } from "../connections/flow.ts";
import type { SealedTokens, TokenSet } from "../connections/tokens.ts";

/** A connection by what is unique in a tenant. `person` null: shared. */
export interface OwnedApp {
  readonly app: string;
  readonly person: string | null;
  readonly alias: string | null;
}

/** The link that begins a consent. Only a later link than the last used one counts. */
export interface UsedLink {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly nonce: string;
}

/** A consent that was given and checked. `tokens` is null if the provider stores them. */
export interface GivenConsent {
  readonly tokens: TokenSet | null;
  readonly label: string | null;
  readonly scopes: readonly string[] | null;
  readonly unattended: boolean;
  readonly settingsHash: string;
  readonly by: Actor;
}

/** What an owner may change. Absent fields stay. */
export interface ConnectionChange {
  readonly alias?: string | null;
  readonly isDefault?: true;
  readonly unattended?: boolean;
  readonly delegates?: boolean;
}

export interface ConnectionQuery {
  /** The person whose connections are read in addition to the shared ones; null: the shared ones alone. */
  readonly person: string | null;
  readonly app?: string;
  /** True: those of every person. */
  readonly all?: boolean;
  /** False: without the shared ones. */
  readonly shared?: boolean;
  /** The id after which the page begins. */
  readonly after?: string;
  readonly limit: number;
}

/** Which connections an act ends: a removed app's, a person's, or the whole tenant's without both. */
export interface RevokedConnections {
  readonly app?: string;
  readonly person?: string;
}

/** What was refused: this version of the tokens, or what this consent gave. */
export type SettledState = { readonly version: number } | { readonly consent: number };

/** Tokens that are to be revoked at their provider. */
export interface DueRevocation {
  readonly app: string;
  readonly provider: Provider;
  readonly tokens: TokenSet;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /** Names the tokens for `endRevocation`. */
  readonly receipt: string;
}

/** What a link leads to. `connection` is null if its owner, app and alias have none yet. */
export interface LinkedConnection {
  readonly connection: Connection | null;
  /** True if this link, or a later one, began a consent. */
  readonly isUsed: boolean;
}

export interface ConnectionTable {
  /** The shown ones, the latest first; a row that was never connected is shown only while a link is open. */
  list(query: ConnectionQuery): Promise<Result<readonly Connection[]>>;
  find(id: string): Promise<Result<Connection>>;
  /**
   * Returns the connection of an owner, app and alias, and creates it as `new` if it does not exist. `not_found` for an
   * unknown person, `quota_exceeded` at the bounds of the owner or the tenant.
   */
  ensure(owned: OwnedApp, provider: Provider): Promise<Result<Connection>>;
  /** Finds what a link leads to, and changes nothing. */
  findLinked(owned: OwnedApp, link: UsedLink): Promise<Result<LinkedConnection>>;
  /**
   * Begins a consent of an ensured connection, and ends an earlier one. `gone`: the link was used. However a consent ends
   * that is not completed, the account that it made at its provider waits to be revoked.
   */
  beginFlow(owned: OwnedApp, link: UsedLink, flow: Flow): Promise<Result<Connection>>;
  /**
   * Takes the flow with this nonce, once. `gone`: it was taken, replaced, or has expired. An account that it made has to be
   * stored within `FLOW_GRACE_MS`.
   */
  takeFlow(id: string, nonce: string): Promise<Result<Flow>>;
  /**
   * Stores a consent: the connection is active. The first of an owner and app becomes their default. An account at a
   * provider is that of the latest flow; `gone` if it waits to be revoked instead.
   */
  complete(id: string, consent: GivenConsent, act: AuditEntry): Promise<Result<Connection>>;
  /**
   * Ends a consent that was refused (`failed`), or tokens that were (`expired`). With `of`, what was replaced meanwhile
   * stays: tokens of another version, or another consent. States that the event does not change stay
   * (`core/connections/states.ts`).
   */
  settle(id: string, to: "failed" | "expired", why: string, of?: SettledState): Promise<Result<Connection>>;
  /**
   * Ends the active connections of a provider whose consent covers something else than `hashOf` says of their app now, and
   * returns their number.
   */
  expireOthers(provider: Provider, hashOf: (app: string) => Promise<string>, why: string): Promise<Result<number>>;
  /**
   * Makes a connection active again whose provider stores the tokens: they are accepted again, under the same consent. A
   * revoked one stays revoked.
   */
  restore(id: string): Promise<Result<Connection>>;
  /** `conflict` (field `alias`) if another connection of the owner and app has the alias. */
  change(id: string, change: ConnectionChange, act: AuditEntry): Promise<Result<Connection>>;
  /**
   * The tokens of an active connection. `permission_denied` with the cause `connection_ended` if it has none,
   * `not_available` if they cannot be opened.
   */
  tokens(id: string): Promise<Result<SealedTokens>>;
  /**
   * True: this caller refreshes the tokens of this version, and no other does for `ms`. Decided by the database's
   * clock.
   */
  lease(id: string, version: number, ms: number): Promise<Result<boolean>>;
  /**
   * Stores refreshed tokens in the place of this version, and ends the lease. False: other tokens were stored
   * meanwhile, or the connection was revoked; then these are revoked too.
   */
  storeTokens(id: string, version: number, tokens: TokenSet): Promise<Result<boolean>>;
  /**
   * Ends a connection: its tokens can no longer be read, and wait to be revoked at their provider. Idempotent. With `of`,
   * what was replaced meanwhile stays, as for `settle`.
   */
  revoke(id: string, act: AuditEntry, of?: SettledState): Promise<Result<Connection>>;
  /** Ends all connections that fit, and their flows, with one act for all of them, and returns their number. */
  revokeAll(which: RevokedConnections, act: AuditEntry): Promise<Result<number>>;
  /** Removes a revoked connection from the lists, and returns it. `conflict` before its revocation has ended. */
  remove(id: string, act: AuditEntry): Promise<Result<Connection>>;
  /**
   * The account of the latest flow is not stored: it waits to be revoked, in any state of the row. Nothing changes if it
   * was stored, waits already, or belongs to another flow.
   */
  enqueueRevocation(id: string, providerId: string): Promise<Result<void>>;
  /**
   * Takes a due revocation, and sets the time of the next attempt first; null if none is due. A flow that nobody can
   * complete any more ends by this.
   */
  takeRevocation(id: string): Promise<Result<DueRevocation | null>>;
  /** The provider revoked the tokens. */
  endRevocation(id: string, revocation: Pick<DueRevocation, "receipt">): Promise<Result<void>>;
  /** Its owner was notified of this outage. Nothing is noted once it works: that would hide the next outage. */
  markNotified(id: string, outage: number): Promise<Result<void>>;
  /** It was checked just now. */
  markChecked(id: string): Promise<Result<void>>;
  /** It was used just now; noted once an hour. A failure is ignored. */
  touchUsed(id: string): Promise<void>;
}
