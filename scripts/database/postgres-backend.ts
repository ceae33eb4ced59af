/** A real Postgres by its connection string, as the bridge and the migrator use it. */
import pg from "pg";
import {
  DatabaseUnavailable,
  PostgresFailure,
  type SqlBackend,
  type Statement,
  type StatementResult,
  beginStatement,
} from "./sql-backend.ts";

const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 60_000;

/** Values stay as Postgres wrote them. */
const RAW_TEXT = { getTypeParser: () => (text: string) => text };

/** Opens a pool; connects when it is first used. */
export function openPostgres(connectionString: string): SqlBackend {
  const pool = new pg.Pool({
    connectionString,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: "otto",
  });
  // The pool drops an idle connection that breaks; the next request opens another.
  pool.on("error", () => undefined);

  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      throw asFailure(error);
    }
    // Without a listener a connection that breaks during the work would end the process.
    let lost: Error | undefined;
    const onLost = (error: Error) => {
      lost = error;
    };
    client.on("error", onLost);
    try {
      return await work(client);
    } catch (error) {
      const failure = asFailure(error);
      if (failure instanceof DatabaseUnavailable) lost ??= failure;
      throw failure;
    } finally {
      client.off("error", onLost);
      client.release(lost);
    }
  }

  return {
    transact: (statements, options) =>
      withClient(async (client) => {
        try {
          await client.query(beginStatement(options));
          const results: StatementResult[] = [];
          for (const statement of statements) results.push(await query(client, statement));
          await client.query("COMMIT");
          return results;
        } catch (error) {
          if (error instanceof pg.DatabaseError) await client.query("ROLLBACK");
          throw error;
        } finally {
          // What a request set for its session must not be there for the next request.
          await client.query("RESET ALL").catch(() => undefined);
        }
      }),
    asOwner: (work) =>
      withClient((client) =>
        work({
          script: async (sql) => {
            await client.query(sql);
          },
          query: (statement) => query(client, statement),
        }),
      ),
    close: () => pool.end(),
  };
}

async function query(client: pg.PoolClient, statement: Statement): Promise<StatementResult> {
  const config: pg.QueryArrayConfig<(string | null)[]> & { queryMode: "extended" } = {
    text: statement.query,
    values: [...statement.params],
    rowMode: "array",
    types: RAW_TEXT,
    // Without parameters the driver would use the simple protocol, which takes several statements.
    queryMode: "extended",
  };
  const result = await client.query<(string | null)[]>(config);
  return { command: result.command, rowCount: result.rowCount, fields: result.fields, rows: result.rows };
}

/** Class 57P: the server is going down or the connection was ended by it. */
function asFailure(error: unknown): PostgresFailure | DatabaseUnavailable {
  if (error instanceof PostgresFailure || error instanceof DatabaseUnavailable) return error;
  if (error instanceof pg.DatabaseError && !(error.code ?? "").startsWith("57P")) {
    return new PostgresFailure(error.message, error);
  }
  const reason = error instanceof AggregateError ? error.errors.map(String).join("; ") : String(error);
  return new DatabaseUnavailable(reason);
}
