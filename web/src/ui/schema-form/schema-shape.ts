/**
 * What a JSON Schema (2020-12, and what earlier drafts share with it) asks for, as the fields of a form. A schema may come
 * from anybody: references and branches are followed a bounded way, none of its patterns is ever run, and what no field
 * can hold is a box of JSON. Nothing here judges a value: the API does.
 */
import { isJson, sameJson } from "./json-value.ts";
import { isSchema, resolved, type Schema } from "./schema-resolve.ts";

/** A member of an object, or a way to fill a value. */
export interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

export interface Option {
  readonly label: string;
  readonly value: unknown;
}

export interface Branch {
  readonly label: string;
  readonly schema: Schema;
}

export type Shape =
  | { readonly kind: "text"; readonly format: string | null; readonly least: number; readonly most: number }
  | { readonly kind: "number"; readonly isWhole: boolean; readonly least: number; readonly most: number }
  | { readonly kind: "flag" }
  | { readonly kind: "choice"; readonly options: readonly Option[] }
  | { readonly kind: "nothing" }
  /** `rest` is what members of other names are; null: there are none. */
  | { readonly kind: "object"; readonly members: readonly Member[]; readonly rest: Schema | null }
  /** `first` are the items whose places have schemas of their own. */
  | { readonly kind: "list"; readonly first: readonly Schema[]; readonly rest: Schema | null; readonly most: number }
  | { readonly kind: "either"; readonly branches: readonly Branch[] }
  | { readonly kind: "json" };

export interface Field {
  readonly title: string | null;
  readonly description: string | null;
  /** What stands when nothing is given; undefined: the schema names nothing. */
  readonly usual: unknown;
  readonly isNullable: boolean;
  readonly shape: Shape;
}

type Json = Readonly<Record<string, unknown>>;

/** Schemas of one branch that lead to each other. */
const MAX_HOPS = 16;
/** Ways to fill one value. */
const MAX_BRANCHES = 60;
const JSON_BOX: Shape = { kind: "json" };

/** The field of a schema that stands somewhere inside `root`. */
export function fieldOf(root: Schema, schema: Schema, depth = 0): Field {
  const found = resolved(root, schema);
  if (found === null || typeof found === "boolean" || depth > MAX_HOPS) return field({}, JSON_BOX);
  const branches = findBranches(root, found);
  return branches === null ? field(found, ownShape(found)) : eitherField(root, found, branches, depth);
}

/** Whether the field can show the value as it is. What it cannot show is shown as JSON. */
export function shows(root: Schema, { shape, isNullable }: Field, value: unknown): boolean {
  if (value === undefined || (value === null && isNullable)) return true;
  switch (shape.kind) {
    case "text":
      return typeof value === "string";
    // What was typed and is no number stays as text, for the API to refuse.
    case "number":
      return typeof value === "number" || typeof value === "string";
    case "flag":
      return typeof value === "boolean";
    case "choice":
      return shape.options.some((option) => sameJson(option.value, value));
    case "nothing":
      return value === null;
    case "object":
      return isJson(value);
    case "list":
      return Array.isArray(value);
    case "either":
      return branchOf(root, shape.branches, value) >= 0;
    case "json":
      return true;
  }
}

/** Which of the branches a value is of: the first that fits in its members' names and fixed values; else by its kind; -1: none. */
export function branchOf(root: Schema, branches: readonly Branch[], value: unknown): number {
  const fields = branches.map(({ schema }) => fieldOf(root, schema));
  const fitting = fields.map((one) => one.shape.kind !== "either" && showsStrictly(root, one, value));
  const exact = fields.findIndex((one, index) => fitting[index] === true && fitsMembers(root, one.shape, value));
  return exact >= 0 ? exact : fitting.indexOf(true);
}

/** A number field takes what was typed; a branch of numbers takes numbers alone. */
function showsStrictly(root: Schema, one: Field, value: unknown): boolean {
  return one.shape.kind === "number" ? typeof value === "number" : shows(root, one, value);
}

