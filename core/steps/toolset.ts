/** The tools of a task: what resolves, and what the model is shown. Built once for an agent's version and cached. */
import { z } from "zod";
import { sandboxRules } from "../agents/agent.ts";
import { type Failure, ok, type Result } from "../base/errors.ts";
import type { ToolSpec } from "../ports/model.ts";
import type { Skill } from "../skills/skill.ts";
import type { TaskFacts } from "../task/state.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import type { Tool } from "../tool/tool.ts";
import type { OwnApi } from "../web/idempotent-hosts.ts";
import { checkEnvelope } from "../gateway/envelope.ts";
import { modelNames } from "../gateway/model-names.ts";
import { chooseShown, isSearchTool } from "./shown-tools.ts";

/** The tools of a task: every tool by each of its names, and what is inside the envelope. */
export interface Toolset {
  resolve(name: string): Tool | null;
  /** What the model is shown, the same at every step: all tools inside the envelope while they are few (`shown-tools.ts`). */
  readonly specs: readonly ToolSpec[];
  /** The own names of the tools inside the envelope. */
  readonly names: readonly string[];
  /** Passes a tool inside the envelope; `permission_denied` says why another is not. */
  admits(tool: Tool): Result<void>;
  /** A tool inside the envelope by its own name, as a model is shown it; null for any other. */
  specOf(name: string): ToolSpec | null;
  /** The skills that there are for the task, in force or not. */
  readonly skills: readonly Skill[];
  /** What the model is told of those that the task works under since it was made, each in a text of its own. */
  readonly skillTexts: readonly string[];
  /** How long the provider of mail remembers a mail's key, in ms; null or absent: it honours none. */
  readonly mailKeyedForMs?: number | null;
  /** Otto's own API, which remembers keys longer than hosts that document nothing; null or absent: it has no public address. */
  readonly ownApi?: OwnApi | null;
  /** True when the tenant's own tools could not be read and are left out. */
  readonly isPart?: boolean;
}

/** Why there is no tool of a name that there was when the call was asked for. Nothing was sent. */
export function noSuchToolNow(name: string, { isPart = false }: Pick<Toolset, "isPart">): Failure {
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
  const shown = await modelNames(catalogue);
  const byName = new Map<string, Tool>();
  for (const tool of catalogue) {
    byName.set(tool.name, tool);
    byName.set(shown.get(tool.name) ?? tool.name, tool);
  }
  for (const tool of catalogue) for (const name of tool.alsoNamed ?? []) if (!byName.has(name)) byName.set(name, tool);
  const { config } = facts.agent;
  const rules = sandboxRules(config);
  const specOf = (tool: Tool, withExamples: boolean) =>
    toSpec(tool, shown.get(tool.name) ?? tool.name, tool.disabled?.(rules) ?? null, withExamples);
  const listed = catalogue.filter((tool) => checkEnvelope(tool, facts).ok);
  const search = catalogue.filter((tool) => tool.written === undefined && isSearchTool(tool.name));
  const { specs, hidden } = chooseShown(listed, search, config, specOf);
  // Tools that are not shown would be out of reach without these two, which themselves give the task nothing.
  const inside = hidden ? [...new Set([...search, ...listed])] : listed;
  const own = new Map(inside.map((tool) => [tool.name, tool]));
  return {
    resolve: (name) => byName.get(name) ?? null,
    specs,
    names: [...own.keys()],
    skills: catalogue.flatMap(({ skill }) => (skill === undefined ? [] : [skill])),
    skillTexts,
    admits: (tool) => (hidden && search.includes(tool) ? ok(undefined) : checkEnvelope(tool, facts)),
    specOf: (name) => {
      const tool = own.get(name);
      return tool === undefined ? null : specOf(tool, true);
    },
  };
}

/** A tool's input as JSON Schema. */
export function inputSchema(tool: Pick<Tool, "input" | "written">): JsonSchema {
  return tool.written?.input ?? z.toJSONSchema(tool.input, { io: "input" });
}

/** A tool's output as JSON Schema; `{}` takes anything. */
export function outputSchema(tool: Pick<Tool, "output" | "written">): JsonSchema {
  return tool.written === undefined ? z.toJSONSchema(tool.output, { io: "output" }) : (tool.written.output ?? {});
}

/** What an agent's `tool_config` may set of a tool, as JSON Schema; null: nothing. */
export function settingsSchema({ settings }: Pick<Tool, "settings">): JsonSchema | null {
  return settings === undefined ? null : z.toJSONSchema(settings, { io: "input" });
}

/**
 * A tool as a model is shown it: its summary, with its examples where there is room for them, and its input as JSON Schema. A tool that the agent's
 * rules switch off is listed all the same, with the reason, so that the model knows why it is of no use (document 001).
 */
export function toSpec(tool: Tool, name: string, disabled: string | null, withExamples = true): ToolSpec {
  const examples = withExamples ? tool.examples : [];
  const notes =
    disabled === null
      ? examples.map(({ note, given }) => `Example (${note}): ${JSON.stringify(given)}`)
      : [`Disabled: ${disabled}`];
  const { $schema: _, ...parameters } = inputSchema(tool);
  return { name, description: [tool.summary, ...notes].join("\n"), parameters };
}
