/**
 * Turns an OpenAPI document into tools: one for each operation that can be called, and the reason for each other one.
 */
import { type YieldTurn, Turns } from "../base/turns.ts";
import { getDefaultEffect } from "../custom-tools/custom-tool.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { matchesOneOf } from "../lib/fnmatch.ts";
import { checkTemplate } from "../custom-tools/check-template.ts";
import { removeReferences } from "../gateway/http-template.ts";
import { shortHash } from "../gateway/model-names.ts";
import { isSafeMethod } from "../web/http-method.ts";
import { compileSchema } from "../lib/json-schema/compile.ts";
import { limitPatterns, PatternBudget } from "../lib/json-schema/limit-patterns.ts";
import type { PatternsPort } from "../lib/patterns.ts";
import type { SecurityLevel } from "../tool/tool.ts";
import { type HttpTemplate, MAX_SOURCE_BYTES, type OutsideTool } from "../tool/source.ts";
import { readArguments } from "./arguments.ts";
import { type AccountPlace, type ConnectOptions, findAccountPlace } from "./connect.ts";
import { type KnownCredentials, readCredentials } from "./credentials.ts";
import { type ApiDocument, followReferences, isJson, type Json, getObject, getList, getText } from "./document.ts";
import { ImportWork, PlainSchemas, type SchemaDeps } from "./plain-schema.ts";

/** Operations of one document. */
const MAX_OPERATIONS = 2_000;
const MAX_NAME = 64;
const TIMEOUT_MS = 30_000;
/** Work to compile the patterns of one document, in units of about a microsecond. Further patterns are dropped. */
const MAX_PATTERN_WORK = 50_000;
const METHODS = ["get", "head", "post", "put", "patch", "delete"] as const;

/** Most schema members that all operations together refer to. */
const MAX_MEMBERS = 400_000;
/** Members per turn, about ten milliseconds of work; a tool's characters count as members too. */
const TURN_MEMBERS = 2_500;
const CHARACTERS_A_MEMBER = 50;
/** Members whose work equals matching one name with one pattern of `include`. */
const MATCH_MEMBERS = 2;

/** The tenant's options for an import. */
export interface ImportOptions {
  /** The prefix of its tools' names. */
  readonly name: string;
  /** The document's URL, to which its addresses are relative; null when it was uploaded. */
  readonly url: string | null;
  /** Replaces the document's own servers. */
  readonly baseUrl: string | null;
  /** The name of a secret for each security scheme. */
  readonly auth: Readonly<Record<string, string>>;
  /** How people connect their accounts. Absent, also in stored options of earlier releases: calls have no account. */
  readonly connect?: ConnectOptions;
  /** Patterns of the tools to import, with or without the import's prefix. */
  readonly include: readonly string[];
  /** For operations that only read, and for the others. */
  readonly readSecurity: SecurityLevel;
  readonly security: SecurityLevel;
}

/** An operation without a tool. */
export interface SkippedOperation {
  readonly operation: string;
  readonly reason: string;
}

export interface Imported {
  readonly tools: readonly OutsideTool[];
  readonly skipped: readonly SkippedOperation[];
  /** Null without accounts. */
  readonly account: ImportedAccount | null;
}

/** Where the accounts of an import are used. */
export interface ImportedAccount extends Pick<AccountPlace, "header"> {
  /** Sorted. */
  readonly hosts: readonly string[];
}

interface Operation {
  readonly method: (typeof METHODS)[number];
  readonly pattern: string;
  readonly path: Json;
  readonly operation: Json;
}

