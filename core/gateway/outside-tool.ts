/** Adapts a tenant's own tools to the tool contract. Their origin determines how their calls are made. */
import { z } from "zod";
import { isSafeMethod } from "../web/http-method.ts";
import { compileSchema, type SchemaChecker } from "../lib/json-schema/compile.ts";
import { limitPatterns, type PatternBudget } from "../lib/json-schema/limit-patterns.ts";
import type { PatternsPort } from "../lib/patterns.ts";
import type { ToolPorts } from "../ports/tool-ports.ts";
import type { Carried } from "../provenance/carry-out.ts";
import { type Failure, ok, type Result } from "../base/errors.ts";
import type { ReplaceFile, UploadedFile } from "../tool/file-arguments.ts";
import type { AppAction } from "../tool/app-action.ts";
import type { EffectClass, KnownEnd, ProbeOutcome, Tool, ToolContext, ToolOutcome, Touch } from "../tool/tool.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import { ACTION_PREFIX, type AppOrigin, toNameKey, type OutsideOrigin, type OutsideTool } from "../tool/source.ts";
import { type OwnApi, DEFAULT_KEYED_FOR_MS, getDocumentedKeyLifetime } from "../web/idempotent-hosts.ts";
import { showJson, showJsonText } from "./show-json.ts";
import { fillTemplate, removeReferences } from "./http-template.ts";
import { getTouchMode } from "./touches.ts";

type Kind = OutsideOrigin["kind"];

/** A tool of one kind of origin. */
type OutsideToolOf<K extends Kind> = OutsideTool & { readonly origin: Extract<OutsideOrigin, { kind: K }> };

/** Makes the calls of tools of one kind of origin. */
export interface OutsideCaller<K extends Kind, Need extends keyof ToolPorts> {
  readonly needs: readonly Need[];
  /** The time that a call has beyond the tool's own limit, in ms. Absent: none. */
  readonly extraMs?: number;
  /** `given` matches the tool's input. Expected errors are failures. */
  call(
    tool: OutsideToolOf<K>,
    given: Readonly<Record<string, unknown>>,
    context: ToolContext<Need>,
  ): Promise<ToolOutcome<unknown>>;
  /** Returns why a call with these arguments cannot be made, before a person is asked to approve it; null: nothing is known. */
  check?(tool: OutsideToolOf<K>, given: Readonly<Record<string, unknown>>): Failure | null;
  /** For a kind whose tools take files of the sandbox. */
  readonly files?: {
    /** The most bytes of one. */
    readonly maxBytes: number;
    /** Returns the schema with a path in the place of each file; the same object if it has no file. */
    toPathSchema(input: JsonSchema): JsonSchema;
    /** As in `Tool`, for arguments by that schema. */
    replace(input: JsonSchema, given: unknown, replace: ReplaceFile): Result<unknown>;
    upload(
      tool: OutsideToolOf<K>,
      given: Readonly<Record<string, unknown>>,
      context: ToolContext<Need>,
    ): Promise<Result<readonly UploadedFile[]>>;
  };
  /** Looks up whether a call happened. A tool of a kind without it is never looked up. */
  probe?(
    tool: OutsideToolOf<K>,
    given: Readonly<Record<string, unknown>>,
    context: ToolContext<Need>,
  ): Promise<ProbeOutcome<unknown>>;
}

/** The caller of each kind in this release. A tool of another kind answers `not_available`. */
export type OutsideCallers = { readonly [K in Kind]?: OutsideCaller<K, keyof ToolPorts> };

/** A tool with its source. */
export interface SourcedTool {
  readonly source: string;
  readonly tool: OutsideTool;
}

/** What outside tools need: callers, and an engine for the patterns in their schemas. */
export interface OutsideDeps {
  readonly callers: OutsideCallers;
  readonly patterns: PatternsPort;
}

/**
 * Creates the tools of a tenant's sources for the gateway, in their order. A tool whose name is taken by a built-in
 * tool or an earlier one is skipped: a later release may add a name that a tenant already uses.
 */
export function createOutsideTools(
  found: readonly SourcedTool[],
  builtIn: readonly Pick<Tool, "name">[],
  deps: OutsideDeps,
): Tool[] {
  const taken = new Set(builtIn.map(({ name }) => toNameKey(name)));
  const tools: Tool[] = [];
  for (const sourced of found) {
    const key = toNameKey(sourced.tool.name);
    if (taken.has(key)) continue;
    taken.add(key);
    tools.push(getOrCreateTool(sourced, deps));
  }
  return tools;
}

/** A cached tool, and its inputs. */
interface CachedTool extends OutsideDeps {
  readonly source: string;
  readonly made: Tool;
}

/** Caches tools by their definitions, weakly: a list of thousands is read often. */
const toolCache = new WeakMap<OutsideTool, CachedTool>();

