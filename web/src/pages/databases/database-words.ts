/** The words for the states and the limits of databases, and the statements that make a role which only reads. */
import type { Database } from "../../api/types.generated.ts";
import { count } from "../../ui/amounts.ts";
import type { Tone } from "../../ui/badge.tsx";

export const KIND_WORDS: Readonly<Record<Database["kind"], string>> = { postgres: "Postgres" };

export const STATUS_WORDS: Readonly<Record<Database["status"], { readonly word: string; readonly tone: Tone }>> = {
  unchecked: { word: "Not checked", tone: "warn" },
  ready: { word: "Ready", tone: "good" },
  rejected: { word: "Rejected", tone: "danger" },
};

type Settings = Pick<
  Database,
  "tls" | "schemas" | "tables" | "columns" | "functions" | "samples" | "max_rows" | "timeout_s"
>;

/** The settings in one line. */
export function describeSettings(settings: Settings): string {
  const { tls, schemas, tables, columns, functions = [], samples, max_rows: rows, timeout_s: seconds } = settings;
  const parts = [
    tls === "require" ? "TLS" : "without TLS",
    schemas === undefined ? "every schema" : `schemas ${schemas.join(", ")}`,
    tables?.allow === undefined ? "every table" : `${many(tables.allow.length, "table")} allowed`,
    ...listed(tables?.deny, "table", "denied"),
    ...listed(columns?.deny, "column", "denied"),
    ...listed(functions, "function", "allowed"),
    ...(samples === true ? ["with sample values"] : []),
    ...(Number.isFinite(rows) ? [many(rows, "row")] : []),
    ...(Number.isFinite(seconds) ? [`${seconds} s`] : []),
  ];
  return parts.join(" · ");
}

/** Whether values of its columns reach the language model with a question. */
export function describeSamples({ samples }: Pick<Database, "samples">): string {
  return samples === true ? "Read for questions in plain language" : "Not read";
}

function listed(entries: readonly string[] | undefined, thing: string, what: string): string[] {
  return entries === undefined || entries.length === 0 ? [] : [`${many(entries.length, thing)} ${what}`];
}

function many(number: number, thing: string): string {
  return `${count(number)} ${thing}${number === 1 ? "" : "s"}`;
}

/** The statements that make a role which only reads these schemas. */
export function makeGrantExample(schemas: readonly string[]): string {
  const names = (schemas.length === 0 ? ["public"] : schemas).map(quoteName);
  return [
    "create role reader login password '…';",
    ...names.flatMap((schema) => [
      `grant usage on schema ${schema} to reader;`,
      `grant select on all tables in schema ${schema} to reader;`,
      `alter default privileges in schema ${schema} grant select on tables to reader;`,
    ]),
    "-- Up to Postgres 14, every role may create objects in public:",
    "revoke create on schema public from public;",
  ].join("\n");
}

function quoteName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
