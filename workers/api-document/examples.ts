/**
 * Examples for the document: one for each JSON body of a request and of a success. A reply's example is built from
 * its schema, the values of workers/api-document/example-requests.ts and example-values.ts, and the fields of its request. Each is a
 * component, since many operations return the same type. test/workerd/http/api-examples.test.ts checks each against
 * its schema.
 */
import { getOwn } from "../../core/base/own-field.ts";
import { REQUESTS } from "./example-requests.ts";
import { FIELDS, FORMATS, TEXTS } from "./example-values.ts";

type Json = Record<string, unknown>;

/** Depth at which a recursive component ends. */
const MAX_DEPTH = 12;
const REFERENCE = "#/components/schemas/";

/** The parts of an operation that are read and written. */
interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly required: boolean; readonly content: Json };
  readonly responses: Readonly<Record<string, Json>>;
}

/** Examples by their names in the document. */
export type Examples = Map<string, { readonly value: unknown }>;

/** Returns the operation with an example for each body. Adds the examples to `examples`. */
export function addExamples<T extends Operation>(operation: T, schemas: Json, examples: Examples): T {
  const addTo = (content: Json, part: string): Json => {
    const entries = Object.entries(content).map(([type, media]) => {
      const example = findExample(type, media as Json, `${operation.operationId}.${part}`);
      return [type, example === null ? media : { ...(media as Json), examples: { example } }];
    });
    return Object.fromEntries(entries) as Json;
  };
  const findExample = (type: string, { schema }: Json, ownName: string): Json | null => {
    const text = TEXTS[type];
    if (type !== "application/json") return text === undefined || isBytes(schema) ? null : { value: text };
    const name = getName(schema as Json) ?? ownName;
    const start = { owner: "", field: "", depth: 0 };
    if (!examples.has(name)) examples.set(name, { value: makeValue(schema as Json, start, schemas) });
    return { $ref: `#/components/examples/${name}` };
  };
  const { requestBody, responses } = operation;
  return {
    ...operation,
    ...(requestBody === undefined
      ? {}
      : { requestBody: { ...requestBody, content: addTo(requestBody.content, "request") } }),
    responses: mapValues(responses, (response, status) =>
      response["content"] === undefined || !status.startsWith("2")
        ? response
        : { ...response, content: addTo(response["content"] as Json, "reply") },
    ),
  };
}

export function mapValues<In, Out>(
  of: Readonly<Record<string, In>>,
  change: (value: In, name: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value, name)]));
}

function isBytes(schema: unknown): boolean {
  return (schema as Json)["format"] === "binary";
}

/** The position of a value: the component or field that contains it, its own field, and its depth. */
interface Position {
  readonly owner: string;
  readonly field: string;
  readonly depth: number;
}

function makeValue(schema: Json, place: Position, schemas: Json): unknown {
  const own = FIELDS[`${place.owner}.${place.field}`];
  const known = own === undefined ? FIELDS[place.field] : own;
  if (known !== undefined && admits(schema, known, schemas)) return known;
  const component = getName(schema);
  if (component !== null) return makeComponent(component, place, schemas);
  if ("const" in schema) return schema["const"];
  if ("default" in schema) return schema["default"];
  const [first] = (schema["enum"] ?? []) as unknown[];
  if (first !== undefined) return first;
  const [member] = (schema["anyOf"] ?? schema["oneOf"] ?? []) as Json[];
  if (member !== undefined) return makeValue(member, place, schemas);
  return makePlain(schema, place, schemas);
}

function makeComponent(component: string, place: Position, schemas: Json): unknown {
  const request = getOwn(REQUESTS, component);
  if (request !== undefined) return request;
  const value = makeValue(
    getOwn(schemas, component) as Json,
    { owner: component, field: "", depth: place.depth + 1 },
    schemas,
  );
  const sent = getOwn(REQUESTS, `${component}Input`);
  return sent === undefined ? value : copySentFields(value as Json, sent as Json);
}

/** Copies the texts and lists of the request into the reply. */
function copySentFields(value: Json, sent: Json): Json {
  const same = Object.entries(sent).filter(
    ([field, one]) => Object.hasOwn(value, field) && (typeof one === "string" || Array.isArray(one)),
  );
  return { ...value, ...Object.fromEntries(same) };
}

function makePlain(schema: Json, place: Position, schemas: Json): unknown {
  switch (getType(schema)) {
    case "object": {
      const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] };
      const fields = Object.entries(properties).filter(([field]) => required.includes(field));
      const owner = place.field === "" ? place.owner : place.field;
      return Object.fromEntries(
        fields.map(([field, part]) => [field, makeValue(part, { owner, field, depth: place.depth + 1 }, schemas)]),
      );
    }
    case "array": {
      const items = schema["items"] as Json | undefined;
      if (items === undefined || place.depth > MAX_DEPTH) return [];
      return [makeValue(items, { ...place, depth: place.depth + 1 }, schemas)];
    }
    case "integer":
    case "number":
      return Math.max(1, Number(schema["minimum"] ?? 1));
    case "boolean":
      return false;
    case "string":
      return getOwn(FORMATS, String(schema["format"])) ?? "example";
    case "null":
      return null;
    default:
      return {};
  }
}

/** Whether a value of FIELDS has the schema's type: two fields of one name may differ. */
function admits(schema: Json, value: unknown, schemas: Json): boolean {
  const name = getName(schema);
  if (name !== null) return admits(getOwn(schemas, name) as Json, value, schemas);
  const members = (schema["anyOf"] ?? schema["oneOf"]) as Json[] | undefined;
  if (members !== undefined) return members.some((member) => admits(member, value, schemas));
  if ("const" in schema) return false;
  if (Array.isArray(schema["enum"])) return schema["enum"].includes(value);
  const { type } = schema;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  if (value === null) return types.includes("null");
  if (Array.isArray(value))
    return types.includes("array") && value.every((item) => admits((schema["items"] ?? {}) as Json, item, schemas));
  return types.includes(Number.isInteger(value) ? "integer" : typeof value) || types.includes(typeof value);
}

function getName(schema: Json): string | null {
  const { $ref } = schema;
  return typeof $ref === "string" ? $ref.slice(REFERENCE.length) : null;
}

/** Returns the first type of a schema: a nullable field gets a value. */
function getType({ type }: Json): unknown {
  return Array.isArray(type) ? type[0] : type;
}
