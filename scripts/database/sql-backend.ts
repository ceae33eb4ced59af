/** What the bridge and the migrator ask of a Postgres, embedded or real. Values are Postgres's own text, both ways. */

export interface Statement {
  readonly query: string;
  readonly params: readonly (string | null)[];
}

/** A column as Postgres describes it (RowDescription). */
export interface ResultField {
  readonly name: string;
  readonly tableID: number;
  readonly columnID: number;
  readonly dataTypeID: number;
  readonly dataTypeSize: number;
  readonly dataTypeModifier: number;
}

export interface StatementResult {
  /** `SELECT`, `INSERT`, `CREATE TABLE`, … */
  readonly command: string;
  /** Null for a command that counts no rows. */
  readonly rowCount: number | null;
  readonly fields: readonly ResultField[];
  readonly rows: readonly (readonly (string | null)[])[];
}

export interface TransactionOptions {
  /** The role that the statements run as; null: the one that the backend connected as. */
  readonly role: "otto_app" | null;
  readonly isolation: "READ UNCOMMITTED" | "READ COMMITTED" | "REPEATABLE READ" | "SERIALIZABLE" | null;
  readonly readOnly: boolean;
  readonly deferrable: boolean;
}

/** A connection of the owner's, for migrations. */
export interface OwnerConnection {
  /** Runs a script of any number of statements. Several without BEGIN are one transaction. */
  script(sql: string): Promise<void>;
  query(statement: Statement): Promise<StatementResult>;
}

/** All methods throw `PostgresFailure` for what Postgres refused and `DatabaseUnavailable` when it could not be asked. */
export interface SqlBackend {
  /** Runs the statements in one transaction: all of them count, or none. */
  transact(statements: readonly Statement[], options: TransactionOptions): Promise<StatementResult[]>;
  /** Gives `work` a connection that nobody else uses meanwhile. */
  asOwner<T>(work: (connection: OwnerConnection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The fields of Postgres's ErrorResponse, by the names that drivers give them. */
export const ERROR_FIELDS = [
  "severity",
  "code",
  "detail",
  "hint",
  "position",
  "internalPosition",
  "internalQuery",
  "where",
  "schema",
  "table",
  "column",
  "dataType",
  "constraint",
  "file",
  "line",
  "routine",
] as const;
export type ErrorFields = { readonly [name in (typeof ERROR_FIELDS)[number]]?: string | undefined };

/** Postgres refused a statement. */
export class PostgresFailure extends Error {
  override readonly name = "PostgresFailure";
  readonly fields: ErrorFields;
  constructor(message: string, fields: ErrorFields) {
    super(message);
    this.fields = fields;
  }
}

/** Postgres could not be asked, or did not answer; whether it did its work is unknown. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
}

/** The statement that begins a transaction of these options. */
export function beginStatement(options: TransactionOptions): string {
  const parts = ["BEGIN"];
  if (options.isolation !== null) parts.push(`ISOLATION LEVEL ${options.isolation}`);
  if (options.readOnly) parts.push("READ ONLY");
  if (options.deferrable) parts.push("DEFERRABLE");
  const begin = parts.join(" ");
  return options.role === null ? begin : `${begin}; SET LOCAL ROLE ${options.role}`;
}

/** Splits a command tag, `INSERT 0 2`, into the command and the number of rows. */
export function readCommandTag(tag: string): { command: string; rowCount: number | null } {
  const match = /^(\D*?)(?: \d+)?(?: (\d+))$/.exec(tag);
  if (match === null) return { command: tag, rowCount: null };
  return { command: (match[1] ?? tag).trim(), rowCount: Number(match[2]) };
}
