/**
 * One connection to a Postgres for one job: the name is resolved once, every address is judged, TLS verifies the name, and what runs on it
 * runs in a read-only transaction that is always rolled back.
 */
import type { Socket } from "node:net";
import pg from "pg";
import { judgeSshDestination } from "../../../adapters/egress/address.ts";
import { failed, notSent, ok, type Result } from "../../../core/base/errors.ts";
import { type Dsn, parseDsn } from "../../../core/databases/dsn.ts";
import { connectTcp } from "../../connect-tcp.ts";
import { type EgressDeps, resolvePublicAddresses } from "../../egress.ts";
import type { SqlOrder } from "../sql-order.ts";
import { describeDatabaseError } from "./describe-error.ts";

/** Limits what the server may send during one job. */
const MAX_RECEIVED_BYTES = 32 * 1024 * 1024;
const WATCH_MS = 10;
/** The session ends in this time or is cut off. */
const END_MS = 2_000;
const LOCK_TIMEOUT_MS = 1_000;
const IDLE_TIMEOUT_MS = 20_000;

export type SqlDeps = Pick<EgressDeps, "allow" | "resolve" | "connectTo">;

/** A session inside its transaction. The search path holds pg_catalog alone. */
export interface Session {
  /** Runs one statement, which the protocol holds to be exactly one. Values are texts. */
  run(text: string, values?: readonly unknown[]): Promise<readonly (readonly (string | null)[])[]>;
  /** Runs the next rows of a cursor within the time that is left. */
  fetch(cursor: string, count: number): Promise<FetchedRows>;
  /** The schemas of the role's own search path that exist. */
  readonly path: readonly string[];
}

/** Rows as texts, with the columns of the cursor. */
export interface FetchedRows {
  readonly columns: readonly { readonly name: string; readonly type: number }[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** Runs `work` in a session. Never rejects. */
export async function withSession<T>(
  order: SqlOrder,
  deps: SqlDeps,
  signal: AbortSignal,
  work: (session: Session) => Promise<Result<T>>,
): Promise<Result<T>> {
  const dsn = parseDsn(order.dsn);
  if (!dsn.ok) return dsn;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(order.timeout_ms)]);
  const socket = await openSocket(dsn.value, order, deps, limit);
  if (!socket.ok) return socket;
  const watch = watchReceived(socket.value);
  try {
    return await runOn(socket.value, dsn.value, order, limit, work);
  } catch (error) {
    if (watch.isOver()) return failed("too_large", "The result is too large. Select fewer columns or rows.");
    if (limit.aborted) return failTimeout(order);
    return describeDatabaseError(error, dsn.value.password);
  } finally {
    watch.stop();
    socket.value.destroy();
  }
}

async function openSocket(
  { host, port }: Dsn,
  order: SqlOrder,
  deps: SqlDeps,
  limit: AbortSignal,
): Promise<Result<Socket>> {
  const judged = judgeSshDestination(host, port, deps.allow, true);
  if (!judged.ok) return notSent("blocked_by_policy", `The database's host is refused. ${judged.message}`);
  if (order.tls === "off" && !judged.opened)
    return notSent("blocked_by_policy", "The database needs TLS: only hosts of OTTO_EGRESS_ALLOW may go without.");
  try {
    const addresses = await resolvePublicAddresses(judged, deps, limit);
    if (typeof addresses === "string")
      return notSent("blocked_by_policy", "The database's host leads to an address that is not public.");
    return ok(await connectTcp(judged.url.hostname, port, addresses, deps, limit));
  } catch {
    if (limit.aborted) return failTimeout(order);
    return notSent("upstream_failed", "The database was not reached. Check its host and port, and that it runs.");
  }
}

