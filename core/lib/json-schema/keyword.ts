/** What the compiler of one keyword is given, and how it says that the schema itself is wrong. */
import { getOwn } from "../../base/own-field.ts";
import type { Pattern } from "../patterns.ts";
import type { SchemaNode } from "./run.ts";

/** A schema as an object, as it was written. */
export type RawSchema = Readonly<Record<string, unknown>>;

/** The place of a keyword in the making: the schema that holds it, and the way to the schemas inside. */
export interface KeywordContext {
  readonly schema: RawSchema;
  /** Where `schema` stands. */
  readonly pointer: string;
  readonly node: SchemaNode;
  /** The schema at `pointer` below this one, for a part of the value. */
  child(raw: unknown, pointer: string): SchemaNode;
  /** The same, for the value that this one is held against. */
  inPlace(raw: unknown, pointer: string): SchemaNode;
  /** What `$ref` names, for the same value. */
  refer(reference: string): SchemaNode;
  /** The compiled form of a pattern that stands at `pointer` of the whole schema. */
  readonly pattern: (source: string, pointer: string) => Pattern;
}

/** Why a schema is no schema. `compileSchema` makes a failure of it. */
export class SchemaFault extends Error {
  override readonly name = "SchemaFault";
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is RawSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A keyword's value as a number of things; undefined: the keyword is not there. */
export function readCount(context: KeywordContext, keyword: string): number | undefined {
  const value = getOwn(context.schema, keyword);
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  throw new SchemaFault(`${context.pointer}/${keyword}`, "expected a whole number from 0 on");
}

/** A keyword's value as a number; undefined: the keyword is not there. */
export function readNumber(context: KeywordContext, keyword: string): number | undefined {
  const value = getOwn(context.schema, keyword);
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new SchemaFault(`${context.pointer}/${keyword}`, "expected a number");
}

/** A keyword's value as a list of texts; undefined: the keyword is not there. */
export function readNames(value: unknown, pointer: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
  throw new SchemaFault(pointer, "expected a list of names");
}

/** A keyword's value as an object; undefined: the keyword is not there. */
export function readObject(value: unknown, pointer: string): RawSchema | undefined {
  if (value === undefined || isObject(value)) return value;
  throw new SchemaFault(pointer, "expected an object");
}

/** A keyword's value as a list that is not empty; undefined: the keyword is not there. */
export function readList(value: unknown, pointer: string): readonly unknown[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.length > 0) return value as unknown[];
  throw new SchemaFault(pointer, "expected a list that is not empty");
}
