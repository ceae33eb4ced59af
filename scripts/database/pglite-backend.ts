/**
 * The embedded Postgres: PGlite, Postgres compiled to WebAssembly, with pgvector. It is one session in this process, so
 * transactions queue, and a statement that never ends holds the whole process: Postgres's `statement_timeout` needs
 * a timer signal, which WebAssembly does not have. The supervisor ends a database that has stopped answering, and the
 * write-ahead log recovers it.
 *
 * The session belongs to the superuser that owns the tables: PGlite has no other (its `username` option is a SET ROLE). A
 * request's transaction is not that superuser in another role, which a statement could leave by `set_config('role', …)`: it
 * has the session user of the bound role, and that role can change no role (`confine`).
 */
import { PGlite, messages, protocol } from "@electric-sql/pglite";
import { btree_gin } from "@electric-sql/pglite/contrib/btree_gin";
import { vector } from "@electric-sql/pglite-pgvector";
import {
  DatabaseUnavailable,
  ERROR_FIELDS,
  type OwnerConnection,
  PostgresFailure,
  type SqlBackend,
  type Statement,
  type StatementResult,
  beginStatement,
  readCommandTag,
} from "./sql-backend.ts";

/** PGlite's own superuser, and the role that row-level security binds. */
const OWNER = "postgres";
/** `public` comes first: its `set_config` is the one that this role may call. */
const BIND = "SET LOCAL search_path = public, pg_catalog; SET LOCAL SESSION AUTHORIZATION otto_app";
const IS_CONFINED =
  "SELECT NOT has_function_privilege('otto_app', 'pg_catalog.set_config(text, text, boolean)', 'execute')";
/**
 * The session began as a superuser's, so Postgres lets it change its session user: by SET, which the bridge refuses, by
 * `set_config`, and by SET inside a function or a DO block, which needs a language, and a temporary schema or the right to
 * create. Each is revoked. The Worker sets its two settings of a transaction through a function of ours.
 */
const CONFINE = `
  BEGIN;
  REVOKE EXECUTE ON FUNCTION pg_catalog.set_config(text, text, boolean) FROM PUBLIC;
  REVOKE USAGE ON LANGUAGE plpgsql, sql FROM PUBLIC;
  REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC;
  CREATE OR REPLACE FUNCTION public.set_config(setting text, value text, is_local boolean) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  BEGIN
    IF setting NOT IN ('app.tenant', 'statement_timeout') OR NOT is_local THEN
      RAISE insufficient_privilege USING MESSAGE = 'this role may not set ' || setting;
    END IF;
    RETURN pg_catalog.set_config(setting, value, true);
  END $$;
  COMMIT;`;

/**
 * Postgres touches all of its buffers as it starts, and its default of 128 MB is four times what one machine's tables need at
 * once. Pages beyond it come from the system's own cache of files.
 */
const START_PARAMS = [...PGlite.defaultStartParams, "-c", "shared_buffers=32MB"];

/** Requests that may wait for the one session; more are turned away. */
const MAX_WAITING = 2_000;

/**
 * Opens the database in `dataDir` (a folder; `memory://` for none) and creates it when it is missing, which takes a few
 * seconds; a copy of `cluster`, which `dumpEmptyCluster` made, takes less. Calls `onBroken` once when the WebAssembly instance
 * dies: every later query fails.
 */
export async function openPglite(
  dataDir: string,
  onBroken: (reason: Error) => void,
  cluster?: Blob,
): Promise<SqlBackend> {
  const database = await createPglite(dataDir, cluster);
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let broken: Error | null = null;
  let isConfined = false;

  async function send(message: Uint8Array): Promise<BackendMessages> {
    if (broken !== null) throw new DatabaseUnavailable(broken.message);
    try {
      return (await database.execProtocol(message, { throwOnError: false })).messages;
    } catch (error) {
      broken = error instanceof Error ? error : new Error(String(error));
      onBroken(broken);
      throw new DatabaseUnavailable(broken.message);
    }
  }

  async function script(sql: string): Promise<void> {
    throwFailure(await send(protocol.serialize.query(sql)));
  }

  async function query(statement: Statement): Promise<StatementResult> {
    const { serialize } = protocol;
    const message = Buffer.concat([
      serialize.parse({ text: statement.query }),
      serialize.bind({ values: [...statement.params] }),
      serialize.describe({ type: "P" }),
      serialize.execute({}),
      serialize.sync(),
    ]);
    return readResult(await send(message));
  }

  /** Revokes what would let a request change its role. Once per database; a later start finds it done. */
  async function confine(): Promise<void> {
    if (isConfined) return;
    const found = await query({ query: IS_CONFINED, params: [] });
    if (found.rows[0]?.[0] !== "t") await script(CONFINE);
    isConfined = true;
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (waiting >= MAX_WAITING)
      return Promise.reject(new DatabaseUnavailable("too many requests wait for the database"));
    waiting += 1;
    const turn = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = turn.catch(() => undefined);
    return turn;
  }

  return {
    transact: (statements, options) =>
      inTurn(async () => {
        try {
          if (options.role !== null) await confine();
          const begin = beginStatement({ ...options, role: null });
          await script(options.role === null ? begin : `${begin}; ${BIND}`);
          const results: StatementResult[] = [];
          for (const statement of statements) results.push(await query(statement));
          await script("COMMIT");
          return results;
        } catch (error) {
          if (error instanceof PostgresFailure) await script("ROLLBACK");
          throw error;
        } finally {
          // What a request set for its session must not be there for the next request.
          if (broken === null) await script(`RESET ALL; SET SESSION AUTHORIZATION ${OWNER}`);
        }
      }),
    asOwner: (work) => inTurn(() => work({ script, query } satisfies OwnerConnection)),
    close: () => inTurn(() => database.close()),
  };
}

/** Opens the database, and creates it when it is missing. */
export async function createPglite(dataDir: string, cluster?: Blob): Promise<PGlite> {
  const copied = cluster === undefined ? {} : { loadDataDir: cluster };
  return await PGlite.create({ dataDir, extensions: { vector, btree_gin }, startParams: START_PARAMS, ...copied });
}

/** The files of a new, empty database. */
export async function dumpEmptyCluster(): Promise<Blob> {
  const database = await createPglite("memory://");
  const cluster = await database.dumpDataDir("none");
  await database.close();
  return cluster;
}

type BackendMessages = Awaited<ReturnType<PGlite["execProtocol"]>>["messages"];

function readResult(answer: BackendMessages): StatementResult {
  throwFailure(answer);
  let tag = "";
  let fields: StatementResult["fields"] = [];
  const rows: (string | null)[][] = [];
  for (const message of answer) {
    if (message instanceof messages.DataRowMessage) rows.push(message.fields);
    else if (message instanceof messages.RowDescriptionMessage) fields = message.fields;
    else if (message instanceof messages.CommandCompleteMessage) tag = message.text;
  }
  return { ...readCommandTag(tag), fields, rows };
}

function throwFailure(answer: BackendMessages): void {
  const failure = answer.find((message) => message instanceof messages.DatabaseError);
  if (failure === undefined) return;
  const fields = Object.fromEntries(ERROR_FIELDS.map((name) => [name, failure[name]]));
  throw new PostgresFailure(failure.message, fields);
}
