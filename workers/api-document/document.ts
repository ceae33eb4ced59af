/**
 * Builds the OpenAPI 3.1 document from the app's routes. zod converts the schemas: OpenAPI 3.1 uses JSON Schema
 * 2020-12 as it is (https://spec.openapis.org/oas/v3.1.0#schema-object).
 */
import type { RouteConfig } from "@hono/zod-openapi";
import { z } from "zod";
import { middlewareAnswers } from "../http/answers.ts";
import { CHANNEL_NAMES, CHANNELS } from "../channels/channels.ts";
import type { App } from "../http/context.ts";
import { taskChangeSchema, webhookSchemas } from "../http/event-schemas.ts";
import { addDiscriminators, nameEnums, toReference } from "./names.ts";
import { addExamples, type Examples, mapValues } from "./examples.ts";

type Json = Record<string, unknown>;

/** The document as plain JSON. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: OpenApiOperation }>>;
  readonly components: Json;
}

/** One method of one path. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Json[];
  readonly parameters: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Json };
  readonly responses: Readonly<Record<string, Json>>;
}

/** A parameter in the path, the query or the headers. */
export interface OpenApiParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Json;
}

/** Every POST with a key accepts it: authentication handles it before the route. */
const IDEMPOTENCY_KEY: OpenApiParameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "Makes the request safe to repeat for 24 hours: the same key and body get the same reply.",
  schema: { type: "string", minLength: 1, maxLength: 256, pattern: "^[\\x20-\\x7e]*$" },
};

const PERSON = {
  name: "person",
  label: "A person",
  hint: "A person's name or id; uses the person's preferred channel",
};

/** Components whose schemas accept any text, because only this layer knows the channels. A handler checks the name. */
const LISTED: Readonly<Record<string, Json>> = {
  DeliveryChannel: { enum: CHANNEL_NAMES },
  DeliveryTarget: {
    oneOf: [PERSON, ...CHANNELS.values()].map(({ name, label, hint }) => {
      return { const: name, title: label, description: hint };
    }),
  },
};

/** Components by name. */
type Schemas = Map<string, unknown>;

/** Builds the document of an app whose routes are all registered. */
export function buildOpenApiDocument(app: App, info: OpenApiDocument["info"]): OpenApiDocument {
  const schemas: Schemas = new Map();
  const paths = new Map<string, [method: string, operation: OpenApiOperation][]>();
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== "route") continue;
    const { route } = definition;
    const operations = paths.get(route.path) ?? [];
    paths.set(route.path, [...operations, [route.method, toOperation(route, schemas)]]);
  }
  toSchema(taskChangeSchema, "output", schemas);
  for (const [name, values] of Object.entries(LISTED)) schemas.set(name, { type: "string", ...values });
  const key = {
    type: "http",
    scheme: "bearer",
    description:
      "An API key: `Authorization: Bearer otto_…`. A browser that signed in with `POST /v1/session` sends its cookie instead.",
  };
  const webhooks = Object.fromEntries(
    Array.from(webhookSchemas, ([type, schema]) => [
      type,
      { post: toWebhookOperation(type, toSchema(schema, "output", schemas)) },
    ]),
  );
  const listed = Object.fromEntries(Array.from(paths, ([path, operations]) => [path, Object.fromEntries(operations)]));
  const enums = new Map<string, unknown>();
  const named = nameEnums({ paths: listed, webhooks, schemas: Object.fromEntries(schemas) }, enums) as NamedParts;
  const all = new Map([...Object.entries(named.schemas), ...enums]);
  const complete = addDiscriminators({ ...named, schemas: Object.fromEntries(all) }, all) as NamedParts;
  const examples: Examples = new Map();
  const addTo = <T extends OpenApiOperation>(operation: T) => addExamples(operation, complete.schemas, examples);
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: "/", description: "The system that serves this document." }],
    paths: mapValues(complete.paths, (operations) => mapValues(operations, addTo)),
    webhooks: mapValues(complete.webhooks, ({ post }) => ({ post: addTo(post) })),
    components: { schemas: complete.schemas, examples: Object.fromEntries(examples), securitySchemes: { key } },
  };
}

type NamedParts = Pick<OpenApiDocument, "paths" | "webhooks"> & { readonly schemas: Json };

