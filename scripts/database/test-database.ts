/** A database of its own for a test: in memory, migrated, behind the bridge on a free port. */
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { startBridge } from "./bridge.ts";
import { migrate } from "./migrate.ts";
import { dumpEmptyCluster, openPglite } from "./pglite-backend.ts";
import type { SqlBackend } from "./sql-backend.ts";

const MIGRATIONS = fileURLToPath(new URL("../../migrations/", import.meta.url));

export interface TestDatabase {
  /** The value of OTTO_DATABASE_ENDPOINT. */
  readonly endpoint: string;
  /** The value of DATABASE_URL: the role otto_app, bound by row-level security. */
  readonly url: string;
  /** The same for the owner of the tables, bound by nothing. For arranging and looking. */
  readonly ownerUrl: string;
  readonly backend: SqlBackend;
  close(): Promise<void>;
}

let emptyCluster: Promise<Blob> | undefined;

/** An empty database in memory. Creating the cluster is most of the work, so this process does it once and copies it. */
export async function openEmptyDatabase(): Promise<SqlBackend> {
  emptyCluster ??= dumpEmptyCluster();
  const onBroken = (reason: Error): never => {
    throw reason;
  };
  return await openPglite("memory://", onBroken, await emptyCluster);
}

/** Starts one; about a second. `migrations` is another folder of SQL files than the product's. */
export async function startTestDatabase(migrations: string = MIGRATIONS): Promise<TestDatabase> {
  const backend = await openEmptyDatabase();
  await migrate(backend, { folder: migrations, appPassword: null });
  const [appPassword, ownerPassword] = [randomBytes(24).toString("hex"), randomBytes(24).toString("hex")];
  const bridge = await startBridge({ backend, port: 0, appPassword, ownerPassword });
  return {
    endpoint: bridge.endpoint,
    url: `postgres://otto_app:${appPassword}@database.localhost/otto`,
    ownerUrl: `postgres://otto_owner:${ownerPassword}@database.localhost/otto`,
    backend,
    close: async () => {
      await bridge.close();
      await backend.close();
    },
  };
}
