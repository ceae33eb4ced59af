/**
 * The tool bus: every tool by its name, with its operations. The API's tool routes follow exactly these rules; the
 * actions outside the bus are passed in.
 */
import { type CustomTool, createCustomTool, customToolSchema, failInvalidTool } from "../custom-tools/custom-tool.ts";
import "../base/describe-issue.ts";
import { findNearest } from "../base/nearest.ts";
import { failed, type Failure, ok, type Result } from "../base/errors.ts";
import type { PatternsPort } from "../lib/patterns.ts";
import type { ToolSpec } from "../ports/model.ts";
import type { Tool, ToolCategory, ToolResult } from "../tool/tool.ts";
import { toNameKey, type OutsideTool } from "../tool/source.ts";
import { cleanName, createModelNames, createNameFinder } from "../gateway/model-names.ts";
import { toSpec } from "./toolset.ts";
import { toCanonicalName } from "../gateway/argument-names.ts";
import { validateArguments } from "../gateway/validate.ts";

/** The most characters of an unknown name in a message. */
const MAX_SHOWN_NAME = 100;

/** The filter of a list. */
export interface ToolFilter {
  readonly toolbox?: string | undefined;
  readonly category?: ToolCategory | undefined;
  /** Every word has to occur in the name, the summary, the toolbox or the category. */
  readonly query?: string | undefined;
}

/** A tool with the name that models see. */
export interface NamedTool {
  readonly tool: Tool;
  readonly modelName: string;
}

/** The actions of the bus outside it. */
export interface ToolBusActs {
  /** Makes a call with valid arguments. */
  call(tool: Tool, given: Readonly<Record<string, unknown>>): Promise<ToolResult>;
  /** Rereads the definition of a tenant's tool and publishes it. */
  reload(tool: Tool): Promise<Result<void>>;
  /** Stores a new tool. */
  register(tool: OutsideTool, definition: CustomTool): Promise<Result<void>>;
}

export interface ToolBusDeps {
  /** Every tool, the built-in ones first, with unique names. */
  readonly tools: readonly Tool[];
  readonly patterns: PatternsPort;
  readonly acts: ToolBusActs;
}

export interface ToolBus {
  /** In the order of the tools. */
  list(filter?: ToolFilter): readonly NamedTool[];
  /** Finds a tool by its own name, an alias, or the name that models see; dots, hyphens and case do not count. */
  get(name: string): Result<NamedTool>;
  call(name: string, given: Readonly<Record<string, unknown>>): Promise<Result<ToolResult>>;
  /** Rereads a tenant's tool. A built-in tool is part of the release and is not reread. */
  reload(name: string): Promise<Result<void>>;
  /** Refuses an invalid definition (`invalid_input`), and a taken name (`conflict`). */
  register(definition: unknown): Promise<Result<OutsideTool>>;
  /** The tools in OpenAI's function format. */
  functions(filter?: ToolFilter): readonly { readonly type: "function"; readonly function: ToolSpec }[];
}

export async function openToolBus({ tools, patterns, acts }: ToolBusDeps): Promise<ToolBus> {
  const modelNames = await createModelNames(tools);
  const named = (tool: Tool): NamedTool => ({ tool, modelName: modelNames.get(tool.name) ?? tool.name });
  const byName = new Map<string, Tool>();
  for (const nameOf of [listOwnName, listOtherNames, (tool: Tool) => [named(tool).modelName]]) {
    for (const tool of tools) for (const name of nameOf(tool)) if (!byName.has(name)) byName.set(name, tool);
  }

  const findByName = createNameFinder(byName);
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
      const tool = findByName(name);
      return tool === null ? failed("not_found", describeMissing(name, [...byName.keys()])) : ok(named(tool));
    },
    async call(name, given) {
      const found = bus.get(name);
      if (!found.ok) return found;
      const { tool } = found.value;
      const valid = validateArguments(tool, given);
      return valid.ok
        ? ok(await acts.call(tool, given))
        : { ok: false, error: restoreAliases(tool, given, valid.error) };
    },
    async reload(name) {
      const found = bus.get(name);
      if (!found.ok) return found;
      return found.value.tool.written === undefined ? ok(undefined) : await acts.reload(found.value.tool);
    },
    async register(given) {
      const judged = judgeDefinition(given, patterns);
      if (!judged.ok) return judged;
      const { tool, definition } = judged.value;
      const taken = indexByKey(tools).get(toNameKey(tool.name));
      if (taken !== undefined) return rejectDuplicate(tool.name, taken);
      const registered = await acts.register(tool, definition);
      return registered.ok ? ok(tool) : registered;
    },
    functions: (filter) => bus.list(filter).map(toFunction),
  };
  return bus;
}

