/** A tenant's accounts in memory, by the same rules as stored ones. */
import type { AccountOwner } from "../../core/connections/account.ts";
import { chooseAccount, mayRunUnattended } from "../../core/connections/choose-account.ts";
import { type Connection, toAccount } from "../../core/connections/connection.ts";
import { notSent, ok } from "../../core/base/errors.ts";
import type { ConnectionsPort } from "../../core/ports/connections.ts";
import { createConnection } from "./connection.ts";

const SETTINGS_HASH = "settings";
const HOST = "api.example.com";
const AWAY = notSent("upstream_failed", "The database is away.");

export interface FakeAccounts extends ConnectionsPort {
  /** Adds a connection, or changes the one with its id. */
  set(id: string, owner: AccountOwner, change?: Partial<Connection>): void;
  /** The connections that were read, in order: `choose <app>` and `current <id>`. */
  readonly reads: readonly string[];
  /** True while the connections cannot be read. */
  isAway: boolean;
}

/** The connections of one app named `crm`. */
export function fakeConnections(): FakeAccounts {
  const connections = new Map<string, Connection>();
  const reads: string[] = [];
  return {
    reads,
    isAway: false,
    set(id, owner, change = {}) {
      connections.set(id, {
        ...(connections.get(id) ??
          createConnection({
            id,
            owner,
            isDefault: true,
            label: `${id}@acme.example`,
            unattended: false,
            settingsHash: SETTINGS_HASH,
          })),
        owner,
        ...change,
      });
    },
    async choose({ app, rule, actors, configured, isUnattended }) {
      reads.push(`choose ${app.app}`);
      if (this.isAway) return AWAY;
      const { caller } = actors;
      const all = [...connections.values()];
      const asked = { app: { ...app, owner: rule }, caller, configured, isUnattended };
      return ok(chooseAccount({ ...asked, settingsHash: SETTINGS_HASH, connections: all }));
    },
    async current({ connection: id }, isUnattended) {
      reads.push(`current ${id}`);
      if (this.isAway) return AWAY;
      const found = connections.get(id);
      if (found === undefined || found.status === "revoked") return ok({ needed: "revoked" });
      if (found.status !== "active") return ok({ needed: "expired" });
      return ok(isUnattended && !mayRunUnattended(found) ? { needed: "unattended" } : toAccount(found));
    },
    async bearer({ connection, consent }) {
      return ok({ header: "authorization", value: `Bearer ${connection}-${consent}`, hosts: [HOST] });
    },
    async refused({ connection: id }) {
      const found = connections.get(id);
      if (found !== undefined) connections.set(id, { ...found, status: "expired" });
    },
  };
}
