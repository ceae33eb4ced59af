/** An app that works: what it stores for an account, and what its actions do with it. */

import { getOwn } from "../../../core/base/own-field.ts";
import type { FileStorage } from "../file-storage.ts";

/** The arguments of a call, as its schema describes them. */
export type Given = Readonly<Record<string, unknown>>;

/** What an action did: data, or the status with which the app refused. */
export type Done =
  | { readonly data: Readonly<Record<string, unknown>> }
  | { readonly status: number; readonly message: string };

export interface WorkingAction<State> {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** JSON schemas by name. */
  readonly parameters: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  /** `now` in milliseconds since the epoch. */
  readonly run: (given: Given, state: State, now: number, storage: Pick<FileStorage, "find" | "link">) => Done;
}

export interface WorkingApp<State = unknown> {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly scopes: readonly string[];
  readonly actions: readonly WorkingAction<State>[];
  /** What a new account has. */
  readonly begin: (now: number) => State;
}

export const READS = ["readOnlyHint", "idempotentHint"];
export const DELETES = ["destructiveHint", "idempotentHint"];
export const CHANGES = ["idempotentHint"];

export const text = (description: string): object => ({ type: "string", description });
export const texts = (description: string): object => ({ type: "array", items: { type: "string" }, description });
export const count = (description: string, fallback: number): object => ({
  type: "integer",
  minimum: 1,
  maximum: 100,
  default: fallback,
  description,
});

/** A file that is uploaded before the call. */
export const upload = (description: string): object => ({
  type: "object",
  title: "FileUploadable",
  description,
  file_uploadable: true,
  properties: { name: text("Name."), mimetype: text("Type."), s3key: text("Key of the uploaded file.") },
  required: ["name", "mimetype", "s3key"],
});

/** A text argument; empty if it is absent. */
export function readText(given: Given, name: string): string {
  const value = getOwn(given, name);
  return typeof value === "string" ? value : "";
}

/** A list of texts; a single text counts as one. */
export function readTexts(given: Given, name: string): string[] {
  const value = getOwn(given, name);
  if (typeof value === "string") return value === "" ? [] : [value];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

export function readCount(given: Given, name: string, fallback: number): number {
  const value = getOwn(given, name);
  return typeof value === "number" && Number.isInteger(value) && value >= 1 ? Math.min(value, 100) : fallback;
}

export const notFound = (what: string): Done => ({ status: 404, message: `${what} not found` });

/** True if every word of the query is in one of the texts. An empty query finds everything. */
export function isFound(query: string, ...places: readonly string[]): boolean {
  const all = places.join(" ").toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** Hides the type of an app's state, which only its own actions read. */
export function defineApp<State>(app: WorkingApp<State>): WorkingApp {
  return app as WorkingApp;
}