/** What a value begins as when one is added. */
export function starterOf(root: Schema, schema: Schema, depth = 0): unknown {
  const { shape, usual } = fieldOf(root, schema);
  if (usual !== undefined) return usual;
  switch (shape.kind) {
    case "text":
      return "";
    case "number":
      return Number.isFinite(shape.least) ? shape.least : 0;
    case "flag":
      return false;
    case "choice":
      return shape.options[0]?.value ?? null;
    case "nothing":
    case "json":
      return null;
    case "list":
      return [];
    case "object":
      return depth < 3 ? fixedMembers(root, shape.members) : {};
    case "either": {
      const [first] = shape.branches;
      return first === undefined || depth >= 3 ? null : starterOf(root, first.schema, depth + 1);
    }
  }
}

function field(schema: Json, shape: Shape, isNullable = false): Field {
  return {
    title: textOr(schema["title"]),
    description: textOr(schema["description"]),
    usual: schema["default"],
    isNullable,
    shape,
  };
}

function eitherField(root: Schema, schema: Json, branches: readonly Schema[], depth: number): Field {
  const real = branches.filter((branch) => !isNullOnly(root, branch));
  const isNullable = real.length < branches.length;
  const [only] = real;
  if (only === undefined) return field(schema, { kind: "nothing" });
  if (real.length === 1) {
    const inner = fieldOf(root, only, depth + 1);
    const own = field(schema, inner.shape, isNullable || inner.isNullable);
    return {
      ...own,
      title: own.title ?? inner.title,
      description: own.description ?? inner.description,
      usual: own.usual === undefined ? inner.usual : own.usual,
    };
  }
  const fixed = fixedOptions(root, real);
  if (fixed !== null) return field(schema, { kind: "choice", options: fixed }, isNullable);
  const labelled = real.map((branch, index) => ({ label: formatLabel(root, branch, index), schema: branch }));
  return field(schema, { kind: "either", branches: labelled }, isNullable);
}

/** The alternatives of a schema; null without any. The API checks conditions next to members. */
function findBranches(root: Schema, schema: Json): readonly Schema[] | null {
  if (schema["enum"] !== undefined || Object.hasOwn(schema, "const") || isJson(schema["properties"])) return null;
  const { anyOf, oneOf, type } = schema;
  const listed = Array.isArray(anyOf) ? anyOf : oneOf;
  if (Array.isArray(listed)) {
    const kept = listed.filter(isSchema);
    return kept.length === listed.length && kept.length > 0 && kept.length <= MAX_BRANCHES
      ? kept.map((branch) => withType(root, branch, type))
      : [{}];
  }
  if (!Array.isArray(type)) return null;
  const { title: _title, description: _description, default: _usual, ...rest } = schema;
  return type.length === 0 || type.length > MAX_BRANCHES ? [{}] : type.map((one: unknown) => ({ ...rest, type: one }));
}

/** A branch without a type inherits that of its schema. */
function withType(root: Schema, branch: Schema, type: unknown): Schema {
  if (typeof type !== "string" || type === "object" || typeof branch === "boolean") return branch;
  const found = resolved(root, branch);
  return isJson(found) && found["type"] === undefined ? { ...found, type } : branch;
}

function ownShape(schema: Json): Shape {
  if (Object.hasOwn(schema, "const")) return { kind: "choice", options: [toOption(schema["const"])] };
  const { enum: options, type } = schema;
  if (Array.isArray(options)) return { kind: "choice", options: options.map(toOption) };
  switch (type ?? guessedType(schema)) {
    case "string":
      return {
        kind: "text",
        format: textOr(schema["format"]),
        least: numberOr(schema["minLength"], 0),
        most: numberOr(schema["maxLength"], Infinity),
      };
    case "integer":
    case "number":
      return { kind: "number", isWhole: type === "integer", ...rangeOf(schema) };
    case "boolean":
      return { kind: "flag" };
    case "null":
      return { kind: "nothing" };
    case "object":
      return objectShape(schema);
    case "array":
      return listShape(schema);
    default:
      return JSON_BOX;
  }
}