/** Creates the tools, in turns. Fails without a base URL, or when no operation can be called. */
export async function importOpenApi(
  { root }: ApiDocument,
  options: ImportOptions,
  { patterns, giveWay }: { readonly patterns: PatternsPort; readonly giveWay: YieldTurn },
): Promise<Result<Imported>> {
  const operations = listOperations(root);
  if (operations.length > MAX_OPERATIONS)
    return failed("too_large", `The document has ${operations.length} operations; an import has ${MAX_OPERATIONS}.`);
  const { connect } = options;
  const account = connect === undefined ? ok(null) : findAccountPlace(root, connect, options.auth);
  if (!account.ok) return account;
  const known = { auth: options.auth, account: account.value };
  const deps = {
    root,
    patterns: limitPatterns(patterns, new PatternBudget(MAX_PATTERN_WORK)),
    work: new ImportWork(MAX_MEMBERS),
  };
  const turns = new Turns(giveWay, TURN_MEMBERS);
  const tools: OutsideTool[] = [];
  const skipped: SkippedOperation[] = [];
  const taken = new Set<string>();
  let characters = 0;
  for (const one of operations) {
    if (turns.isUsedUp) await turns.next();
    turns.spend(1 + 2 * options.include.length * MATCH_MEMBERS);
    const name = await chooseName(one, options.name, taken);
    const label = `${one.method.toUpperCase()} ${one.pattern}`;
    if (!isIncluded(name, options)) continue;
    const made = createTool(one, { name, options, known }, deps);
    turns.spend(deps.work.takeStock());
    if (deps.work.isOver)
      return failed(
        "too_large",
        `The operations of the document refer to more than ${MAX_MEMBERS} schema members: select some of them (include).`,
      );
    if (made.ok) {
      taken.add(name);
      tools.push(made.value);
      // A short reference may stand for many characters, in every operation.
      const size = JSON.stringify(made.value).length;
      characters += size;
      turns.spend(size / CHARACTERS_A_MEMBER);
      if (characters > MAX_SOURCE_BYTES)
        return failed(
          "too_large",
          `The tools of the document have more than ${MAX_SOURCE_BYTES} bytes: select some of them (include).`,
        );
    } else skipped.push({ operation: label, reason: made.error.message.replace(/\.$/, "") });
  }
  if (account.value !== null && tools.length > 0 && tools.every(({ app }) => app === undefined)) {
    const scheme = account.value.scheme ?? "its security";
    const message = `connect: no imported operation uses ${scheme}. Name another scheme, or import without connect.`;
    return failed("invalid_input", message, { field: "connect" });
  }
  if (tools.length > 0)
    return ok({ tools, skipped, account: account.value === null ? null : listAccountHosts(tools, account.value) });
  const [first] = skipped;
  const why = first === undefined ? "no operation is included" : `${first.operation}: ${first.reason}`;
  return failed("invalid_input", `No operation of the document can be a tool: ${why}.`, { field: "openapi" });
}

function listOperations(root: Json): Operation[] {
  return Object.entries(getObject(root, "paths")).flatMap(([pattern, item]) => {
    const path = followReferences(root, item);
    if (path === null || !pattern.startsWith("/")) return [];
    return METHODS.flatMap((method) => {
      const operation = path[method];
      return isJson(operation) ? [{ method, pattern, path, operation }] : [];
    });
  });
}

/** The hosts of the tools that use an account. */
function listAccountHosts(tools: readonly OutsideTool[], { header }: AccountPlace): ImportedAccount {
  const hosts = tools.flatMap(({ app, origin }) => {
    const url = app === undefined || origin.kind !== "http" ? null : URL.parse(removeReferences(origin.request.url));
    return url === null ? [] : [url.host];
  });
  return { header, hosts: [...new Set(hosts)].toSorted() };
}

interface ToolOptions {
  readonly name: string;
  readonly options: ImportOptions;
  readonly known: KnownCredentials;
}