/** Describes a webhook that an endpoint receives (https://www.standardwebhooks.com). */
function toWebhookOperation(type: string, schema: Json): OpenApiOperation {
  const header = (name: string, description: string) => {
    return { name, in: "header", required: true, description, schema: { type: "string" } };
  };
  return {
    operationId: `webhooks.${type.replace(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: ["Webhooks"],
    summary: `Receive ${type}`,
    security: [],
    parameters: [
      header("webhook-id", "The id of the delivery. Every attempt has the same id."),
      header("webhook-timestamp", "The time of this attempt, in seconds since 1970."),
      header(
        "webhook-signature",
        "One or more signatures, separated by spaces: `v1,` and the base64 of an HMAC-SHA-256.",
      ),
    ],
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: {
      "2XX": { description: "Received. After any other status, the delivery is retried." },
      "410": { description: "Disables the endpoint." },
    },
  };
}

function toOperation(route: RouteConfig, schemas: Schemas): OpenApiOperation {
  const { request } = route;
  const body = request?.body;
  return {
    operationId: route.operationId ?? "",
    tags: route.tags ?? [],
    summary: route.summary ?? "",
    ...(route.description === undefined ? {} : { description: route.description }),
    security: route.security ?? [],
    parameters: [
      ...toParameters(request?.params, "path", schemas),
      ...toParameters(request?.query, "query", schemas),
      ...(Array.isArray(request?.headers) ? request.headers : [request?.headers]).flatMap((part) =>
        toParameters(part, "header", schemas),
      ),
      ...(route.method === "post" && (route.security ?? []).length > 0 ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body === undefined
      ? {}
      : { requestBody: { required: body.required ?? false, content: toContent(body.content, "input", schemas) } }),
    responses: Object.fromEntries(
      Object.entries({ ...middlewareAnswers(route), ...route.responses }).map(([status, response]) => {
        const { content, ...rest } = response as { content?: Json };
        return [status, content === undefined ? rest : { ...rest, content: toContent(content, "output", schemas) }];
      }),
    ),
  };
}

function toContent(content: Json, io: "input" | "output", schemas: Schemas): Json {
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => {
      const { schema, ...rest } = media as { schema: unknown };
      return [type, { ...rest, schema: toSchema(schema, io, schemas) }];
    }),
  );
}

function toParameters(part: unknown, where: string, schemas: Schemas): OpenApiParameter[] {
  if (!isZod(part)) return [];
  const { properties = {}, required = [] } = toSchema(part, "input", schemas) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    ...(typeof description === "string" ? { description } : {}),
    schema,
  }));
}

/**
 * Converts a zod schema to JSON Schema. A schema with `meta({ id })` becomes a component. Any other value is returned
 * as it is.
 */
function toSchema(schema: unknown, io: "input" | "output", schemas: Schemas): Json {
  if (!isZod(schema)) return schema as Json;
  const {
    $schema: _,
    $defs = {},
    ...converted
  } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json & { $defs?: Json };
  const named = Object.entries($defs).filter(([name]) => !isAnonymous(name));
  for (const [name, definition] of named) setOnce(schemas, name, resolveReferences(removeId(definition)));
  const { id } = converted;
  if (typeof id === "string" && schema.meta()?.id === id) {
    setOnce(schemas, id, resolveReferences(removeId(converted)));
    return { $ref: `#/components/schemas/${id}` };
  }
  return resolveReferences(converted) as Json;
}

/** Adds a component. A name has one shape: a schema that differs as input and as output needs two names. */
function setOnce(schemas: Schemas, name: string, schema: unknown): void {
  const known = schemas.get(name);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`two schemas of the API have the name ${name}`);
  schemas.set(name, schema);
}

/**
 * Points references at the document's components. zod gives generated names (`__schema0`) only to schemas that refer
 * to themselves. The API has one of those: any JSON value, which is the empty schema.
 */
function resolveReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolveReferences);
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value && typeof value.$ref === "string") {
    const name = value.$ref.split("/").at(-1) ?? "";
    return isAnonymous(name) || value.$ref === "#" ? {} : { ...value, $ref: toReference(name) };
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolveReferences(inner)]));
}

function removeId(definition: unknown): unknown {
  const { id: _, $schema: __, ...rest } = definition as Json;
  return rest;
}

function isAnonymous(name: string): boolean {
  return name.startsWith("__schema");
}

function isZod(value: unknown): value is z.ZodType {
  return typeof value === "object" && value !== null && "safeParse" in value;
}
