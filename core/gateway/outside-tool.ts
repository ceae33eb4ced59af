/** Tools that a tenant brought, as tools like any other. How their calls are made depends on where they come from. */
import { z } from "zod";
import { isReading } from "../web/http-method.ts";
import { compileSchema, type SchemaChecker } from "../lib/json-schema/compile.ts";
import { limitPatterns, type PatternBudget } from "../lib/json-schema/limit-patterns.ts";
import type { PatternsPort } from "../lib/patterns.ts";
import type { ToolPorts } from "../ports/tool-ports.ts";
import type { Carried } from "../provenance/carry-out.ts";
import type { EffectClass, Tool, ToolContext, ToolOutcome, Touch } from "../tool/tool.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import { nameKey, type OutsideOrigin, type OutsideTool } from "../tool/source.ts";
import { documentedKeyedForMs, type OwnApi, DEFAULT_KEYED_FOR_MS } from "../web/idempotent-hosts.ts";
import { fillTemplate, withoutReferences } from "./http-template.ts";
import { modeOf } from "./touches.ts";

type Kind = OutsideOrigin["kind"];

/** A tool whose calls are made in one way. */
type ToolOf<K extends Kind> = OutsideTool & { readonly origin: Extract<OutsideOrigin, { kind: K }> };

/** How calls of tools of one kind of origin are made. */
export interface OutsideCaller<K extends Kind, Need extends keyof ToolPorts> {
  readonly needs: readonly Need[];
  /** `given` fits the tool's input. Gives what can be expected to go wrong as a failure. */
  call(
    tool: ToolOf<K>,
    given: Readonly<Record<string, unknown>>,
    context: ToolContext<Need>,
  ): Promise<ToolOutcome<unknown>>;
}

/** The caller of each kind that this release knows; a tool of another kind answers `not_available`. */
export type OutsideCallers = { readonly [K in Kind]?: OutsideCaller<K, keyof ToolPorts> };

/** A tool with the source that it comes from. */
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
 * The tools of a tenant's sources for the gateway, in their order. One whose name a built-in tool has, or one before it, is
 * left out: a name means one tool, and a later release may bring a name that a tenant took before.
 */
export function outsideTools(
  found: readonly SourcedTool[],
  builtIn: readonly Pick<Tool, "name">[],
  deps: OutsideDeps,
): Tool[] {
  const taken = new Set(builtIn.map(({ name }) => nameKey(name)));
  const tools: Tool[] = [];
  for (const sourced of found) {
    const key = nameKey(sourced.tool.name);
    if (taken.has(key)) continue;
    taken.add(key);
    tools.push(knownTool(sourced, deps));
  }
  return tools;
}

/** A tool that was made, and what of. */
interface Made extends OutsideDeps {
  readonly source: string;
  readonly made: Tool;
}

/** Tools by what they were made of, for as long as somebody holds that: a list of thousands is read again and again. */
const known = new WeakMap<OutsideTool, Made>();

function knownTool(sourced: SourcedTool, deps: OutsideDeps): Tool {
  const { source, tool } = sourced;
  const found = known.get(tool);
  if (found?.source === source && found.callers === deps.callers && found.patterns === deps.patterns) return found.made;
  const made = outsideTool(sourced, deps);
  known.set(tool, { ...deps, source, made });
  return made;
}

function outsideTool({ source, tool }: SourcedTool, { callers, patterns }: OutsideDeps): Tool {
  const { name, summary, toolbox, category, permissions, security, timeoutMs, origin } = tool;
  const caller: OutsideCaller<Kind, keyof ToolPorts> | undefined = callers[origin.kind];
  // Most of a tenant's thousands of tools are never called in an isolate.
  const input = once(() => new CompiledSchema(tool.input, patterns));
  const output = once(() => new CompiledSchema(tool.output ?? {}, patterns));
  return {
    name,
    summary,
    toolbox,
    category,
    permissions,
    security,
    // Nobody can look up whether a call of it happened.
    effect: tool.effect === "probe" ? "once" : tool.effect,
    keyedForMs: tool.keyedForMs ?? ((_given, { ownApi = null }) => findKeyLifetime(origin, ownApi)),
    needs: caller?.needs ?? [],
    touches: (_given, effect) => listTouches(origin, effect),
    carries: (given: Readonly<Record<string, unknown>>) => findCarried(tool, given),
    ...findDestination(tool),
    aliases: {},
    timeoutMs,
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
    written: { source, input: tool.input, output: tool.output },
    async run(given, context) {
      if (caller === undefined) return notAvailable(name, origin.kind);
      return await caller.call(tool, given, context);
    },
    show: (result: unknown) => (typeof result === "string" ? result : JSON.stringify(result)),
    examples: [],
  };
}

/**
 * A tool without declared resources may touch anything on its own server, and an MCP server's images become files
 * (`core/mcp/content.ts`). A skill's tool runs in a task of its own.
 */
function listTouches(origin: OutsideOrigin, effect: EffectClass): readonly Touch[] {
  switch (origin.kind) {
    case "http":
      return [
        { resource: `server:${URL.parse(origin.request.url)?.host ?? origin.request.url}`, mode: modeOf(effect) },
      ];
    case "mcp":
      return [
        { resource: `server:mcp/${origin.server}`, mode: modeOf(effect) },
        { resource: "files", mode: "add" },
      ];
    case "skill":
      return [];
  }
}

/** How long the receiver of an outside tool remembers a key when its owner does not say, in ms. */
function findKeyLifetime(origin: OutsideOrigin, ownApi: OwnApi | null): number {
  const url = origin.kind === "http" ? URL.parse(origin.request.url) : null;
  return url === null ? DEFAULT_KEYED_FOR_MS : documentedKeyedForMs(url, ownApi);
}

/** The MCP server that calls of the tool go to, or the host of the tenant's request. */
function findDestination({ origin }: OutsideTool): Pick<Tool, "destination"> {
  if (origin.kind === "mcp") return { destination: origin.server };
  const host = origin.kind === "http" ? URL.parse(withoutReferences(origin.request.url))?.host : undefined;
  return host === undefined ? {} : { destination: host };
}

/** The arguments of a call that only reads. The approval policy judges calls with an effect. */
function findCarried(tool: OutsideTool, values: Readonly<Record<string, unknown>>): Carried | null {
  const { name, origin, effect, input } = tool;
  if (origin.kind === "skill") return null;
  const reads = effect === "none" || (origin.kind === "http" && isReading(origin.request.method));
  if (!reads) return null;
  const filled = origin.kind === "http" ? fillTemplate(origin.request, values) : null;
  const url = filled?.ok === true ? filled.value.url : null;
  const source = findDestination(tool).destination ?? name;
  return { kind: "arguments", tool: name, source, url, values, schema: input };
}

/** What `make` gives, made when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/**
 * Values that fit a JSON Schema, which is compiled when the first one comes, or earlier within the budget of a request. A
 * schema that cannot be compiled here checks nothing: the other side wrote it, and checks its own arguments.
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
        context.addIssue({ code: "custom", path: pointerSteps(pointer), message });
    });
  }

  /** Compiles the schema unless that is done; false, and a later request compiles it, when the budget does not allow it. */
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
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function notAvailable(name: string, kind: string): ToolOutcome<never> {
  const message = `${name} cannot be called here: tools of the kind ${kind} are not available.`;
  return { kind: "failure", failure: { code: "not_available", message } };
}
