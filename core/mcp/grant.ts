/** What follows for the account of a server's one grant, after the server accepted Otto. */
import type { Connection } from "../connections/connection.ts";

/** What is stored of the grant. */
export interface GrantFacts {
  readonly hasTokens: boolean;
  /** True for tokens of a consent that the account does not count yet. */
  readonly isNew: boolean;
  /** The hash of the server's present settings. */
  readonly settingsHash: string;
}

/** `consent`: the account is active under a new consent. `restore`: it is active again, under the same one. */
export type GrantStep = "consent" | "restore" | "keep";

/**
 * Decides what follows when a person has authorized Otto, or an administrator has read the server's list. `known` is the
 * account before that; null: none. A server that asked for no authorization has no account.
 */
export function decideGrant(
  known: Pick<Connection, "status" | "settingsHash"> | null,
  { hasTokens, isNew, settingsHash }: GrantFacts,
): GrantStep {
  // Who reads a server again after its account was disconnected authorizes Otto again.
  const isCounted = known !== null && known.status !== "revoked" && known.settingsHash === settingsHash && !isNew;
  if (!isCounted) return hasTokens ? "consent" : "keep";
  return known.status === "active" ? "keep" : "restore";
}
