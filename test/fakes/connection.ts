/** A connection of Ana's that works, with other values where a test names them. */
import type { Connection } from "../../core/connections/connection.ts";

export function createConnection(change: Partial<Connection> = {}): Connection {
  return {
    tenant: "ten_1",
    id: "con_1",
    app: "crm",
    provider: "oauth",
    owner: { kind: "person", id: "per_ana", name: "Ana" },
    connectedBy: null,
    alias: null,
    isDefault: false,
    status: "active",
    pendingUntil: null,
    label: null,
    scopes: null,
    unattended: true,
    delegates: false,
    consent: 1,
    settingsHash: "h1",
    expiresAt: null,
    outage: 0,
    notifiedAt: null,
    why: null,
    revocation: null,
    lastUsedAt: null,
    lastCheckedAt: null,
    createdAt: 1_800_000_000_000,
    updatedAt: 1_800_000_000_000,
    ...change,
  };
}
