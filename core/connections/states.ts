/**
 * The stored states of a connection and their changes. Storage and its fake both read this table, so a rule is stated
 * once. "Pending" is no stored state: it is computed from the time until which a link may be completed.
 */

/** `new` is a row that was never connected: an unfinished first link, or an outage that its owner was notified of. */
export type StoredStatus = "new" | "active" | "expired" | "revoked" | "failed";

/** What happens to a connection. */
export type ConnectionEvent =
  /** A person consented, or entered a key. */
  | "consent"
  /** A consent was begun, and the provider refused it. */
  | "fail"
  /** The provider refused the tokens. */
  | "expire"
  /** A person, an administrator or an erasure ended it. */
  | "revoke"
  /** A refresh that had begun earlier brought tokens after all. */
  | "renew";

interface Change {
  readonly from: readonly StoredStatus[];
  readonly to: StoredStatus;
}

/**
 * A failed reconnect leaves an active connection active: otherwise an aborted or forged callback would disconnect it.
 * Nothing but a consent leaves `revoked`.
 */
const CHANGES: Readonly<Record<ConnectionEvent, Change>> = {
  consent: { from: ["new", "active", "expired", "revoked", "failed"], to: "active" },
  fail: { from: ["new", "expired", "failed"], to: "failed" },
  expire: { from: ["active"], to: "expired" },
  revoke: { from: ["new", "active", "expired", "failed"], to: "revoked" },
  renew: { from: ["active", "expired", "failed"], to: "active" },
};

/** Returns the states that an event changes, and the one that follows. */
export function getChange(event: ConnectionEvent): Change {
  return CHANGES[event];
}

/** Returns the state after an event: the same where the event changes nothing. */
export function changeStatus(status: StoredStatus, event: ConnectionEvent): StoredStatus {
  const { from, to } = CHANGES[event];
  return from.includes(status) ? to : status;
}