function createTool(one: Operation, { name, options, known }: ToolOptions, deps: SchemaDeps): Result<OutsideTool> {
  const { root, patterns } = deps;
  const { method: lower, pattern, operation } = one;
  const base = findBaseUrl(root, one, options);
  if (base === null) return failed("invalid_input", "no server has an absolute URL; give base_url");
  const credentials = readCredentials(root, operation, known);
  if (!credentials.ok) return credentials;
  const given = readArguments(root, one, new PlainSchemas(deps));
  if (!given.ok) return given;
  const { input, places, contentType } = given.value;
  const method = lower.toUpperCase() as HttpTemplate["method"];
  const { headers, query, accountScopes } = credentials.value;
  const url = `${base}${pattern}${query.length === 0 ? "" : `?${query.map(([key, value]) => `${encodeURIComponent(key)}=${value}`).join("&")}`}`;
  const request: HttpTemplate = { method, url, headers, places, contentType, resultAt: null };
  const compiled = compileSchema(input, patterns);
  if (!compiled.ok) return compiled;
  const [fault] = checkTemplate(request, input, { hasAccount: accountScopes !== null });
  if (fault !== undefined) return failed("invalid_input", `${fault.field}: ${fault.message}`);
  const isRead = isSafeMethod(method);
  return ok({
    name,
    summary: getSummary(one),
    toolbox: options.name,
    category: "api",
    permissions: ["network"],
    security: isRead ? options.readSecurity : options.security,
    effect: getDefaultEffect(method),
    timeoutMs: TIMEOUT_MS,
    input,
    output: null,
    origin: { kind: "http", request },
    ...createApp(options.name, known, accountScopes),
  });
}

/** What the tool needs an account for; nothing if its operation uses none. */
function createApp(
  app: string,
  { account }: KnownCredentials,
  scopes: readonly string[] | null,
): Pick<OutsideTool, "app"> {
  if (account === null || scopes === null) return {};
  return { app: { app, provider: account.provider, owner: account.owner, scopes } };
}

/** The base URL without a slash at its end; null without an absolute one. */
function findBaseUrl(root: Json, { path, operation }: Operation, { baseUrl, url }: ImportOptions): string | null {
  const lists = [operation, path, root].map((holder) => getList(holder, "servers"));
  const [server] = lists.find((list) => list.length > 0) ?? [];
  const written = baseUrl ?? (isJson(server) ? getServerUrl(server) : "/");
  const parsed = url === null ? URL.parse(written) : URL.parse(written, url);
  if (parsed === null || (parsed.protocol !== "https:" && parsed.protocol !== "http:")) return null;
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, "");
}

/** A server's URL with its variables at their defaults. */
function getServerUrl(server: Json): string {
  const variables = getObject(server, "variables");
  return (getText(server, "url") ?? "/").replace(/\{([^{}]{1,100})\}/g, (whole, name: string) => {
    return getText(getObject(variables, name), "default") ?? whole;
  });
}

function getSummary({ method, pattern, operation }: Operation): string {
  const [first = ""] = (getText(operation, "description") ?? "").split(/\n\s*\n/);
  const text = getText(operation, "summary") ?? (first === "" ? null : first);
  const where = `(${method.toUpperCase()} ${pattern})`.slice(0, 300);
  return text === null ? where : `${text.slice(0, 700)} ${where}`;
}

/**
 * `import.operation_id`, or a name from the method and the path. A name that is too long or taken is truncated and gets
 * part of its SHA-1.
 */
async function chooseName(
  { method, pattern, operation }: Operation,
  prefix: string,
  taken: ReadonlySet<string>,
): Promise<string> {
  const slug = toSlug(getText(operation, "operationId") ?? `${method} ${pattern}`);
  const plain = `${prefix}.${slug}`;
  if (plain.length <= MAX_NAME && !taken.has(plain)) return plain;
  const hash = await shortHash(`${method} ${pattern}`);
  return `${plain.slice(0, MAX_NAME - hash.length - 1).replace(/[_.]+$/, "")}_${hash}`;
}

/** Lower case with `_` between words and for other characters; it starts with a letter. */
export function toSlug(text: string): string {
  const words = text
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return /^[a-z]/.test(words) ? words : `op_${words}`.replace(/_$/, "");
}

function isIncluded(name: string, { name: prefix, include }: ImportOptions): boolean {
  const short = name.slice(prefix.length + 1);
  return include.length === 0 || matchesOneOf(name, include) || matchesOneOf(short, include);
}
