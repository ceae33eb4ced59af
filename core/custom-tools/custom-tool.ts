/**
 * The tools that a tenant defines: an HTTP request with places for arguments. The API's body is stored as JSON;
 * `createCustomTool` builds the tool, or explains why it is invalid.
 */
import { z } from "zod";
import { checkTemplate, type Fault } from "./check-template.ts";
import { type Failure, ok, type Result } from "../base/errors.ts";
import { type FieldError, invalidInput } from "../base/invalid-input.ts";
import { isSafeMethod } from "../web/http-method.ts";
import { compileSchema } from "../lib/json-schema/compile.ts";
import type { PatternsPort } from "../lib/patterns.ts";
import { type EffectClass, PERMISSIONS, SECURITY_LEVELS, TOOL_CATEGORIES } from "../tool/tool.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import type { ArgumentPlace, HttpTemplate, OutsideTool } from "../tool/source.ts";
import { keyedForSchema } from "../web/idempotent-hosts.ts";

/** The source of the tenant's own tools. */
export const CUSTOM_SOURCE = "custom";
/** Tools that a tenant may define. */
export const MAX_CUSTOM_TOOLS = 1_000;
const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 120_000;

const schema = z.record(z.string(), z.json());
const placeName = z.enum(["path", "query", "header", "body", "payload"]);
const argumentName = z.string().min(1).max(200);

const toolNameSchema = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9]*(?:[_.][a-z0-9]+)*$/, "snake_case, optionally with dots, e.g. weather.now");

const requestSchema = z.strictObject({
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).default("GET"),
  url: z
    .string()
    .min(1)
    .max(4_096)
    .describe("`{name}` in the path inserts the argument of that name; `{{secret.NAME}}` a secret."),
  headers: z.record(z.string(), z.string().max(8_192)).optional(),
  places: z
    .record(argumentName, z.union([placeName, z.strictObject({ in: placeName, name: argumentName })]))
    .optional()
    .describe(
      "Where arguments go that are not in the path. By default the query of GET, HEAD and DELETE, otherwise the body.",
    ),
  content_type: z.enum(["application/json", "application/x-www-form-urlencoded"]).optional(),
  result_at: z
    .string()
    .max(1_000)
    .regex(/^(?:\/(?:[^~/]|~[01])*)*$/, "a JSON pointer, e.g. /data/items")
    .optional()
    .describe("The part of the reply's JSON that is the result; the whole reply by default."),
});

/** The body of `POST /v1/tools` and `PUT /v1/tools/{name}`. */
export const customToolSchema = z.strictObject({
  name: toolNameSchema,
  summary: z.string().trim().min(1).max(1_024).describe("The description for the model."),
  toolbox: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,63}$/, "a lower-case letter, then letters, digits, _ or -")
    .optional(),
  category: z.enum(TOOL_CATEGORIES).optional(),
  permissions: z.array(z.enum(PERMISSIONS)).max(PERMISSIONS.length).optional(),
  security: z.enum(SECURITY_LEVELS).optional().describe("`dangerous` by default."),
  effect: z
    .enum(["none", "keyed", "once"])
    .optional()
    .describe(
      "By default `none` for GET and HEAD, otherwise `once`; `keyed` where the service supports `Idempotency-Key`.",
    ),
  keyed_for_s: keyedForSchema
    .optional()
    .describe("For a `keyed` tool: seconds for which the service stores a key; 1800 by default."),
  timeout_ms: z.int().min(1_000).max(MAX_TIMEOUT_MS).optional(),
  input: schema.describe("JSON Schema of an object: the arguments."),
  output: schema.optional().describe("JSON Schema of the result; any result is accepted by default."),
  request: requestSchema,
});
export type CustomTool = z.infer<typeof customToolSchema>;

const KEYED_ALONE: Fault = { field: "keyed_for_s", message: "applies only to a tool whose effect is keyed" };

/** Builds the tool of a definition. `invalid_input` names every invalid field. */
export function createCustomTool(definition: CustomTool, patterns: PatternsPort): Result<OutsideTool> {
  const { name, summary, input, output, request, keyed_for_s: keyedForS } = definition;
  const template = toTemplate(definition);
  const faults = [
    ...findSchemaFaults(input, "input", patterns),
    ...(input["type"] === "object" ? [] : [{ field: "input.type", message: 'has to be "object"' }]),
    ...(output === undefined ? [] : findSchemaFaults(output, "output", patterns)),
    ...checkTemplate(template, input),
    ...(keyedForS === undefined || definition.effect === "keyed" ? [] : [KEYED_ALONE]),
  ];
  if (faults.length > 0) return { ok: false, error: failInvalidTool(name, faults) };
  return ok({
    name,
    summary,
    toolbox: definition.toolbox ?? "custom",
    category: definition.category ?? "api",
    // Its calls always use the network.
    permissions: PERMISSIONS.filter((one) => one === "network" || definition.permissions?.includes(one)),
    security: definition.security ?? "dangerous",
    effect: definition.effect ?? getDefaultEffect(request.method),
    ...(keyedForS === undefined ? {} : { keyedForMs: keyedForS * 1000 }),
    timeoutMs: definition.timeout_ms ?? DEFAULT_TIMEOUT_MS,
    input,
    output: output ?? null,
    origin: { kind: "http", request: template },
  });
}

/** The default effect class of a request (architecture.md, the gateway). */
export function getDefaultEffect(method: HttpTemplate["method"]): EffectClass {
  return isSafeMethod(method) ? "none" : "once";
}

/** The failure for an invalid tool. */
export function failInvalidTool(name: string, faults: readonly FieldError[]): Failure {
  const failure = invalidInput(faults);
  return { ...failure, message: `${name} is not a valid tool: ${failure.message}.` };
}

/** Parses a stored definition. */
export function parseDefinition(text: string): CustomTool {
  return JSON.parse(text) as CustomTool;
}

function toTemplate({ request }: CustomTool): HttpTemplate {
  const { method, url, headers = {}, places = {}, content_type, result_at } = request;
  const named = Object.entries(places).map(([argument, place]): [string, ArgumentPlace] => [
    argument,
    typeof place === "string" ? { in: place, name: argument } : place,
  ]);
  return {
    method,
    url,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()])),
    places: Object.fromEntries(named),
    contentType: content_type ?? "application/json",
    resultAt: result_at ?? null,
  };
}

function findSchemaFaults(given: JsonSchema, field: string, patterns: PatternsPort): Fault[] {
  const compiled = compileSchema(given, patterns);
  return compiled.ok ? [] : [{ field, message: compiled.error.message.replace(/\.$/, "") }];
}