async function runOn<T>(
  socket: Socket,
  dsn: Dsn,
  order: SqlOrder,
  limit: AbortSignal,
  work: (session: Session) => Promise<Result<T>>,
): Promise<Result<T>> {
  const endsAt = performance.now() + order.timeout_ms;
  const client = openClient(socket, dsn, order.tls);
  const destroy = () => socket.destroy();
  limit.addEventListener("abort", destroy, { once: true });
  // A broken connection also rejects the query that waits for it.
  client.on("error", () => undefined);
  try {
    await client.connect();
    const path = await begin(client, order.timeout_ms);
    return await work({
      path,
      run: async (text, values = []) => {
        const { rows } = await client.query({ ...toExtended(text), values: [...values], rowMode: "array" });
        return rows;
      },
      fetch: async (cursor, count) => await fetchRows(client, cursor, count, endsAt - performance.now()),
    });
  } finally {
    await endSession(client, limit);
    limit.removeEventListener("abort", destroy);
  }
}

/** A query in the extended protocol, which takes exactly one statement. The package's types lack the field. */
function toExtended(text: string): pg.QueryConfig {
  return { text, queryMode: "extended" } as pg.QueryConfig;
}

function openClient(socket: Socket, { host, port, user, password, database }: Dsn, tls: SqlOrder["tls"]): pg.Client {
  const stream = Object.assign(socket, {
    // It is connected already, to an address that was judged.
    connect: () => {
      queueMicrotask(() => socket.emit("connect"));
      return socket;
    },
  });
  return new pg.Client({
    host,
    port,
    user,
    // As a function, so that an empty one is not looked up in this machine's files.
    password: () => password,
    database,
    ssl: tls === "require" ? { rejectUnauthorized: true } : false,
    stream: () => stream,
    application_name: "otto",
    types: { getTypeParser: () => (value: string) => value },
  });
}

/** Begins the transaction and returns the role's search path. What the role or database sets by default is set again here. */
async function begin(client: pg.Client, timeoutMs: number): Promise<readonly string[]> {
  const results = (await client.query({
    text: [
      "BEGIN READ ONLY",
      "SELECT s FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) s",
      "SET LOCAL search_path = pg_catalog, pg_temp",
      `SET LOCAL statement_timeout = ${timeoutMs}`,
      `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`,
      `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`,
      "SET LOCAL standard_conforming_strings = on",
      "SET LOCAL client_encoding = 'UTF8'",
      "SET LOCAL DateStyle = 'ISO, YMD'",
      "SET LOCAL jit = off",
    ].join(";"),
    rowMode: "array",
  })) as unknown as readonly { readonly rows: readonly (readonly [string])[] }[];
  return (results[1]?.rows ?? []).map(([schema]) => schema);
}

async function fetchRows(client: pg.Client, cursor: string, count: number, leftMs: number): Promise<FetchedRows> {
  const text = `SET LOCAL statement_timeout = ${Math.max(1, Math.round(leftMs))}; FETCH FORWARD ${count} FROM ${cursor}`;
  const results = (await client.query({ text, rowMode: "array" })) as unknown as readonly pg.QueryArrayResult[];
  const { fields = [], rows = [] } = results[1] ?? {};
  return {
    columns: fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })),
    rows: rows as (string | null)[][],
  };
}

/** Rolls back and says goodbye. After the limit the connection is gone, and the server ends the statement by its own time limit. */
async function endSession(client: pg.Client, limit: AbortSignal): Promise<void> {
  if (limit.aborted) return;
  const ended = client.query("ROLLBACK").then(async () => await client.end());
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, END_MS).unref())]).catch(() => undefined);
}

/** Cuts a connection off that receives too much. The package holds each message whole before it reports it. */
function watchReceived(socket: Socket): { isOver(): boolean; stop(): void } {
  const isOver = () => socket.bytesRead > MAX_RECEIVED_BYTES;
  const timer = setInterval(() => {
    if (isOver()) socket.destroy();
  }, WATCH_MS);
  return { isOver, stop: () => clearInterval(timer) };
}

function failTimeout({ timeout_ms: timeoutMs }: SqlOrder): Result<never> {
  const message = `The database did not answer within ${timeoutMs / 1_000} s. Ask for less, or filter by an indexed column.`;
  return failed("timeout", message, { details: { timeout_ms: timeoutMs } });
}
