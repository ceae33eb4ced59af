/** The database, and the vectors in it. */
import { openDatabase } from "../database/database.ts";
import { type Env, readRequired, readText } from "./bindings.ts";
import { settingsFromEnv } from "./settings.ts";
import { openPgvector } from "../vectors/pgvector.ts";
import type { Database } from "../../core/ports/database.ts";
import type { VectorsPort } from "../../core/ports/vectors.ts";

/** Opened once per isolate: the database checks once whether row-level security binds its role. */
interface Stores {
  readonly database: Database;
  readonly pgvector: VectorsPort;
}

const stores = new Map<string, Stores>();

function storesFromEnv(env: Env): Stores {
  const url = readRequired(env.DATABASE_URL, "DATABASE_URL");
  const endpoint = readText(env.OTTO_DATABASE_ENDPOINT);
  const name = `${endpoint} ${url}`;
  const known = stores.get(name);
  if (known !== undefined) return known;
  checkEndpoint(env);
  const opened = { database: openDatabase(url, endpoint), pgvector: openPgvector(url, endpoint) };
  stores.set(name, opened);
  return opened;
}

export function databaseFromEnv(env: Env): Database {
  return storesFromEnv(env).database;
}

/** The vector index in the database. */
export function pgvectorFromEnv(env: Env): VectorsPort {
  return storesFromEnv(env).pgvector;
}

export function checkEndpoint(env: Env): void {
  const endpoint = readText(env.OTTO_DATABASE_ENDPOINT);
  if (endpoint !== null && settingsFromEnv(env).mode === "production" && !isLoopback(endpoint))
    throw new RangeError("OTTO_DATABASE_ENDPOINT has to be on this machine, because its traffic is not encrypted");
}

function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
