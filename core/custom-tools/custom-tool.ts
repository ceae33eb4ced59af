/**
 * The tools that a tenant writes down: an HTTP request with places for arguments. What the API takes is what is kept, as
 * JSON; `customTool` makes the tool of it, or says why it is none.
 */
import { z } from "zod";
import { checkTemplate, type Fault } from "./check-template.ts";
import { failed, type Failure, ok, type Result } from "../base/errors.ts";
import { isReading } from "../web/http-method.ts";
import { compileSchema } from "../lib/json-schema/compile.ts";
import type { PatternsPort } from "../lib/patterns.ts";
import { type EffectClass, PERMISSIONS, SECURITY_LEVELS, TOOL_CATEGORIES } from "../tool/tool.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import type { ArgumentPlace, HttpTemplate, OutsideTool } from "../tool/source.ts";
import { keyedForSchema } from "../web/idempotent-hosts.ts";

/** The source of the tenant's own tools. */
export const CUSTOM_SOURCE = "custom";
/** Tools that a tenant may define by itself. */
export const MAX_CUSTOM_TOOLS = 1_000;
const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 120_000;

const schema = z.record(z.string(), z.json());
const placeName = z.enum(["path", "query", "header", "body", "payload"]);
const argumentName = z.string().min(1).max(200);

const toolNameSchema = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9]*(?:[_.][a-z0-9]+)*$/, "snake_case, with dots if wanted, e.g. weather.now");

const requestSchema = z.strictObject({
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).default("GET"),
  url: z
    .string()
    .min(1)
    .max(4_096)
    .describe("`{name}` in the path is filled from the argument of that name; `{{secret.NAME}}` is a secret."),
  headers: z.record(z.string(), z.string().max(8_192)).optional(),
  places: z
    .record(argumentName, z.union([placeName, z.strictObject({ in: placeName, name: argumentName })]))
    .optional()
    .describe(
      "Where arguments go that are not in the path; else to the query of GET, HEAD and DELETE, or to the body.",
    ),
  content_type: z.enum(["application/json", "application/x-www-form-urlencoded"]).optional(),
  result_at: z
    .string()
    .max(1_000)
    .regex(/^(?:\/(?:[^~/]|~[01])*)*$/, "a JSON pointer, e.g. /data/items")
    .optional()
    .describe("The part of the reply's JSON that is the result; without it, all of it."),
});

/** The body of `POST /v1/tools` and `PUT /v1/tools/{name}`. */
export const customToolSchema = z.strictObject({
  name: toolNameSchema,
  summary: z.string().trim().min(1).max(1_024).describe("What the model reads."),
  toolbox: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,63}$/, "a lower-case letter, then letters, digits, _ or -")
    .optional(),
  category: z.enum(TOOL_CATEGORIES).optional(),
  permissions: z.array(z.enum(PERMISSIONS)).max(PERMISSIONS.length).optional(),
  security: z.enum(SECURITY_LEVELS).optional().describe("`dangerous` unless it says otherwise."),
  effect: z
    .enum(["none", "keyed", "once"])
    .optional()
    .describe("`none` for GET and HEAD, else `once`; `keyed` where the service honours `Idempotency-Key`."),
  keyed_for_s: keyedForSchema
    .optional()
    .describe("Of a `keyed` tool: seconds that the service remembers a key, 1800 unless stated."),
  timeout_ms: z.int().min(1_000).max(MAX_TIMEOUT_MS).optional(),
  input: schema.describe("JSON Schema of an object: the arguments."),
  output: schema.optional().describe("JSON Schema of the result; without it, whatever comes is taken."),
  request: requestSchema,
});
export type CustomTool = z.infer<typeof customToolSchema>;

const KEYED_ALONE: Fault = { field: "keyed_for_s", message: "applies only to a tool whose effect is keyed" };

/** The tool of a definition. `invalid_input` says what makes it none and names every field at fault. */
export function customTool(definition: CustomTool, patterns: PatternsPort): Result<OutsideTool> {
  const { name, summary, input, output, request, keyed_for_s: keyedForS } = definition;
  const template = templateOf(definition);
  const faults = [
    ...schemaFaults(input, "input", patterns),
    ...(input["type"] === "object" ? [] : [{ field: "input.type", message: 'has to be "object"' }]),
    ...(output === undefined ? [] : schemaFaults(output, "output", patterns)),
    ...checkTemplate(template, input),
    ...(keyedForS === undefined || definition.effect === "keyed" ? [] : [KEYED_ALONE]),
  ];
  if (faults.length > 0) return { ok: false, error: noTool(name, faults) };
  return ok({
    name,
    summary,
    toolbox: definition.toolbox ?? "custom",
    category: definition.category ?? "api",
    // Whatever it says, its calls go to the network.
    permissions: PERMISSIONS.filter((one) => one === "network" || definition.permissions?.includes(one)),
    security: definition.security ?? "dangerous",
    effect: definition.effect ?? defaultEffect(request.method),
    ...(keyedForS === undefined ? {} : { keyedForMs: keyedForS * 1000 }),
    timeoutMs: definition.timeout_ms ?? DEFAULT_TIMEOUT_MS,
    input,
    output: output ?? null,
    origin: { kind: "http", request: template },
  });
}

/** What a request that nobody says more of does outside (architecture.md, the gateway). */
export function defaultEffect(method: HttpTemplate["method"]): EffectClass {
  return isReading(method) ? "none" : "once";
}

/** The refusal of what is no tool. */
export function noTool(name: string, faults: readonly Fault[]): Failure {
  const said = faults.map(({ field, message }) => `${field}: ${message}`).join("; ");
  const message = `${name} is no tool: ${said}.`.slice(0, 2_000);
  const [first] = faults;
  return failed("invalid_input", message, { ...(first === undefined ? {} : { field: first.field }), fields: faults })
    .error;
}

/** A definition as it was kept. */
export function readDefinition(text: string): CustomTool {
  return JSON.parse(text) as CustomTool;
}

function templateOf({ request }: CustomTool): HttpTemplate {
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

function schemaFaults(given: JsonSchema, field: string, patterns: PatternsPort): Fault[] {
  const compiled = compileSchema(given, patterns);
  return compiled.ok ? [] : [{ field, message: compiled.error.message.replace(/\.$/, "") }];
}