function objectShape(schema: Json): Shape {
  const properties = isJson(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const members = Object.entries(properties)
    .map(([name, inner]) => ({ name, schema: isSchema(inner) ? inner : true, isRequired: required.has(name) }))
    .filter((member) => member.schema !== false);
  const { additionalProperties: others, patternProperties } = schema;
  // Names by pattern are any names here: no pattern of a schema is run.
  if (isJson(patternProperties)) return { kind: "object", members, rest: soleSchema(patternProperties) };
  if (members.length === 0 && others === undefined) return { kind: "object", members, rest: true };
  return {
    kind: "object",
    members,
    rest: others === undefined || others === false || !isSchema(others) ? null : others,
  };
}

function soleSchema(schemas: Json): Schema {
  const [only, ...others] = Object.values(schemas);
  return others.length === 0 && isSchema(only) ? only : true;
}

function listShape(schema: Json): Shape {
  const { prefixItems, items } = schema;
  const first = (Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []).filter(isSchema);
  const rest =
    first.length > 0 && (items === undefined || Array.isArray(items)) ? null : isSchema(items) ? items : true;
  return { kind: "list", first, rest: rest === false ? null : rest, most: numberOr(schema["maxItems"], Infinity) };
}

function guessedType(schema: Json): string | null {
  if (schema["properties"] !== undefined || schema["additionalProperties"] !== undefined) return "object";
  return schema["items"] !== undefined || schema["prefixItems"] !== undefined ? "array" : null;
}

function rangeOf(schema: Json): { readonly least: number; readonly most: number } {
  return {
    least: Math.max(numberOr(schema["minimum"], -Infinity), numberOr(schema["exclusiveMinimum"], -Infinity)),
    most: Math.min(numberOr(schema["maximum"], Infinity), numberOr(schema["exclusiveMaximum"], Infinity)),
  };
}

/** Members that can have one value only, and have to be there. */
function fixedMembers(root: Schema, members: readonly Member[]): Json {
  return Object.fromEntries(
    members.flatMap(({ name, schema, isRequired }) => {
      const only = isRequired ? fixedOption(root, schema) : null;
      return only === null ? [] : [[name, only.value]];
    }),
  );
}

/** The one value that a schema allows, under the schema's title; null: it says of none. It looks into no branch. */
function fixedOption(root: Schema, schema: Schema): Option | null {
  const found = resolved(root, schema);
  if (!isJson(found)) return null;
  const { enum: listed } = found;
  const values = Object.hasOwn(found, "const") ? [found["const"]] : Array.isArray(listed) ? (listed as unknown[]) : [];
  if (values.length !== 1) return null;
  const option = toOption(values[0]);
  return { ...option, label: textOr(found["title"]) ?? option.label };
}

function fitsMembers(root: Schema, shape: Shape, value: unknown): boolean {
  if (shape.kind !== "object" || !isJson(value)) return true;
  const known = new Set(shape.members.map(({ name }) => name));
  if (shape.rest === null && Object.keys(value).some((name) => !known.has(name))) return false;
  return shape.members.every(({ name, schema, isRequired }) => {
    if (!Object.hasOwn(value, name)) return !isRequired;
    const inner = fieldOf(root, schema);
    return inner.shape.kind === "either" || shows(root, inner, value[name]);
  });
}

/** When every branch is one fixed value: the values, with the names that the branches have. */
function fixedOptions(root: Schema, branches: readonly Schema[]): readonly Option[] | null {
  const options = branches.flatMap((branch) => fixedOption(root, branch) ?? []);
  return options.length === branches.length ? options : null;
}

function isNullOnly(root: Schema, schema: Schema): boolean {
  const found = resolved(root, schema);
  return isJson(found) && found["type"] === "null";
}

const KIND_WORDS: Readonly<Record<Shape["kind"], string>> = {
  text: "Text",
  number: "A number",
  flag: "Yes or no",
  choice: "One of a few",
  nothing: "Nothing",
  object: "Several fields",
  list: "A list",
  either: "One of several",
  json: "JSON",
};

function formatLabel(root: Schema, branch: Schema, index: number): string {
  const found = resolved(root, branch);
  if (!isJson(found)) return `Way ${index + 1}`;
  const title = textOr(found["title"]);
  if (title !== null) return title;
  const shape = ownShape(found);
  const [fixed] = shape.kind === "object" ? Object.values(fixedMembers(root, shape.members)) : [];
  if (typeof fixed === "string") return fixed;
  if (shape.kind === "object" && shape.members.length > 0) {
    const named = shape.members.slice(0, 3).map(({ name }) => name);
    return `With ${named.join(", ")}`;
  }
  return KIND_WORDS[shape.kind];
}

function toOption(value: unknown): Option {
  return { label: typeof value === "string" ? value : (JSON.stringify(value) ?? "null"), value };
}

function textOr(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}
