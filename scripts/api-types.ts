/**
 * Writes `web/src/api/types.generated.ts`: the API's types for the console, from the OpenAPI document that the Worker
 * serves, in the form that openapi-fetch reads; and the words of the channels in `channels.generated.ts`. With `--check`
 * it writes nothing and fails when a file is stale.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readApiDocument } from "./api-document.ts";

const ROOT = join(import.meta.dirname, "..");
const TYPES_PATH = "web/src/api/types.generated.ts";
const CHANNELS_PATH = "web/src/api/channels.generated.ts";

/** A schema of JSON Schema 2020-12, as far as the document uses it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly title?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly description?: string;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Operation {
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** What is read of the document that `/openapi.json` serves. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The source of the types: one exported type for each named schema that an operation uses, and `paths` with every operation. */
export function renderTypes({ paths, components }: ApiDocument): string {
  const used = namesWithin(paths, new Map(Object.entries(components.schemas)));
  const schemas = Object.entries(components.schemas)
    .filter(([name]) => used.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = [
    "/** The API's types. Written by `npm run api-types` from the Worker's OpenAPI document; not edited by hand. */",
    "",
    ...schemas.map(([name, schema]) => `${writeDoc(schema.description)}export type ${name} = ${writeType(schema)};\n`),
    "/** Every path with its methods: what each takes and answers. */",
    "export interface paths {",
    ...Object.entries(paths)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, methods]) => `  ${JSON.stringify(path)}: {\n${writeMethods(methods)}  };`),
    "}",
    "",
  ];
  return lines.join("\n");
}

/** The named schemas that operations refer to, also through others. The console reads no webhook. */
function namesWithin(paths: ApiDocument["paths"], schemas: ReadonlyMap<string, Schema>): ReadonlySet<string> {
  const names = new Set<string>();
  const collect = (part: unknown): void => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (names.has(name)) continue;
      names.add(name);
      collect(schemas.get(name));
    }
  };
  collect(paths);
  return names;
}

function writeMethods(methods: Readonly<Record<string, Operation>>): string {
  return Object.entries(methods)
    .map(([method, operation]) => {
      const { requestBody } = operation;
      const body =
        requestBody === undefined
          ? ""
          : ` requestBody${requestBody.required ? "" : "?"}: { content: ${writeContent(requestBody.content)} };`;
      const responses = Object.entries(operation.responses).map(([status, { content }]) => {
        const shown = content === undefined ? "content?: never" : `content: ${writeContent(content)}`;
        return `${status}: { ${shown} }`;
      });
      return `    ${writeDoc(operation.summary)}    ${method}: { parameters: ${writeParameters(operation)};${body} responses: { ${responses.join("; ")} } };\n`;
    })
    .join("");
}

function writeParameters({ parameters }: Operation): string {
  const places = ["query", "path"].map((place) => {
    const fields = parameters.filter((parameter) => parameter.in === place);
    if (fields.length === 0) return `${place}?: never`;
    const optional = fields.every(({ required }) => !required) ? "?" : "";
    return `${place}${optional}: { ${fields.map(({ name, required, schema }) => writeField(name, required, schema)).join("; ")} }`;
  });
  return `{ ${places.join("; ")} }`;
}

function writeContent(content: Content): string {
  const types = Object.entries(content).map(([type, { schema }]) => {
    // Bytes are whatever fetch takes and gives as a body.
    const shown = schema === undefined || !/json/.test(type) ? "string | Blob" : writeType(schema);
    return `${JSON.stringify(type)}: ${shown}`;
  });
  return `{ ${types.join("; ")} }`;
}

function writeField(name: string, isRequired: boolean, schema: Schema): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  // A key with the value undefined is not sent, so callers may pass it.
  const type = writeType(schema);
  if (isRequired) return `${key}: ${type}`;
  return type === "unknown" ? `${key}?: unknown` : `${key}?: ${type} | undefined`;
}

/** The type of a value that a schema admits. */
function writeType(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//, "");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return union(variants.map(writeType));
  if (schema.allOf !== undefined) return schema.allOf.map(writeType).join(" & ");
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  return types.length === 0 ? "unknown" : union(types.map((type) => writePlainType(type, schema)));
}

function writePlainType(type: string, schema: Schema): string {
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "array":
      if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map(writeType).join(", ")}]`;
      return schema.items === undefined ? "unknown[]" : `(${writeType(schema.items)})[]`;
    case "object": {
      const { properties = {}, required = [], additionalProperties: rest } = schema;
      const fields = Object.entries(properties).map(([name, value]) =>
        writeField(name, required.includes(name), value),
      );
      const isOpen = rest === true || typeof rest === "object";
      if (fields.length > 0) return `{ ${[...fields, ...(isOpen ? ["[field: string]: unknown"] : [])].join("; ")} }`;
      const value = typeof rest === "object" ? writeType(rest) : rest === false ? "never" : "unknown";
      const names = schema.propertyNames?.$ref === undefined ? null : writeType(schema.propertyNames);
      return names === null ? `Record<string, ${value}>` : `Partial<Record<${names}, ${value}>>`;
    }
    default:
      return type;
  }
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

function writeDoc(text: string | undefined): string {
  return text === undefined ? "" : `/** ${text.replaceAll("*/", "* /")} */\n`;
}

/** The words of the channels, which the forms of the console show. */
function renderChannels({ components }: ApiDocument): string {
  const words = (components.schemas["DeliveryTarget"]?.oneOf ?? []).map(
    ({ const: name, title, description }) => `  ${JSON.stringify({ name, label: title, hint: description })},`,
  );
  return [
    "/** Where something can be sent. Written by `npm run api-types` from the OpenAPI document; not edited by hand. */",
    "export const DELIVERY_TARGETS = [",
    ...words,
    "] as const;",
    "",
  ].join("\n");
}

function write(path: string, source: string): void {
  writeFileSync(join(ROOT, path), source);
  console.log(`Wrote ${path}.`);
}

function check(path: string, source: string): void {
  const file = join(ROOT, path);
  if (existsSync(file) && readFileSync(file, "utf8") === source) return;
  console.error(`${path} is stale: run \`npm run api-types\`.`);
  process.exitCode = 1;
}

if (import.meta.main) {
  const act = process.argv.includes("--check") ? check : write;
  const document = JSON.parse(readApiDocument()) as ApiDocument;
  act(TYPES_PATH, renderTypes(document));
  act(CHANNELS_PATH, renderChannels(document));
}
