/** A JSON Schema in words: what each field of it is, as the rows of a table. Bounded, whatever the schema. */
import { readNumber } from "../typed-number.ts";
import type { Schema } from "./schema-resolve.ts";
import { type Field, fieldOf, type Shape } from "./schema-shape.ts";

export interface SchemaRow {
  /** The dotted path; `[]` stands for each item of a list. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string | null;
  readonly usual: unknown;
}

const MAX_ROWS = 200;
const MAX_DEPTH = 4;
/** Values of a choice that are told one by one. */
const TOLD_OPTIONS = 12;

/** The fields of an object's schema, those inside others below them. */
export function schemaRows(schema: Schema): readonly SchemaRow[] {
  const rows: SchemaRow[] = [];
  addRows(schema, fieldOf(schema, schema).shape, { path: "", depth: 0 }, rows);
  return rows;
}

function addRows(
  root: Schema,
  shape: Shape,
  { path, depth }: { readonly path: string; readonly depth: number },
  rows: SchemaRow[],
): void {
  if (depth >= MAX_DEPTH) return;
  if (shape.kind === "list" && shape.rest !== null) {
    addRows(root, fieldOf(root, shape.rest).shape, { path: `${path}[]`, depth }, rows);
  }
  if (shape.kind !== "object") return;
  for (const { name, schema, isRequired } of shape.members) {
    if (rows.length >= MAX_ROWS) return;
    const inner = fieldOf(root, schema);
    const here = path === "" ? name : `${path}.${name}`;
    const { description, usual } = inner;
    rows.push({ path: here, type: fieldInWords(root, inner), isRequired, description, usual });
    addRows(root, inner.shape, { path: here, depth: depth + 1 }, rows);
  }
}

/** What a value of the field is: "text of up to 200 characters", "a list of numbers from 0 to 1". */
export function fieldInWords(root: Schema, { shape, isNullable }: Field, depth = 0): string {
  const words = shapeInWords(root, shape, depth);
  return isNullable ? `${words}, or null` : words;
}

function shapeInWords(root: Schema, shape: Shape, depth: number): string {
  switch (shape.kind) {
    case "text":
      return `${shape.format === null ? "text" : formatInWords(shape.format)}${lengthInWords(shape)}`;
    case "number":
      return `${shape.isWhole ? "whole number" : "number"}${rangeInWords(shape)}`;
    case "flag":
      return "yes or no";
    case "choice": {
      const labels = shape.options.slice(0, TOLD_OPTIONS).map(({ label }) => label.slice(0, 60));
      const more = shape.options.length - labels.length;
      return shape.options.length === 1
        ? `always ${labels[0] ?? ""}`
        : `one of ${labels.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
    }
    case "nothing":
      return "null";
    case "object":
      return shape.rest === null || shape.members.length > 0 ? "fields" : "fields of any name";
    case "list": {
      const most = Number.isFinite(shape.most) ? `up to ${shape.most} of ` : "";
      if (shape.rest === null || depth >= MAX_DEPTH) return "list";
      return `list of ${most}${fieldInWords(root, fieldOf(root, shape.rest), depth + 1)}`;
    }
    case "either":
      return `either ${shape.branches.map(({ label }) => label.slice(0, 60).toLowerCase()).join(" or ")}`;
    case "json":
      return "any JSON";
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  date: "date, such as 2026-01-31",
  "date-time": "time, such as 2026-01-31T09:00:00Z",
  time: "time of day, such as 09:00:00",
  email: "e-mail address",
  uri: "web address",
  url: "web address",
  uuid: "UUID",
  hostname: "host name",
};

/** What a text of this format looks like. */
export function formatInWords(format: string): string {
  return Object.hasOwn(FORMATS, format) ? (FORMATS[format] ?? "text") : `text (${format.slice(0, 40)})`;
}

function lengthInWords({ least, most }: { readonly least: number; readonly most: number }): string {
  if (Number.isFinite(most)) return least > 1 ? ` of ${least} to ${most} characters` : ` of up to ${most} characters`;
  return least > 1 ? ` of at least ${least} characters` : "";
}

function rangeInWords({ least, most }: { readonly least: number; readonly most: number }): string {
  const from = Number.isFinite(least) && least > Number.MIN_SAFE_INTEGER;
  const to = Number.isFinite(most) && most < Number.MAX_SAFE_INTEGER;
  if (from && to) return ` from ${least} to ${most}`;
  if (from) return ` from ${least} on`;
  return to ? ` up to ${most}` : "";
}

/** What is plainly wrong with a value, said while it is typed; null: nothing, or it is the API's to judge. */
export function plainFault({ shape }: Field, value: unknown): string | null {
  if (shape.kind === "number" && value !== undefined && value !== null) {
    if (typeof value !== "number") {
      const read = typeof value === "string" ? readNumber(value, shape) : null;
      return read?.kind === "fault" ? read.fault : "This is not a number.";
    }
    if (shape.isWhole && !Number.isInteger(value)) return "Only whole numbers.";
    if (value < shape.least) return `At least ${shape.least}.`;
    return value > shape.most ? `At most ${shape.most}.` : null;
  }
  if (shape.kind === "text" && typeof value === "string" && value.length > shape.most)
    return `${value.length - shape.most} characters too long.`;
  if (shape.kind === "list" && Array.isArray(value) && value.length > shape.most) return `At most ${shape.most}.`;
  return null;
}
