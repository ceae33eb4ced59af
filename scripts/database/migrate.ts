/**
 * Applies the numbered SQL files of `migrations/` to a Postgres, each in a transaction of its own, and records it with
 * its hash. A file that was applied may not change afterwards.
 */
import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { OwnerConnection, SqlBackend } from "./sql-backend.ts";

/** Any number, as long as every migrator of this product takes the same one. */
const ADVISORY_LOCK = "7242610411";
/** A file that takes longer is named. */
const NAMED_AFTER_MS = 2_000;
const FILE_NAME = /^(\d{4})[-_][a-z0-9_-]+\.sql$/;

export interface MigrateOptions {
  /** The folder that holds `0001_name.sql` and its followers. */
  readonly folder: string;
  /**
   * The password that the role `otto_app` may log in with, when it has to be made; null: it may not log in, and is only
   * taken on by SET ROLE. A role that is there already keeps its own.
   */
  readonly appPassword: string | null;
  /** Reports how many files are applied, and the name of one that takes long. */
  readonly onProgress?: (message: string) => void;
}

/** The files do not fit what the database says was applied. The message says what to do. */
export class MigrationRefused extends Error {
  override readonly name = "MigrationRefused";
}

/** Brings the database up to date and returns the names of the files that it applied. Throws `MigrationRefused`. */
export async function migrate(backend: SqlBackend, options: MigrateOptions): Promise<string[]> {
  const files = await readMigrations(options.folder);
  return backend.asOwner(async (connection) => {
    await connection.query({ query: "SELECT pg_advisory_lock($1::bigint)", params: [ADVISORY_LOCK] });
    try {
      await makeAppRole(connection, options.appPassword);
      await connection.script(
        "CREATE TABLE IF NOT EXISTS otto_migrations" +
          " (name text PRIMARY KEY, hash text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())",
      );
      return await applyMissing(connection, files, options);
    } finally {
      await connection.query({ query: "SELECT pg_advisory_unlock($1::bigint)", params: [ADVISORY_LOCK] });
    }
  });
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly hash: string;
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const numbers = new Set<string>();
  for (const name of names) {
    const number = FILE_NAME.exec(name)?.[1];
    if (number === undefined)
      throw new MigrationRefused(`migrations/${name}: a migration is named 0001_what_it_does.sql`);
    if (numbers.has(number)) throw new MigrationRefused(`migrations/${name}: there are two with the number ${number}`);
    numbers.add(number);
  }
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), "utf8");
      return { name, sql, hash: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

async function applyMissing(
  connection: OwnerConnection,
  files: readonly Migration[],
  options: MigrateOptions,
): Promise<string[]> {
  const { rows } = await connection.query({ query: "SELECT name, hash FROM otto_migrations", params: [] });
  const recorded = new Map(rows.map(([name, hash]) => [name ?? "", hash]));
  const known = new Set(files.map((file) => file.name));
  for (const name of recorded.keys()) {
    if (!known.has(name)) {
      throw new MigrationRefused(
        `The database has had ${name}, which is not in migrations/: it belongs to a newer Otto.`,
      );
    }
  }
  const changed = files.find(({ name, hash }) => recorded.has(name) && recorded.get(name) !== hash);
  if (changed !== undefined) {
    throw new MigrationRefused(
      `migrations/${changed.name} changed after it was applied. Restore it and put the change into a new file.`,
    );
  }
  const missing = files.filter(({ name }) => !recorded.has(name));
  if (missing.length > 0)
    options.onProgress?.(`migrating the database: ${missing.length} ${missing.length === 1 ? "file" : "files"}`);
  for (const file of missing) {
    const slow = setTimeout(() => options.onProgress?.(`migrating: ${file.name}`), NAMED_AFTER_MS);
    await apply(connection, file).finally(() => clearTimeout(slow));
  }
  return missing.map(({ name }) => name);
}

async function apply(connection: OwnerConnection, file: Migration): Promise<void> {
  await connection.script("BEGIN");
  try {
    await connection.script(file.sql);
    await connection.query({
      query: "INSERT INTO otto_migrations (name, hash) VALUES ($1, $2)",
      params: [file.name, file.hash],
    });
    await connection.script("COMMIT");
  } catch (error) {
    await connection.script("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/**
 * The Worker's role neither owns a table nor passes by row-level security. The owner is made a member of it, so that it
 * may take it on by SET ROLE; since Postgres 16 that needs a grant of its own also for who made the role.
 */
async function makeAppRole(connection: OwnerConnection, password: string | null): Promise<void> {
  const found = await connection.query({
    query: "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = 'otto_app'",
    params: [],
  });
  const bypasses = found.rows[0]?.[0];
  if (bypasses === "t") {
    throw new MigrationRefused(
      "The role otto_app may pass by row-level security: ALTER ROLE otto_app NOSUPERUSER NOBYPASSRLS.",
    );
  }
  if (bypasses === undefined) {
    const login = password === null ? "NOLOGIN" : `LOGIN PASSWORD '${password.replaceAll("'", "''")}'`;
    await connection.script(`CREATE ROLE otto_app ${login} NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOINHERIT`);
  }
  try {
    await connection.script("SET ROLE otto_app; RESET ROLE");
  } catch {
    await connection.script("GRANT otto_app TO current_user");
  }
}
