/** The tools of a task: what resolves, and what the model is shown. Built once for an agent's version and cached. */
import { z } from "zod";
import { sandboxRules } from "../agent.ts";
import type { ToolSpec } from "../ports.ts";
import type { TaskFacts } from "../task-state.ts";
import type { Tool } from "../tool.ts";
import type { JsonSchema } from "../tool-source.ts";
import { checkEnvelope } from "./envelope.ts";
import { modelNames } from "./model-names.ts";

/** Every tool by each of its names, and the specs of those inside the envelope, in the catalogue's order. */
export interface Toolset {
  resolve(name: string): Tool | null;
  readonly specs: readonly ToolSpec[];
  /** The own names of the tools inside the envelope. */
  readonly names: readonly string[];
}

/** Builds the toolset of a task from the catalogue. */
export async function buildToolset(catalogue: readonly Tool[], facts: TaskFacts): Promise<Toolset> {
  const shown = await modelNames(catalogue);
  const byName = new Map<string, Tool>();
  for (const tool of catalogue) {
    byName.set(tool.name, tool);
    byName.set(shown.get(tool.name) ?? tool.name, tool);
  }
  for (const tool of catalogue) for (const name of tool.alsoNamed ?? []) if (!byName.has(name)) byName.set(name, tool);
  const rules = sandboxRules(facts.agent.config);
  const inside = catalogue.filter((tool) => checkEnvelope(tool, facts).ok);
  const specs = inside.map((tool) => toSpec(tool, shown.get(tool.name) ?? tool.name, tool.disabled?.(rules) ?? null));
  return { resolve: (name) => byName.get(name) ?? null, specs, names: inside.map(({ name }) => name) };
}

/** A tool's input as JSON Schema. */
export function inputSchema(tool: Pick<Tool, "input" | "written">): JsonSchema {
  return tool.written?.input ?? z.toJSONSchema(tool.input, { io: "input" });
}

/** A tool's output as JSON Schema; `{}` takes anything. */
export function outputSchema(tool: Pick<Tool, "output" | "written">): JsonSchema {
  return tool.written === undefined ? z.toJSONSchema(tool.output, { io: "output" }) : (tool.written.output ?? {});
}

/**
 * A tool as a model is shown it: its summary with its examples, and its input as JSON Schema. A tool that the agent's
 * rules switch off is listed all the same, with the reason, so that the model knows why it is of no use (document 001).
 */
export function toSpec(tool: Tool, name: string, disabled: string | null): ToolSpec {
  const notes =
    disabled === null
      ? tool.examples.map(({ note, given }) => `Example (${note}): ${JSON.stringify(given)}`)
      : [`Disabled: ${disabled}`];
  const { $schema: _, ...parameters } = inputSchema(tool);
  return { name, description: [tool.summary, ...notes].join("\n"), parameters };
}