function getOrCreateTool(sourced: SourcedTool, deps: OutsideDeps): Tool {
  const { source, tool } = sourced;
  const found = toolCache.get(tool);
  if (found?.source === source && found.callers === deps.callers && found.patterns === deps.patterns) return found.made;
  const made = createOutsideTool(sourced, deps);
  toolCache.set(tool, { ...deps, source, made });
  return made;
}

function createOutsideTool({ source, tool }: SourcedTool, { callers, patterns }: OutsideDeps): Tool {
  const { name, summary, toolbox, category, permissions, security, timeoutMs, origin } = tool;
  const caller: OutsideCaller<Kind, keyof ToolPorts> | undefined = callers[origin.kind];
  // Compiled on first use: most of a tenant's thousands of tools are never called in an isolate.
  const schema = memoize(() => caller?.files?.toPathSchema(tool.input) ?? tool.input);
  const input = memoize(() => new CompiledSchema(schema(), patterns));
  const mapFiles = (given: unknown, replace: ReplaceFile) =>
    caller?.files === undefined || schema() === tool.input ? ok(given) : caller.files.replace(schema(), given, replace);
  const listFiles = (given: unknown) => listMapped(mapFiles, given);
  // The schema that a provider gives for an action describes the reply around its result.
  const result = origin.kind === "app" ? null : tool.output;
  const output = memoize(() => new CompiledSchema(result ?? {}, patterns));
  const written = memoize(() => ({ source, input: schema(), output: result }));
  return {
    name,
    summary,
    toolbox,
    category,
    permissions,
    security,
    effect: tool.effect === "probe" && caller?.probe === undefined ? "once" : tool.effect,
    keyedForMs: tool.keyedForMs ?? ((_given, { ownApi = null }) => findKeyLifetime(origin, ownApi)),
    needs: caller?.needs ?? [],
    touches: (given, effect) => listTouches(origin, effect, listFiles(given).length > 0),
    carries: (given: Readonly<Record<string, unknown>>) => findCarried(tool, given, listFiles(given)),
    ...findDestination(tool),
    aliases: {},
    timeoutMs: timeoutMs + (caller?.extraMs ?? 0),
    ...(tool.app === undefined ? {} : { app: tool.app }),
    ...(origin.kind === "app" ? { alsoNamed: listNames(name, origin), action: toAppAction(origin, tool.effect) } : {}),
    steers: origin.kind === "skill",
    ...(origin.kind === "skill" ? { skill: origin.skill, onlyByModel: "dispatches" as const } : {}),
    wholeResult: false,
    get input() {
      return input().type;
    },
    get output() {
      return output().type;
    },
    compileInput: (budget) => input().compile(budget),
    compileOutput: (budget) => output().compile(budget),
    get written() {
      return written();
    },
    ...(caller?.files === undefined ? {} : { mapFiles, ...addFiles(tool, caller.files) }),
    ...addLookups(tool, caller),
    async run(given, context) {
      if (caller === undefined) return failNotAvailable(name, origin.kind);
      return await caller.call(tool, given, context);
    },
    show: (result: unknown) => (typeof result === "string" ? showJsonText(result) : showJson(result)),
    examples: [],
  };
}

/**
 * Returns the resources of an outside tool, which may touch anything on its own server. An MCP server's images become
 * files (`core/mcp/content.ts`), as do files in the result of an app. A skill's tool runs in a separate task.
 */
function listTouches(origin: OutsideOrigin, effect: EffectClass, namesFiles: boolean): readonly Touch[] {
  switch (origin.kind) {
    case "http":
      return [
        { resource: `server:${URL.parse(origin.request.url)?.host ?? origin.request.url}`, mode: getTouchMode(effect) },
      ];
    case "mcp":
      return [
        { resource: `server:mcp/${origin.server}`, mode: getTouchMode(effect) },
        { resource: "files", mode: "add" },
      ];
    case "app":
      return [
        { resource: `server:app/${origin.app}`, mode: getTouchMode(effect) },
        // A later call must not change a file before it is uploaded.
        { resource: "files", mode: namesFiles ? "write" : "add" },
      ];
    case "skill":
      return [];
  }
}

/** Returns what the caller knows of a call besides making it: why it cannot be made, and whether it happened. */
function addLookups(
  tool: OutsideTool,
  caller: OutsideCaller<Kind, keyof ToolPorts> | undefined,
): Pick<Tool, "check" | "probe"> {
  const check = (given: never) => toKnownEnd(caller?.check?.(tool, given) ?? null);
  const probe: Tool["probe"] = async (given, context) => (await caller?.probe?.(tool, given, context)) ?? CANNOT_TELL;
  return {
    ...(caller?.check === undefined ? {} : { check }),
    // Also for another effect: a stricter class may count at a call than the pinned one.
    ...(caller?.probe === undefined ? {} : { probe }),
  };
}

