/**
 * Which tools a model is shown at every step. All of a task's tools while they are few, with examples while they are very
 * few; when there are more, a fixed core, the tools that the agent names one by one, and the two by which the model finds
 * and calls the others.
 */
import type { AgentConfig } from "../agents/agent.ts";
import type { ToolSpec } from "../ports/model.ts";
import type { Tool } from "../tool/tool.ts";
import { namesOf } from "../gateway/envelope.ts";

export const FIND_TOOLS = "find_tools";
export const CALL_TOOL = "call_tool";

/** Characters that the specs of all tools may have together to be shown with their examples, which are a fifth of them. */
const MAX_CHARACTERS_WITH_EXAMPLES = 20_000;
/** Characters that they may have to be shown at all: some 12,000 tokens, and more than all built-in tools have. */
export const MAX_ALL_CHARACTERS = 48_000;
/** Characters of what is shown otherwise, so that a first request stays below 8 KB. */
export const MAX_SHOWN_CHARACTERS = 7_000;
/** What a provider's wire form adds to a spec, about. */
const WIRE_CHARACTERS = 60;

/** Shown first when not all can be: how to find the others, to end, to ask, to read on, and the sandbox's basics. */
const CORE: readonly string[] = [
  FIND_TOOLS,
  CALL_TOOL,
  "finished",
  "ask_human",
  "expand_result",
  "read_file",
  "write_file",
];
/** Shown after the tools that the agent names, where there is room. */
const THEN: readonly string[] = ["dispatch_subagent", "list_directory"];

/** What a model is shown. `hidden`: there are tools in reach that it is not shown. */
export interface ShownTools {
  readonly specs: readonly ToolSpec[];
  readonly hidden: boolean;
}

/**
 * Chooses among the tools inside the envelope, in their order. `search` are the two tools of `FIND_TOOLS` and `CALL_TOOL`:
 * without both, everything is shown. They are left out while everything is shown anyway.
 */
export function chooseShown(
  inside: readonly Tool[],
  search: readonly Tool[],
  { tools: patterns }: Pick<AgentConfig, "tools">,
  specOf: (tool: Tool, withExamples: boolean) => ToolSpec,
): ShownTools {
  const others = inside.filter(({ name }) => !isSearchTool(name));
  const whole = allOf(others, MAX_CHARACTERS_WITH_EXAMPLES, (tool) => specOf(tool, true));
  if (whole !== null) return { specs: whole, hidden: false };
  const most = search.length === 2 ? MAX_ALL_CHARACTERS : Infinity;
  const all = allOf(others, most, (tool) => specOf(tool, false));
  return all === null ? { specs: chooseFew(), hidden: true } : { specs: all, hidden: false };

  function chooseFew(): ToolSpec[] {
    const literal = new Set(patterns.filter((pattern) => !/[*?[]/.test(pattern)));
    const pick = (names: readonly string[]) =>
      names.flatMap((name) => [...search, ...others].filter((tool) => tool.name === name));
    const named = others.filter((tool) => namesOf(tool).some((name) => literal.has(name)));
    const specs: ToolSpec[] = [];
    let left = MAX_SHOWN_CHARACTERS;
    for (const tool of new Set([...pick(CORE), ...named, ...pick(THEN)])) {
      const spec = specOf(tool, false);
      if (charactersOf(spec) > left) continue;
      left -= charactersOf(spec);
      specs.push(spec);
    }
    return specs;
  }
}

/** The specs of all of them; null when they have more than so many characters together. */
function allOf(tools: readonly Tool[], most: number, specOf: (tool: Tool) => ToolSpec): ToolSpec[] | null {
  const specs: ToolSpec[] = [];
  let characters = 0;
  for (const tool of tools) {
    const spec = specOf(tool);
    characters += charactersOf(spec);
    if (characters > most) return null;
    specs.push(spec);
  }
  return specs;
}

/** True for the tools by which others are found and called. */
export function isSearchTool(name: string): boolean {
  return name === FIND_TOOLS || name === CALL_TOOL;
}

function charactersOf(spec: ToolSpec): number {
  return JSON.stringify(spec).length + WIRE_CHARACTERS;
}
