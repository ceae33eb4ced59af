/**
 * The bus (document 003): every tool by its name, and what can be done with one. The rules of the API's tool routes are
 * these and no others; what an act does outside is given.
 */
import { type CustomTool, customTool, customToolSchema, noTool } from "../custom-tools/custom-tool.ts";
import { failed, type Failure, ok, type Result } from "../base/errors.ts";
import type { PatternsPort } from "../lib/patterns.ts";
import type { ToolSpec } from "../ports/model.ts";
import type { Tool, ToolCategory, ToolResult } from "../tool/tool.ts";
import { nameKey, type OutsideTool } from "../tool/source.ts";
import { modelNames } from "../gateway/model-names.ts";
import { toSpec } from "./toolset.ts";
import { canonicalName, validateArguments } from "../gateway/validate.ts";

/** What narrows a list; what is left out does not. */
export interface ToolFilter {
  readonly toolbox?: string | undefined;
  readonly category?: ToolCategory | undefined;
  /** Every word of it stands in the name, the summary, the toolbox or the category. */
  readonly query?: string | undefined;
}

/** A tool with the name that models see. */
export interface NamedTool {
  readonly tool: Tool;
  readonly modelName: string;
}

/** What the acts of the bus do outside of it. */
export interface ToolBusActs {
  /** Makes a call whose arguments fit. */
  call(tool: Tool, given: Readonly<Record<string, unknown>>): Promise<ToolResult>;
  /** Reads the definition of a tool that a tenant brought again, and publishes what it is now. */
  reload(tool: Tool): Promise<Result<void>>;
  /** Keeps a tool that is new. */
  register(tool: OutsideTool, definition: CustomTool): Promise<Result<void>>;
}

export interface ToolBusDeps {
  /** Every tool, the built-in ones first. No two have one name. */
  readonly tools: readonly Tool[];
  readonly patterns: PatternsPort;
  readonly acts: ToolBusActs;
}

export interface ToolBus {
  /** In the order of the tools. */
  list(filter?: ToolFilter): readonly NamedTool[];
  /** By its own name, another name of it, or the one that models see. */
  get(name: string): Result<NamedTool>;
  call(name: string, given: Readonly<Record<string, unknown>>): Promise<Result<ToolResult>>;
  /** A built-in tool is part of the release: there is nothing to read again. */
  reload(name: string): Promise<Result<void>>;
  /** Refuses what is no tool (`invalid_input`), and a name that is taken (`conflict`). */
  register(definition: unknown): Promise<Result<OutsideTool>>;
  /** The tools in OpenAI's function form. */
  functions(filter?: ToolFilter): readonly { readonly type: "function"; readonly function: ToolSpec }[];
}

export async function openToolBus({ tools, patterns, acts }: ToolBusDeps): Promise<ToolBus> {
  const shown = await modelNames(tools);
  const named = (tool: Tool): NamedTool => ({ tool, modelName: shown.get(tool.name) ?? tool.name });
  const byName = new Map<string, Tool>();
  for (const nameOf of [ownName, otherNames, (tool: Tool) => [named(tool).modelName]]) {
    for (const tool of tools) for (const name of nameOf(tool)) if (!byName.has(name)) byName.set(name, tool);
  }

  const bus: ToolBus = {
    list({ toolbox, category, query = "" } = {}) {
      const words = query
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== "");
      return tools
        .filter((tool) => toolbox === undefined || tool.toolbox === toolbox)
        .filter((tool) => category === undefined || tool.category === category)
        .filter((tool) => hasWords(tool, words))
        .map(named);
    },
    get(name) {
      const tool = byName.get(name);
      return tool === undefined
        ? failed("not_found", `There is no tool named ${name.slice(0, 100)}.`)
        : ok(named(tool));
    },
    async call(name, given) {
      const found = bus.get(name);
      if (!found.ok) return found;
      const { tool } = found.value;
      const valid = validateArguments(tool, given);
      return valid.ok ? ok(await acts.call(tool, given)) : { ok: false, error: asWritten(tool, given, valid.error) };
    },
    async reload(name) {
      const found = bus.get(name);
      if (!found.ok) return found;
      return found.value.tool.written === undefined ? ok(undefined) : await acts.reload(found.value.tool);
    },
    async register(given) {
      const made = judgeDefinition(given, patterns);
      if (!made.ok) return made;
      const { tool, definition } = made.value;
      const taken = toolsByKey(tools).get(nameKey(tool.name));
      if (taken !== undefined) return twice(tool.name, taken);
      const kept = await acts.register(tool, definition);
      return kept.ok ? ok(tool) : kept;
    },
    functions: (filter) => bus.list(filter).map(asFunction),
  };
  return bus;
}

/** By the key of each name that is taken, the tool that it means: no other can have it, however its dots are written. */
export function toolsByKey(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const byKey = new Map<string, Tool>();
  for (const nameOf of [ownName, otherNames])
    for (const tool of tools) for (const key of nameOf(tool).map(nameKey)) if (!byKey.has(key)) byKey.set(key, tool);
  return byKey;
}

/** A tool in OpenAI's function form. */
export function asFunction({ tool, modelName }: NamedTool): { readonly type: "function"; readonly function: ToolSpec } {
  return { type: "function", function: toSpec(tool, modelName, null) };
}

/** A definition as it was given, and the tool that it is. `invalid_input` says why it is none. */
export function judgeDefinition(
  given: unknown,
  patterns: PatternsPort,
): Result<{ readonly tool: OutsideTool; readonly definition: CustomTool }> {
  const parsed = customToolSchema.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.flatMap(({ path, message, ...issue }) => {
      const names = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...path, key]) : [path];
      const said = issue.code === "unrecognized_keys" ? "there is no such field" : message;
      return names.map((name) => ({ field: name.join(".") || "body", message: said }));
    });
    return { ok: false, error: noTool(nameOf(given), faults) };
  }
  const tool = customTool(parsed.data, patterns);
  return tool.ok ? ok({ tool: tool.value, definition: parsed.data }) : tool;
}

/** The refusal of a name that is taken. */
export function twice(name: string, { written }: Tool) {
  const whose = written === undefined ? "a built-in tool" : `the source ${written.source}`;
  const message = `${name} is registered twice: ${whose} has a tool of this name. Choose another, or change that one.`;
  return failed("conflict", message, { field: "name" });
}

/** The fields at fault, named as the caller wrote them: `arguments.path` for an alias. */
function asWritten(tool: Tool, given: Readonly<Record<string, unknown>>, error: Failure): Failure {
  const { field = "arguments", message, fields = [{ field, message }] } = error;
  const written = fields.map((one) => ({ field: writtenName(tool, given, one.field), message: one.message }));
  return { ...error, fields: written };
}

function writtenName(tool: Tool, given: Readonly<Record<string, unknown>>, field: string): string {
  const [first = "", ...rest] = field.split(".");
  if (first === "arguments") return field;
  const alias = Object.keys(given).find((name) => name !== first && canonicalName(tool, name) === first);
  return ["arguments", alias ?? first, ...rest].join(".");
}

function nameOf(given: unknown): string {
  const name = given !== null && typeof given === "object" && "name" in given ? given.name : null;
  return typeof name === "string" && name !== "" ? name.slice(0, 100) : "This";
}

function ownName({ name }: Tool): readonly string[] {
  return [name];
}

function otherNames({ alsoNamed = [] }: Tool): readonly string[] {
  return alsoNamed;
}

function hasWords(tool: Tool, words: readonly string[]): boolean {
  const text = `${tool.name} ${tool.summary} ${tool.toolbox} ${tool.category}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
