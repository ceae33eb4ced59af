/** The context of one keyword's compiler, and its error for an invalid schema. */
import { getOwn } from "../../base/own-field.ts";
import type { Pattern } from "../patterns.ts";
import type { SchemaNode } from "./run.ts";

/** A schema object as written. */
export type RawSchema = Readonly<Record<string, unknown>>;

/** The location of a keyword: its schema, and the functions that compile inner schemas. */
export interface KeywordContext {
  readonly schema: RawSchema;
  /** The location of `schema`. */
  readonly pointer: string;
  readonly node: SchemaNode;
  /** The schema at `pointer` below this one, for a part of the value. */
  child(raw: unknown, pointer: string): SchemaNode;
  /** The same, for the same value. */
  inPlace(raw: unknown, pointer: string): SchemaNode;
  /** The target of `$ref`, for the same value. */
  refer(reference: string): SchemaNode;
  /** Compiles a pattern at `pointer` of the whole schema. */
  readonly pattern: (source: string, pointer: string) => Pattern;
}

/** Why a schema is invalid. `compileSchema` converts it to a failure. */
export class SchemaFault extends Error {
  override readonly name = "SchemaFault";
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

/** True for a JSON object. */
export function isObject(value: unknown): value is RawSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a keyword as a count; undefined if absent. */
export function readCount(context: KeywordContext, keyword: string): number | undefined {
  const value = getOwn(context.schema, keyword);
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  throw new SchemaFault(`${context.pointer}/${keyword}`, "expected a whole number from 0 on");
}

/** Reads a keyword as a number; undefined if absent. */
export function readNumber(context: KeywordContext, keyword: string): number | undefined {
  const value = getOwn(context.schema, keyword);
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new SchemaFault(`${context.pointer}/${keyword}`, "expected a number");
}

/** Reads a keyword as a list of texts; undefined if absent. */
export function readNames(value: unknown, pointer: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
  throw new SchemaFault(pointer, "expected a list of names");
}

/** Reads a keyword as an object; undefined if absent. */
export function readObject(value: unknown, pointer: string): RawSchema | undefined {
  if (value === undefined || isObject(value)) return value;
  throw new SchemaFault(pointer, "expected an object");
}

/** Reads a keyword as a non-empty list; undefined if absent. */
export function readList(value: unknown, pointer: string): readonly unknown[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.length > 0) return value as unknown[];
  throw new SchemaFault(pointer, "expected a list that is not empty");
}