function addFiles(
  tool: OutsideTool,
  files: NonNullable<OutsideCaller<Kind, keyof ToolPorts>["files"]>,
): Pick<Tool, "maxFileBytes" | "upload"> {
  return {
    maxFileBytes: files.maxBytes,
    upload: async (given, context) => await files.upload(tool, given, context),
  };
}

/** Returns the paths among the arguments. */
function listMapped(map: NonNullable<Tool["mapFiles"]>, given: unknown): string[] {
  const paths = new Set<string>();
  map(given as never, (path) => {
    paths.add(path);
    return ok(path);
  });
  return [...paths];
}

const CANNOT_TELL = { kind: "cannot_tell" } as const;

function toKnownEnd(failure: Failure | null): KnownEnd | null {
  return failure === null ? null : { kind: "fails", failure };
}

/** Returns the further names of an action: its own, and the whole one of a tool whose name was cut. */
function listNames(name: string, { action }: AppOrigin): readonly string[] {
  const whole = `${ACTION_PREFIX}${action}`;
  return whole === name ? [action] : [action, whole];
}

function toAppAction(origin: AppOrigin, effect: EffectClass): AppAction {
  const { app, action, capabilities, isDestructive, judged } = origin;
  return { app, action, effect, capabilities, isDestructive, ...(judged === undefined ? {} : { judged }) };
}

/** Returns how long the receiver of an outside tool remembers a key when its owner does not say, in ms. */
function findKeyLifetime(origin: OutsideOrigin, ownApi: OwnApi | null): number {
  const url = origin.kind === "http" ? URL.parse(origin.request.url) : null;
  return url === null ? DEFAULT_KEYED_FOR_MS : getDocumentedKeyLifetime(url, ownApi);
}

/** Returns the MCP server or the app of the tool's calls, or the host of the tenant's request. */
function findDestination({ origin }: OutsideTool): Pick<Tool, "destination"> {
  if (origin.kind === "mcp") return { destination: origin.server };
  if (origin.kind === "app") return { destination: origin.app };
  const host = origin.kind === "http" ? URL.parse(removeReferences(origin.request.url))?.host : undefined;
  return host === undefined ? {} : { destination: host };
}

/** Returns the arguments of a call that only reads. The approval policy judges calls with an effect. */
function findCarried(
  tool: OutsideTool,
  values: Readonly<Record<string, unknown>>,
  files: readonly string[],
): Carried | null {
  const { name, origin, effect, input } = tool;
  if (origin.kind === "skill") return null;
  const reads = effect === "none" || (origin.kind === "http" && isSafeMethod(origin.request.method));
  if (!reads) return null;
  const filled = origin.kind === "http" ? fillTemplate(origin.request, values) : null;
  const url = filled?.ok === true ? filled.value.url : null;
  const source = findDestination(tool).destination ?? name;
  return { kind: "arguments", tool: name, source, url, values, schema: input, files };
}

/** Computes a value on first use. */
function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/**
 * Checks values by a JSON Schema, which is compiled on first use, or earlier within the budget of a request. A schema
 * that cannot be compiled checks nothing: the outside service wrote it and checks its own arguments.
 */
class CompiledSchema {
  /** The values as zod checks them. */
  readonly type: z.ZodType;
  readonly #schema: JsonSchema;
  readonly #patterns: PatternsPort;
  #checker: SchemaChecker | null = null;

  constructor(schema: JsonSchema, patterns: PatternsPort) {
    this.#schema = schema;
    this.#patterns = patterns;
    this.type = z.unknown().superRefine((value, context) => {
      const check = (this.#checker ??= this.#compile(patterns));
      for (const { pointer, message } of check(value))
        context.addIssue({ code: "custom", path: splitPointer(pointer), message });
    });
  }

  /** Compiles the schema if needed. False if the budget does not allow it; a later request compiles it. */
  compile(budget: PatternBudget): boolean {
    if (this.#checker !== null) return true;
    const { refusals } = budget;
    const compiled = this.#compile(limitPatterns(this.#patterns, budget));
    if (budget.refusals > refusals) return false;
    this.#checker = compiled;
    return true;
  }

  #compile(patterns: PatternsPort): SchemaChecker {
    const compiled = compileSchema(this.#schema, patterns);
    return compiled.ok ? compiled.value : () => [];
  }
}

/** The steps of a JSON pointer (RFC 6901). */
export function splitPointer(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function failNotAvailable(name: string, kind: string): ToolOutcome<never> {
  const message = `${name} cannot be called here: tools of the kind ${kind} are not available.`;
  return { kind: "failure", failure: { code: "not_available", message } };
}
