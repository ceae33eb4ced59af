/**
 * The embedded Postgres: PGlite, Postgres compiled to WebAssembly, with pgvector. It is one session in this process, so
 * transactions queue, and a statement that never ends holds the whole process: Postgres's `statement_timeout` needs
 * a timer signal, which WebAssembly does not have. The supervisor ends a database that has stopped answering, and the
 * write-ahead log recovers it.
 */
import { PGlite, messages, protocol } from "@electric-sql/pglite";
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

/** Requests that may wait for the one session; more are turned away. */
const MAX_WAITING = 2_000;

/**
 * Opens the database in `dataDir` (a folder; `memory://` for none) and makes it when it is missing, which takes a few
 * seconds. `onBroken` is told once when the WebAssembly instance died: nothing works afterwards.
 */
export async function openPglite(dataDir: string, onBroken: (reason: Error) => void): Promise<SqlBackend> {
  const database = await PGlite.create({ dataDir, extensions: { vector } });
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let broken: Error | null = null;

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
          await script(beginStatement(options));
          const results: StatementResult[] = [];
          for (const statement of statements) results.push(await query(statement));
          await script("COMMIT");
          return results;
        } catch (error) {
          if (error instanceof PostgresFailure) await script("ROLLBACK");
          throw error;
        } finally {
          // What a request set for its session must not be there for the next request.
          if (broken === null) await script("RESET ALL");
        }
      }),
    asOwner: (work) => inTurn(() => work({ script, query } satisfies OwnerConnection)),
    close: () => inTurn(() => database.close()),
  };
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
