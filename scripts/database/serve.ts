/**
 * A child of the supervisor: the database and the bridge in front of it. It migrates before it listens. Settings come as
 * JSON in OTTO_DATABASE.
 */
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { takeLock } from "../supervisor/exclusive-lock.ts";
import { followSupervisor, report, reportFatal } from "../supervisor/child-channel.ts";
import { startBridge } from "./bridge.ts";
import { createCluster } from "./create-cluster.ts";
import { finishCreation, isDiskFull, LOST_DATABASE, prepareFolder } from "./embedded-folder.ts";
import { migrate } from "./migrate.ts";
import { judgeStartFailure, messageOf, openTwice } from "./opening.ts";
import { openPglite } from "./pglite-backend.ts";
import { openPostgres } from "./postgres-backend.ts";
import { checkKeyRing } from "./key-ring.ts";
import { DatabaseUnavailable, type SqlBackend } from "./sql-backend.ts";
import { keepTables } from "./table-upkeep.ts";

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
  /** True once the state was used: a missing database is then a lost one. */
  readonly isUsed: boolean;
  /** OTTO_SECRET_KEY and OTTO_SECRET_KEYS_OLD. */
  readonly secretKey: string;
  readonly oldSecretKeys: string | null;
}

const RETRY_EVERY_MS = 1_000;

const settings = JSON.parse(process.env["OTTO_DATABASE"] ?? "") as DatabaseSettings;
delete process.env["OTTO_DATABASE"];

/** The opened database; `isReady` once it is migrated and its keys are there. */
let backend: SqlBackend | null = null;
let isReady = false;
followSupervisor(async () => backend?.close());
try {
  // Two of them on one folder would destroy it. The lock is held until this process ends.
  if (settings.externalUrl === null && takeLock(settings.lockFile) === null)
    reportFatal(`another process uses the database in ${settings.folder}`);
  else await serve();
} catch (error) {
  await explain(error);
}

async function serve(): Promise<void> {
  // It listens from the start: `/health` learns from it how full the disk is, also while the database waits for space.
  await startBridge({ ...settings, backend: whenReady(), ownerPassword: null, diskFolder: dirname(settings.folder) });
  backend = settings.externalUrl === null ? await openEmbedded() : openPostgres(settings.externalUrl);
  await migrateNow(backend);
  if (settings.externalUrl === null) finishCreation(settings.folder);
  isReady = true;
  report({ type: "ready" });
  if (settings.externalUrl === null)
    keepTables(backend, (error) => console.log("tables could not be vacuumed:", error));
}

function whenReady(): SqlBackend {
  const ready = (): SqlBackend => {
    if (backend === null || !isReady) throw new DatabaseUnavailable("it is starting");
    return backend;
  };
  return {
    transact: async (statements, options) => await ready().transact(statements, options),
    asOwner: async (work) => await ready().asOwner(work),
    close: async () => await ready().close(),
  };
}

async function openEmbedded(): Promise<SqlBackend> {
  await waitForSpace();
  const state = prepareFolder(settings);
  if (state === "lost") report({ type: "problem", message: LOST_DATABASE });
  if (state !== "whole") await createCluster(settings.folder);
  return await openTwice({ folder: settings.folder, open: openFolder, waitForSpace, isDiskFull: isFull });
}

async function openFolder(): Promise<SqlBackend> {
  return await openPglite(settings.folder, (reason) => {
    console.log("the embedded Postgres broke:", reason);
    console.error(`the embedded Postgres broke and is started again: ${messageOf(reason)}`);
    process.exit(1);
  });
}

/** A full disk is no damage: it waits. */
async function waitForSpace(): Promise<void> {
  for (let isSaid = false; isFull(); await sleep(RETRY_EVERY_MS)) {
    if (!isSaid)
      report({ type: "progress", message: `the disk of ${settings.folder} is full; the database waits for space` });
    isSaid = true;
  }
}

/** One sentence for the person at the console, and everything for the log. */
async function explain(error: unknown): Promise<void> {
  console.log(error);
  const embedded = settings.externalUrl === null ? { folder: settings.folder, isDiskFull: isFull } : null;
  const failure = judgeStartFailure(error, embedded);
  if (failure.kind === "fatal") return reportFatal(failure.message);
  if (failure.kind === "full") await waitForSpace();
  else console.error(failure.message);
  process.exit(1);
}

function isFull(): boolean {
  return isDiskFull(settings.folder);
}

/** Waits for a Postgres elsewhere that is away. */
async function migrateNow(opened: SqlBackend): Promise<void> {
  for (let said = ""; ; await sleep(RETRY_EVERY_MS)) {
    try {
      await migrate(opened, {
        folder: settings.migrationsFolder,
        appPassword: settings.externalUrl === null ? null : settings.appPassword,
        onProgress: (message) => report({ type: "progress", message }),
      });
      return await checkKeyRing(opened, settings.secretKey, settings.oldSecretKeys);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      const message = `Postgres cannot be reached, trying on: ${error.message}`;
      if (message !== said) report({ type: "progress", message });
      said = message;
    }
  }
}
