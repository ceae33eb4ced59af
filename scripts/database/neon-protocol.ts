/**
 * Neon's SQL-over-HTTP protocol, as `@neondatabase/serverless` speaks it: what a request says, and how a reply is written.
 * https://github.com/neondatabase/serverless (httpQuery.ts)
 */
import type { IncomingHttpHeaders } from "node:http";
import { getOwn } from "../../core/base/own-field.ts";
import {
  ERROR_FIELDS,
  type PostgresFailure,
  type Statement,
  type StatementResult,
  type TransactionOptions,
} from "./sql-backend.ts";

const ISOLATION: Readonly<Record<string, TransactionOptions["isolation"]>> = {
  ReadUncommitted: "READ UNCOMMITTED",
  ReadCommitted: "READ COMMITTED",
  RepeatableRead: "REPEATABLE READ",
  Serializable: "SERIALIZABLE",
};

export interface NeonRequest {
  readonly statements: readonly Statement[];
  /** A batch is answered with a list of results, a single query with its result. */
  readonly batch: boolean;
  readonly arrayMode: boolean;
  readonly options: Omit<TransactionOptions, "role">;
}

/** A request that is not of the protocol; the message is for the caller. */
export class MalformedRequest extends Error {
  override readonly name = "MalformedRequest";
}

/** Reads the user and the password of the `Neon-Connection-String` header; null without one. */
export function readCredentials(headers: IncomingHttpHeaders): { user: string; password: string } | null {
  const text = headers["neon-connection-string"];
  const url = typeof text === "string" ? URL.parse(text) : null;
  if (url === null) return null;
  try {
    return { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  } catch {
    return null;
  }
}

/** Reads a request. Throws `MalformedRequest`. */
export function readRequest(headers: IncomingHttpHeaders, body: string): NeonRequest {
  if (headers["neon-raw-text-output"] !== "true") throw new MalformedRequest("Neon-Raw-Text-Output must be true");
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw new MalformedRequest("the body is not JSON");
  }
  const queries = isRecord(parsed) ? parsed["queries"] : undefined;
  const batch = queries !== undefined;
  const named = headers["neon-batch-isolation-level"];
  const isolation = named === undefined ? null : getOwn(ISOLATION, String(named));
  if (isolation === undefined) throw new MalformedRequest(`unknown isolation level ${String(named)}`);
  return {
    statements: batch ? asList(queries, "queries").map(readStatement) : [readStatement(parsed)],
    batch,
    arrayMode: headers["neon-array-mode"] === "true",
    options: {
      isolation,
      readOnly: headers["neon-batch-read-only"] === "true",
      deferrable: headers["neon-batch-deferrable"] === "true",
    },
  };
}

/** The body of a reply that succeeded. */
export function writeResults(request: NeonRequest, results: readonly StatementResult[]): string {
  const written = results.map((result) => ({
    command: result.command,
    rowCount: result.rowCount,
    rowAsArray: request.arrayMode,
    fields: result.fields.map((field) => ({
      name: field.name,
      tableID: field.tableID,
      columnID: field.columnID,
      dataTypeID: field.dataTypeID,
      dataTypeSize: field.dataTypeSize,
      dataTypeModifier: field.dataTypeModifier,
      format: "text",
    })),
    rows: request.arrayMode ? result.rows : result.rows.map((row) => asObject(result, row)),
  }));
  return JSON.stringify(request.batch ? { results: written } : written[0]);
}

/** The body of a reply of status 400 to a statement that Postgres refused. */
export function writeFailure(failure: PostgresFailure): string {
  const fields = Object.fromEntries(ERROR_FIELDS.map((name) => [name, failure.fields[name]]));
  return JSON.stringify({ message: failure.message, ...fields });
}

function asObject(result: StatementResult, row: readonly (string | null)[]): Record<string, string | null> {
  return Object.fromEntries(result.fields.map((field, index) => [field.name, row[index] ?? null]));
}

function readStatement(value: unknown): Statement {
  if (!isRecord(value) || typeof value["query"] !== "string") throw new MalformedRequest("query must be a string");
  const { query, params } = value as { query: string; params?: unknown };
  refuseSessionControl(query);
  return { query, params: asList(params ?? [], "params").map(readParameter) };
}

/** The driver sends text and null; other scalars are taken as their text, and objects as JSON. */
function readParameter(value: unknown): string | null {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return JSON.stringify(value);
}

/**
 * Each request is one transaction in one role, so a statement that ends the transaction or changes the role is refused:
 * what follows it in a batch would run as the connection's own user, whom row-level security may not bind.
 */
function refuseSessionControl(query: string): void {
  const start = query.replace(/^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, "");
  const word =
    /^(?:begin|start|commit|end|rollback|abort|savepoint|release|prepare|discard|reset|set(?!\s+(?:local\s+(?!role\b|session\b)|constraints\b)))\b/i.exec(
      start,
    );
  if (word !== null) {
    throw new MalformedRequest(
      `${word[0].toUpperCase()} is not for this connection: each request is one transaction in one role`,
    );
  }
}

function asList(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw new MalformedRequest(`${name} must be a list`);
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
