/** Connections as the API shows them: without tokens. */
import { iso, isoOrNull } from "../../core/base/iso.ts";
import type { AccountOwner } from "../../core/connections/account.ts";
import { type Connection, type RevocationProgress, toConnectionStatus } from "../../core/connections/connection.ts";
import { isRevocationOpen } from "../../core/connections/rules.ts";

/** Returns the view; null for a connection that nobody made yet. `now` is in milliseconds since the epoch. */
export function toConnectionView(connection: Connection, now: number) {
  const { id, app, provider, alias, label, scopes, unattended, why } = connection;
  const status = toConnectionStatus(connection, now);
  if (status === null) return null;
  return {
    id,
    app,
    provider,
    owner: toOwnerView(connection.owner),
    alias,
    is_default: connection.isDefault,
    status,
    label,
    scopes: scopes === null ? null : [...scopes],
    unattended,
    delegate_approvals: connection.delegates,
    why,
    revocation: toRevocationView(connection.revocation),
    last_used_at: isoOrNull(connection.lastUsedAt),
    last_checked_at: isoOrNull(connection.lastCheckedAt),
    created_at: iso(connection.createdAt),
    updated_at: iso(connection.updatedAt),
  };
}

/** Whose a connection is. */
export function toOwnerView(owner: AccountOwner) {
  return owner.kind === "shared" ? { kind: owner.kind } : { kind: owner.kind, id: owner.id, name: owner.name };
}

function toRevocationView(revocation: RevocationProgress | null) {
  if (revocation === null) return null;
  const state: "open" | "unconfirmed" = isRevocationOpen(revocation) ? "open" : "unconfirmed";
  return { state, next_at: iso(revocation.nextAt) };
}
