/**
 * A child of the supervisor: the database and the bridge in front of it. It migrates before it listens. Settings come as
 * JSON in OTTO_DATABASE.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { takeLock } from "../supervisor/exclusive-lock.ts";
import { followSupervisor, report, reportFatal } from "../supervisor/child-channel.ts";
import { startBridge } from "./bridge.ts";
import { MigrationRefused, migrate } from "./migrate.ts";
import { openPglite } from "./pglite-backend.ts";
import { openPostgres } from "./postgres-backend.ts";
import { DatabaseUnavailable, PostgresFailure, type SqlBackend } from "./sql-backend.ts";

/** What OTTO_DATABASE holds. */
export interface DatabaseSettings {
  readonly port: number;
  /** The password of the bridge's user `otto_app`. */
  readonly appPassword: string;
  readonly migrationsFolder: string;
  /** A real Postgres; null: the embedded one. */
  readonly externalUrl: string | null;
  readonly folder: string;
  readonly lockFile: string;
}

const RETRY_EVERY_MS = 1_000;

const settings = JSON.parse(process.env["OTTO_DATABASE"] ?? "") as DatabaseSettings;
delete process.env["OTTO_DATABASE"];

let backend: SqlBackend | null = null;
followSupervisor(async () => backend?.close());
try {
  backend = await open();
  if (backend !== null) await serve(backend);
} catch (error) {
  if (error instanceof MigrationRefused) reportFatal(error.message);
  else if (error instanceof PostgresFailure) reportFatal(`a migration failed: ${error.message}`);
  else throw error;
}

async function open(): Promise<SqlBackend | null> {
  if (settings.externalUrl !== null) return openPostgres(settings.externalUrl);
  // Two of them on one folder would destroy it. The lock is held until this process ends.
  if (takeLock(settings.lockFile) === null) {
    reportFatal(`another process uses the database in ${settings.folder}`);
    return null;
  }
  return openPglite(settings.folder, (reason) => {
    console.error("the embedded Postgres broke and is started again:", reason);
    process.exit(1);
  });
}

async function serve(opened: SqlBackend): Promise<void> {
  let said = "";
  for (;;) {
    try {
      await migrateNow(opened);
      break;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      const message = `Postgres cannot be reached, trying on: ${error.message}`;
      if (message !== said) report({ type: "progress", message });
      said = message;
      await sleep(RETRY_EVERY_MS);
    }
  }
  const { port, appPassword } = settings;
  await startBridge({ backend: opened, port, appPassword, ownerPassword: null });
  report({ type: "ready" });
}

async function migrateNow(opened: SqlBackend): Promise<void> {
  await migrate(opened, {
    folder: settings.migrationsFolder,
    appPassword: settings.externalUrl === null ? null : settings.appPassword,
    onProgress: (message) => report({ type: "progress", message }),
  });
}
