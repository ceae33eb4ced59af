/** A connection: an account of an app that a person or the tenant authorised, without its tokens. */
import type { Account, AccountOwner, Provider } from "./account.ts";
import type { StoredStatus } from "./states.ts";

/** The states that the API shows. */
export type ConnectionStatus = "pending" | "active" | "expired" | "revoked" | "failed";

/** The attempts to revoke the tokens of a connection at its provider. */
export interface RevocationProgress {
  /** When the next attempt is due; once it was given up, when that was. Milliseconds since the epoch. */
  readonly nextAt: number;
  /** The attempts so far. */
  readonly tries: number;
}

/** A stored connection. Times are milliseconds since the epoch. */
export interface Connection {
  readonly tenant: string;
  /** `con_…` */
  readonly id: string;
  readonly app: string;
  readonly provider: Provider;
  readonly owner: AccountOwner;
  /** The person who gave the last consent, if known. */
  readonly connectedBy: string | null;
  readonly alias: string | null;
  /** True for the one that calls of its owner and app use. */
  readonly isDefault: boolean;
  /** The stored one; `toConnectionStatus(connection, now)` gives the API's. `new` is never shown. */
  readonly status: StoredStatus;
  /** Until when an opened link may still be completed. */
  readonly pendingUntil: number | null;
  readonly label: string | null;
  /** The granted scopes; null if the provider did not say. */
  readonly scopes: readonly string[] | null;
  /** True if tasks that no person started may use it. */
  readonly unattended: boolean;
  /** True if others may approve in the owner's place. */
  readonly delegates: boolean;
  /** The consents so far; 0: it was never connected. */
  readonly consent: number;
  /** The hash of the app's settings to which the last consent was given. */
  readonly settingsHash: string | null;
  /** When the access token expires; null if unknown or never. */
  readonly expiresAt: number | null;
  /** How often it stopped working. */
  readonly outage: number;
  /** When its owner was notified of the present outage. */
  readonly notifiedAt: number | null;
  /** Why it is in its state, for people. */
  readonly why: string | null;
  /** The revocation at the provider, until it is confirmed. */
  readonly revocation: RevocationProgress | null;
  readonly lastUsedAt: number | null;
  readonly lastCheckedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Returns the state that the API shows; null for a connection that nobody made yet, which is not shown. */
export function toConnectionStatus(
  { status, pendingUntil }: Pick<Connection, "status" | "pendingUntil">,
  now: number,
): ConnectionStatus | null {
  if (pendingUntil !== null && pendingUntil > now) return "pending";
  return status === "new" ? null : status;
}

/** The account that a call through this connection has. */
export function toAccount({ id, app, provider, owner, label, consent, delegates }: Connection): Account {
  return { connection: id, app, provider, owner, label, consent, delegates };
}