/** Says that there is no such tool, and which was probably meant. */
export function describeMissing(name: string, names: readonly string[]): string {
  const nearest = findNearest(name, names);
  const hint = nearest === null ? "" : ` Did you mean ${nearest}?`;
  return `There is no tool named ${cleanName(name).slice(0, MAX_SHOWN_NAME)}.${hint}`;
}

/** Returns the tools by the key of each of their names. A key is unique however its dots are written. */
export function indexByKey(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const byKey = new Map<string, Tool>();
  for (const nameOf of [listOwnName, listOtherNames])
    for (const tool of tools) for (const key of nameOf(tool).map(toNameKey)) if (!byKey.has(key)) byKey.set(key, tool);
  return byKey;
}

/** Converts a tool to OpenAI's function format. */
export function toFunction({ tool, modelName }: NamedTool): { readonly type: "function"; readonly function: ToolSpec } {
  return { type: "function", function: toSpec(tool, modelName) };
}

/** Parses a definition into a tool; `invalid_input` says what is wrong. */
export function judgeDefinition(
  given: unknown,
  patterns: PatternsPort,
): Result<{ readonly tool: OutsideTool; readonly definition: CustomTool }> {
  const parsed = customToolSchema.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.flatMap(({ path, message, ...issue }) => {
      const names = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...path, key]) : [path];
      const text = issue.code === "unrecognized_keys" ? "there is no such field" : message;
      return names.map((name) => ({ field: name.join(".") || "body", message: text }));
    });
    return { ok: false, error: failInvalidTool(getName(given), faults) };
  }
  const tool = createCustomTool(parsed.data, patterns);
  return tool.ok ? ok({ tool: tool.value, definition: parsed.data }) : tool;
}

/** Returns the error for a taken name. */
export function rejectDuplicate(name: string, { written }: Tool) {
  const whose = written === undefined ? "a built-in tool" : `the source ${written.source}`;
  const message = `${name} is registered twice: ${whose} has a tool of this name. Choose another, or change that one.`;
  return failed("conflict", message, { field: "name" });
}

/** Names invalid fields as the caller wrote them: `arguments.path` for an alias. */
function restoreAliases(tool: Tool, given: Readonly<Record<string, unknown>>, error: Failure): Failure {
  const { field = "arguments", message, fields = [{ field, message }] } = error;
  const written = fields.map((one) => ({ field: findWrittenName(tool, given, one.field), message: one.message }));
  return { ...error, fields: written };
}

function findWrittenName(tool: Tool, given: Readonly<Record<string, unknown>>, field: string): string {
  const [first = "", ...rest] = field.split(".");
  if (first === "arguments") return field;
  const alias = Object.keys(given).find((name) => name !== first && toCanonicalName(tool, name) === first);
  return ["arguments", alias ?? first, ...rest].join(".");
}

function getName(given: unknown): string {
  const name = given !== null && typeof given === "object" && "name" in given ? given.name : null;
  return typeof name === "string" && name !== "" ? name.slice(0, 100) : "This";
}

function listOwnName({ name }: Tool): readonly string[] {
  return [name];
}

function listOtherNames({ alsoNamed = [] }: Tool): readonly string[] {
  return alsoNamed;
}

function hasWords(tool: Tool, words: readonly string[]): boolean {
  const text = `${tool.name} ${tool.summary} ${tool.toolbox} ${tool.category}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
