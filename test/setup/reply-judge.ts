/**
 * Checks replies against the OpenAPI document: the route must declare the status and the content type, and a JSON body must match the
 * schema. A request without a route must get a problem.
 */
import { compileSchema, type SchemaChecker } from "../../core/lib/json-schema/compile.ts";
import type { PatternsPort } from "../../core/lib/patterns.ts";

interface DeclaredReply {
  readonly content?: Readonly<Record<string, { readonly schema?: unknown }>>;
  readonly "x-body-optional"?: boolean;
}

/** The used part of the document. */
export interface ReplyDocument {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Record<string, DeclaredReply> }>>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** A reply. `body` is null if it was not read, as for a stream. */
export interface JudgedReply {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly body: string | null;
}

/** Returns what is wrong with a reply. Null if it is valid or not from the API. */
export type ReplyJudge = (reply: JudgedReply) => string | null;

/** Checks the reply to a request without a route: a problem, or the methods in a header for OPTIONS. */
const UNROUTED: DeclaredReply = {
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
  "x-body-optional": true,
};

/** Other paths belong to the console. */
const API_PATH = /^\/(?:(?:v1|api|slack|webhook|oauth|connect)\/|(?:openapi\.json|docs|health)$)/;

/** Returns what is wrong with a value by a schema of the document, or null. */
export function makeSchemaJudge(
  document: ReplyDocument,
  patterns: PatternsPort,
): (schema: unknown, value: unknown) => string | null {
  const checkers = new Map<unknown, SchemaChecker>();
  return (schema, value) => {
    const check = checkers.get(schema) ?? compile(schema, document, patterns);
    checkers.set(schema, check);
    const [problem] = check(value);
    return problem === undefined
      ? null
      : `${problem.pointer} ${problem.message}: ${JSON.stringify(value).slice(0, 2000)}`;
  };
}

export function makeReplyJudge(document: ReplyDocument, patterns: PatternsPort): ReplyJudge {
  const routes = Object.entries(document.paths)
    .map(([template, operations]) => ({ pattern: toPattern(template), operations, weight: getPathWeight(template) }))
    .toSorted((a, b) => b.weight - a.weight);
  const judgeValue = makeSchemaJudge(document, patterns);

  /** Judges the items of a list separately, because the work of one check is limited. */
  const judgeBody = (schema: unknown, text: string): string | null => {
    const value: unknown = JSON.parse(text);
    const { properties } = resolve(schema, document) as { properties?: { data?: { items?: unknown } } };
    const items = properties?.data?.items;
    if (items === undefined || !isPage(value)) return judgeValue(schema, value);
    const faults = value.data.map((item) => judgeValue(items, item));
    return faults.find((fault) => fault !== null) ?? judgeValue(schema, { ...value, data: [] });
  };

  const findFault = ({ method, path, status, contentType, body }: JudgedReply): string | null => {
    const found = routes.find(({ pattern }) => pattern.test(path));
    const operation = found?.operations[method === "HEAD" ? "get" : method.toLowerCase()];
    const response = operation === undefined ? UNROUTED : operation.responses[String(status)];
    if (response === undefined) return "the status is not declared";
    const content = response.content ?? {};
    const type = contentType?.replace(/;.*$/s, "") ?? null;
    if (method === "HEAD") return null;
    if (body === "") return mayLackBody(response) ? null : "the body is missing";
    if (type === null || (content[type] ?? content["*/*"]) === undefined)
      return type === null ? "it has no content type" : `the content type ${type} is not declared`;
    const schema = content[type]?.schema;
    return body === null || !type.endsWith("json") || schema === undefined ? null : judgeBody(schema, body);
  };

  return (reply) => {
    if (!API_PATH.test(reply.path)) return null;
    const fault = findFault(reply);
    return fault === null ? null : `${reply.method} ${reply.path} answered ${reply.status}: ${fault}`;
  };
}

/** A reply that the document does not declare. */
export class UndeclaredReply extends Error {}

/** Throws if a reply contradicts the document. Leaves the reply unread. */
export async function checkReply(judge: ReplyJudge, method: string, url: string, response: Response): Promise<void> {
  const contentType = response.headers.get("content-type");
  // A stream would block until its task ends.
  const isRead = contentType?.startsWith("text/event-stream") !== true;
  const fault = judge({
    method,
    path: new URL(url).pathname,
    status: response.status,
    contentType,
    body: isRead ? await response.clone().text() : null,
  });
  if (fault !== null) throw new UndeclaredReply(fault);
}

function isPage(value: unknown): value is { readonly data: readonly unknown[] } {
  return typeof value === "object" && value !== null && "data" in value && Array.isArray(value.data);
}

/** Follows the reference of a schema, if it is one. */
function resolve(schema: unknown, { components }: ReplyDocument): unknown {
  const { $ref } = schema as { readonly $ref?: string };
  return $ref === undefined ? schema : components.schemas[$ref.replace(/^.*\//, "")];
}

/** Binary bodies may be empty. */
function mayLackBody({ content, "x-body-optional": isOptional }: DeclaredReply): boolean {
  return content === undefined || content["*/*"] !== undefined || isOptional === true;
}

/** Allows slashes in the last parameter, which some paths have. */
function toPattern(template: string): RegExp {
  const source = template
    .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
    .replace(/\{path\}/g, ".+")
    .replace(/\{\w+\}/g, "[^/]+");
  return new RegExp(`^${source}$`, "s");
}

/** Prefers a literal path to one with parameters. */
function getPathWeight(template: string): number {
  return (
    template.split("/").filter((part) => part !== "" && !part.startsWith("{")).length -
    (template.includes("{") ? 0.5 : 0)
  );
}

function compile(schema: unknown, { components }: ReplyDocument, patterns: PatternsPort): SchemaChecker {
  const needed = new Set<string>();
  const collect = (part: unknown): void => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (needed.has(name)) continue;
      needed.add(name);
      collect(components.schemas[name]);
    }
  };
  collect(schema);
  const schemas = Object.fromEntries(Array.from(needed, (name) => [name, components.schemas[name]]));
  const compiled = compileSchema({ ...(schema as object), components: { schemas } }, patterns);
  if (!compiled.ok) throw new Error(`a schema of the document does not compile: ${compiled.error.message}`);
  return compiled.value;
}
