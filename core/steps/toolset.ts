/**
 * The tools of a task: which names resolve, and which tools the model is given. Built once for an agent's version and
 * cached.
 */
import { z } from "zod";
import { getSandboxRules } from "../agents/agent.ts";
import { type Failure, ok, type Result } from "../base/errors.ts";
import type { PatternsPort } from "../lib/patterns.ts";
import type { ToolSpec } from "../ports/model.ts";
import type { Skill } from "../skills/skill.ts";
import type { TaskFacts } from "../task/state.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import { getInputSchema } from "../tool/input-schema.ts";
import type { Tool } from "../tool/tool.ts";
import type { OwnApi } from "../web/idempotent-hosts.ts";
import { checkEnvelope } from "../gateway/envelope.ts";
import { createModelNames, createNameFinder } from "../gateway/model-names.ts";
import { toModelSchema } from "./model-schema.ts";
import { chooseShownTools, isSearchTool } from "./shown-tools.ts";

/** The tools of a task: every tool by each of its names, and those inside the envelope. */
export interface Toolset {
  /** Finds a tool by one of its names, with dots, underscores, hyphens and case as a model writes them. */
  resolve(name: string): Tool | null;
  /** The tools that every request shows (`shown-tools.ts`). */
  readonly specs: readonly ToolSpec[];
  /** The names of the tools inside the envelope, aliases included. */
  readonly names: readonly string[];
  /** The names that a search may find: one for each ability. */
  readonly findable: readonly string[];
  /** Allows a tool inside the envelope; otherwise `permission_denied` says why. */
  admits(tool: Tool): Result<void>;
  /** The spec of a tool inside the envelope, by its own name; null for any other. */
  specOf(name: string): ToolSpec | null;
  /** The skills available to the task, in force or not. */
  readonly skills: readonly Skill[];
  /** The instructions of the skills in force since the task was created, one text each. */
  readonly skillTexts: readonly string[];
  /** How long the mail provider remembers a key, in ms; null or absent if it honours none. */
  readonly mailKeyedForMs?: number | null;
  /**
   * Otto's own API, which remembers keys longer than hosts without documentation; null or absent without a public
   * address.
   */
  readonly ownApi?: OwnApi | null;
  /** The engine for patterns of agents' settings; absent where no tool is called. */
  readonly patterns?: PatternsPort;
  /** True when the tenant's own tools could not be read and are missing. */
  readonly isPart?: boolean;
}

/** Returns the failure for a tool that existed when the call was requested. Nothing was sent. */
export function toMissingToolFailure(name: string, { isPart = false }: Pick<Toolset, "isPart">): Failure {
  return isPart
    ? { code: "upstream_failed", message: `The tool ${name} cannot be read just now. It was not called.` }
    : { code: "not_found", message: `The tool ${name} is not there now. It was not called.` };
}

/** Builds the toolset of a task from the catalogue. */
export async function buildToolset(
  catalogue: readonly Tool[],
  facts: TaskFacts,
  skillTexts: readonly string[] = [],
): Promise<Toolset> {
  const modelNames = await createModelNames(catalogue);
  const byName = new Map<string, Tool>();
  for (const tool of catalogue) {
    byName.set(tool.name, tool);
    byName.set(modelNames.get(tool.name) ?? tool.name, tool);
  }
  for (const tool of catalogue) for (const name of tool.alsoNamed ?? []) if (!byName.has(name)) byName.set(name, tool);
  const findByName = createNameFinder(byName);
  const { config } = facts.agent;
  const rules = getSandboxRules(config);
  const nameOf = ({ name }: Tool) => modelNames.get(name) ?? name;
  const specOf = (tool: Tool) => toModelSpec(tool, nameOf(tool), tool.disabled?.(rules) ?? null);
  const skills = catalogue.flatMap(({ skill }) => (skill === undefined ? [] : [skill]));
  const check = (tool: Tool) => checkEnvelope(tool, facts, skills.length > 0);
  const inside = catalogue.filter((tool) => check(tool).ok);
  const search = catalogue.filter((tool) => tool.written === undefined && isSearchTool(tool.name));
  const { specs, hasMore, findable } = chooseShownTools({
    inside,
    search,
    patterns: config.tools,
    narrowing: facts.tools,
    preferred: facts.apps?.shown ?? [],
    specOf,
    nameOf,
  });
  // Tools that are not shown would be unreachable without these two, which give the task no capability of their own.
  const admitted = hasMore ? [...new Set([...search, ...inside])] : inside;
  const own = new Map(admitted.map((tool) => [tool.name, tool]));
  return {
    resolve: findByName,
    specs,
    names: [...own.keys()],
    findable,
    skills,
    skillTexts,
    admits: (tool) => (hasMore && search.includes(tool) ? ok(undefined) : check(tool)),
    specOf: (name) => {
      const tool = own.get(name);
      return tool === undefined ? null : specOf(tool);
    },
  };
}

/** Returns a tool's output as JSON Schema; `{}` accepts anything. */
export function getOutputSchema(tool: Pick<Tool, "output" | "written">): JsonSchema {
  return tool.written === undefined ? z.toJSONSchema(tool.output, { io: "output" }) : (tool.written.output ?? {});
}

/** Returns the settings that an agent's `tool_config` may set for a tool, as JSON Schema; null if none. */
export function getSettingsSchema({ settings }: Pick<Tool, "settings">): JsonSchema | null {
  return settings === undefined ? null : z.toJSONSchema(settings, { io: "input" });
}

/** Converts a tool to its whole spec, for lists and exports: summary, examples, and input as JSON Schema. */
export function toSpec(tool: Tool, name: string): ToolSpec {
  const examples = tool.examples.map(({ note, given }) => `Example (${note}): ${JSON.stringify(given)}`);
  const { $schema: _, ...parameters } = getInputSchema(tool);
  return { name, description: [tool.summary, ...examples].join("\n"), parameters };
}

/** The most characters of a summary that a tenant or a server wrote. */
const MAX_OUTSIDE_SUMMARY = 300;

/**
 * Converts a tool to what a model reads at every step: its summary and its parameters without bounds. A tool that the
 * agent's rules disable says why, so that the model knows why it does not work.
 */
export function toModelSpec(tool: Tool, name: string, disabled: string | null): ToolSpec {
  const isLong = tool.written !== undefined && tool.summary.length > MAX_OUTSIDE_SUMMARY;
  const summary = isLong ? `${tool.summary.slice(0, MAX_OUTSIDE_SUMMARY - 1).toWellFormed()}…` : tool.summary;
  const description = disabled === null ? summary : `${summary}\nDisabled: ${disabled}`;
  return { name, description, parameters: toModelSchema(getInputSchema(tool)) };
}
