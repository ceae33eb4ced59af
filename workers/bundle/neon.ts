/**
 * Replaces `@neondatabase/serverless` in the bundle (scripts/bundle-worker.mjs): SQL over HTTP, without the driver
 * for WebSockets, which is 45 KiB of unused gzip. The package and this file pass the same suite:
 * test/contracts/database/neon-client.test.ts. https://github.com/neondatabase/serverless/blob/main/CONFIG.md
 */
import { readValue, writeValue } from "./neon-values.ts";

/**
 * Where and how requests are sent. `fetchEndpoint` null: derived from the host of the connection, as Neon does. Set
 * `fetchFunction` before the first query.
 */
export const neonConfig: { fetchEndpoint: string | null; fetchFunction: typeof fetch | null } = {
  fetchEndpoint: null,
  fetchFunction: null,
};

/** Drizzle requests timestamps as text; they are text here already. */
export const types = { builtins: {}, setTypeParser: (): void => undefined };

/** An error that Postgres reported (`code` is the SQLSTATE), or, without a code, a failed request. */
export class NeonDbError extends Error {
  override readonly name = "NeonDbError";
  declare readonly code: string | undefined;
  declare readonly constraint: string | undefined;
}

/**
 * Options of a query: rows as arrays instead of objects, and the whole result instead of its rows. Both are off by
 * default.
 */
interface Options {
  readonly arrayMode?: boolean;
  readonly fullResults?: boolean;
}
/** Options of a client. `fetchOptions` are merged into those of each request. */
interface ClientOptions extends Options {
  readonly fetchOptions?: Readonly<Record<string, unknown>>;
}
interface TransactionOptions extends Options {
  readonly isolationLevel?: "ReadUncommitted" | "ReadCommitted" | "RepeatableRead" | "Serializable";
  readonly readOnly?: boolean;
  readonly deferrable?: boolean;
}
type Rows = unknown[][] | Record<string, unknown>[];
type Answer = Rows | (Omit<Result, "rows"> & { readonly rows: Rows; readonly rowAsArray: boolean });

interface Query {
  readonly query: string;
  readonly params: (string | null)[];
}

/** A result as the protocol writes it: rows as arrays of Postgres's text. */
interface Result {
  readonly command: string;
  readonly rowCount: number;
  readonly fields: { readonly name: string; readonly dataTypeID: number }[];
  readonly rows: (string | null)[][];
}

/** A query that is sent when it is awaited, or as a part of a transaction. */
class PendingQuery implements PromiseLike<Answer> {
  readonly query: Query;
  readonly options: Options;
  private readonly send: (query: Query) => Promise<Result>;

  constructor(query: Query, options: Options, send: (query: Query) => Promise<Result>) {
    this.query = query;
    this.options = options;
    this.send = send;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- drizzle awaits a single query or passes it to a transaction, as with the package.
  then<T = Answer, F = never>(
    kept?: ((answer: Answer) => T | PromiseLike<T>) | null,
    failed?: ((reason: unknown) => F | PromiseLike<F>) | null,
  ): Promise<T | F> {
    return this.send(this.query)
      .then((result) => readResult(result, this.options))
      .then(kept, failed);
  }
}

/** Creates a client of the database at `connection` (`postgres://user:password@host/name`). Sends nothing yet. */
export function neon(connection: string, { fetchOptions = {}, ...defaults }: ClientOptions = {}) {
  const send = async <T>(body: unknown, headers: Record<string, string>): Promise<T> =>
    await post<T>(connection, body, headers, fetchOptions);
  const query = (text: string, params: readonly unknown[] = [], options: Options = {}): PendingQuery =>
    new PendingQuery({ query: text, params: params.map(writeValue) }, { ...defaults, ...options }, (one) =>
      send<Result>(one, {}),
    );
  /**
   * Sends the queries as one transaction and returns their results in order. The options of a query take precedence.
   */
  const transaction = async (queries: readonly PendingQuery[], options: TransactionOptions = {}): Promise<Answer[]> => {
    const batch = { queries: queries.map((one) => one.query) };
    const { results } = await send<{ results: Result[] }>(batch, transactionHeaders(options));
    return results.map((result, index) => readResult(result, { ...options, ...queries[index]?.options }));
  };
  return { query, transaction };
}

function transactionHeaders(options: TransactionOptions): Record<string, string> {
  return {
    ...(options.isolationLevel === undefined ? {} : { "Neon-Batch-Isolation-Level": options.isolationLevel }),
    ...(options.readOnly === undefined ? {} : { "Neon-Batch-Read-Only": String(options.readOnly) }),
    ...(options.deferrable === undefined ? {} : { "Neon-Batch-Deferrable": String(options.deferrable) }),
  };
}

async function post<T>(
  connection: string,
  body: unknown,
  headers: Record<string, string>,
  fetchOptions: Readonly<Record<string, unknown>>,
): Promise<T> {
  const endpoint =
    neonConfig.fetchEndpoint ?? `https://${new URL(connection).hostname.replace(/^[^.]+\./, "api.")}/sql`;
  const { fetchFunction } = neonConfig;
  if (fetchFunction === null) throw new Error("neonConfig.fetchFunction is not set");
  let response: Response;
  try {
    response = await fetchFunction(endpoint, {
      method: "POST",
      body: JSON.stringify(body),
      headers: {
        "Neon-Connection-String": connection,
        "Neon-Raw-Text-Output": "true",
        "Neon-Array-Mode": "true",
        ...headers,
      },
      ...fetchOptions,
    });
  } catch (cause) {
    throw new NeonDbError(`The database could not be reached: ${String(cause)}`, { cause });
  }
  if (response.ok) return (await response.json()) as T;
  const text = await response.text();
  if (response.status !== 400) throw new NeonDbError(`The database answered ${response.status}: ${text.slice(0, 500)}`);
  throw readFailure(text);
}

/** Copies Postgres's fields of an error (`severity`, `code`, `constraint`, …) to the error. */
function readFailure(text: string): NeonDbError {
  const { message, ...fields } = JSON.parse(text) as { message: string };
  return Object.assign(new NeonDbError(message), fields);
}

function readResult(result: Result, { arrayMode = false, fullResults = false }: Options): Answer {
  const lists = result.rows.map((row) =>
    row.map((text, index) => readValue(text, result.fields[index]?.dataTypeID ?? 0)),
  );
  const names = result.fields.map((field) => field.name);
  const rows = arrayMode
    ? lists
    : lists.map((list) => Object.fromEntries(list.map((value, index) => [names[index] ?? "", value])));
  return fullResults ? { ...result, rows, rowAsArray: arrayMode } : rows;
}
