/** The part of the table of connections that holds tokens, in memory. Passes the contract of the real table. */
import { type Failed, failed, ok, type Result } from "../../core/base/errors.ts";
import type { Connection } from "../../core/connections/connection.ts";
import type { TokenSet } from "../../core/connections/tokens.ts";
import type { TokenTable } from "../../adapters/connections/renew.ts";
import { createConnection } from "./connection.ts";

interface Row {
  readonly connection: Connection;
  readonly tokens: string;
  readonly version: number;
  readonly leaseUntil: number;
}

/** `fault` runs before each operation: it can fail or delay it. */
export interface FakeTokenTable extends TokenTable {
  fault: (operation: keyof TokenTable) => Promise<Failed | null> | null;
  /** Stores tokens as a consent does. */
  consent(id: string, tokens: TokenSet): void;
  find(id: string): Connection;
}

export function fakeTokenTable(now: () => number = Date.now): FakeTokenTable {
  const rows = new Map<string, Row>();

  const run = async <T>(operation: keyof TokenTable, id: string, work: (row: Row) => T): Promise<Result<T>> => {
    const fault = await table.fault(operation);
    if (fault !== null) return fault;
    const row = rows.get(id);
    return row === undefined ? failed("not_found", "There is no connection with this id.") : ok(work(row));
  };

  const table: FakeTokenTable = {
    fault: () => null,
    consent(id, tokens) {
      const version = (rows.get(id)?.version ?? 0) + 1;
      rows.set(id, {
        connection: createConnection({ id, createdAt: now() }),
        tokens: JSON.stringify(tokens),
        version,
        leaseUntil: 0,
      });
    },
    find(id) {
      const row = rows.get(id);
      if (row === undefined) throw new Error("no such connection");
      return row.connection;
    },
    async tokens(id) {
      const row = await run("tokens", id, (found) => found);
      if (!row.ok) return row;
      const { connection, tokens, version } = row.value;
      if (connection.status === "active") return ok({ tokens: JSON.parse(tokens) as TokenSet, version });
      return failed("permission_denied", "The access has ended.", {
        cause: { kind: "connection_ended", connection: id },
      });
    },
    lease: async (id, version, ms) =>
      await run("lease", id, (row) => {
        if (row.version !== version || row.leaseUntil > now()) return false;
        rows.set(id, { ...row, leaseUntil: now() + ms });
        return true;
      }),
    storeTokens: async (id, version, tokens) =>
      await run("storeTokens", id, (row) => {
        if (row.version !== version) return false;
        rows.set(id, { ...row, tokens: JSON.stringify(tokens), version: version + 1, leaseUntil: 0 });
        return true;
      }),
    settle: async (id, to, why, of) =>
      await run("settle", id, (row) => {
        if (of !== undefined && "version" in of && row.version !== of.version) return row.connection;
        const connection: Connection = { ...row.connection, status: to, why, outage: row.connection.outage + 1 };
        rows.set(id, { ...row, connection });
        return connection;
      }),
  };
  return table;
}
