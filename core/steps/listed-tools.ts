/**
 * Chooses the tools that a model is given at every step. All of a task's tools while they are few, with examples while
 * they are very few; otherwise a fixed core, the tools that the agent names exactly, and the two that find and call the
 * others.
 */
import type { AgentConfig } from "../agents/agent.ts";
import type { ToolSpec } from "../ports/model.ts";
import type { Tool } from "../tool/tool.ts";
import { listNames } from "../gateway/envelope.ts";

export const FIND_TOOLS = "find_tools";
export const CALL_TOOL = "call_tool";

/** The most characters of all specs with examples; examples are a fifth of them. */
const MAX_CHARACTERS_WITH_EXAMPLES = 20_000;
/** The most characters of all specs without examples: some 12,000 tokens, more than all built-in tools have. */
export const MAX_ALL_CHARACTERS = 48_000;
/** The most characters of a selection, so that a first request is below 8 KB. */
export const MAX_LISTED_CHARACTERS = 7_000;
/** Estimated characters that a provider's format adds to a spec. */
const WIRE_CHARACTERS = 60;

/** Listed first in a selection: tools to find the others, to end, to ask, to read on, and the sandbox's basics. */
const CORE: readonly string[] = [
  FIND_TOOLS,
  CALL_TOOL,
  "finished",
  "ask_human",
  "expand_result",
  "read_file",
  "write_file",
];
/** Listed after the tools that the agent names, if they fit. */
const EXTRA: readonly string[] = ["dispatch_subagent", "list_directory"];

/** The tools in a request. `hidden`: the task has further tools. */
export interface ListedTools {
  readonly specs: readonly ToolSpec[];
  readonly hidden: boolean;
}

/**
 * Chooses among the tools inside the envelope, in their order. `search` has the two tools `FIND_TOOLS` and `CALL_TOOL`:
 * without both, everything is listed. They are omitted when everything is listed anyway.
 */
export function chooseListed(
  inside: readonly Tool[],
  search: readonly Tool[],
  { tools: patterns }: Pick<AgentConfig, "tools">,
  specOf: (tool: Tool, withExamples: boolean) => ToolSpec,
): ListedTools {
  const others = inside.filter(({ name }) => !isSearchTool(name));
  const whole = listAll(others, MAX_CHARACTERS_WITH_EXAMPLES, (tool) => specOf(tool, true));
  if (whole !== null) return { specs: whole, hidden: false };
  const most = search.length === 2 ? MAX_ALL_CHARACTERS : Infinity;
  const all = listAll(others, most, (tool) => specOf(tool, false));
  return all === null ? { specs: chooseFew(), hidden: true } : { specs: all, hidden: false };

  function chooseFew(): ToolSpec[] {
    const literal = new Set(patterns.filter((pattern) => !/[*?[]/.test(pattern)));
    const pick = (names: readonly string[]) =>
      names.flatMap((name) => [...search, ...others].filter((tool) => tool.name === name));
    const named = others.filter((tool) => listNames(tool).some((name) => literal.has(name)));
    const specs: ToolSpec[] = [];
    let left = MAX_LISTED_CHARACTERS;
    for (const tool of new Set([...pick(CORE), ...named, ...pick(EXTRA)])) {
      const spec = specOf(tool, false);
      if (countCharacters(spec) > left) continue;
      left -= countCharacters(spec);
      specs.push(spec);
    }
    return specs;
  }
}

/** Returns the specs of all tools; null when they exceed `most` characters together. */
function listAll(tools: readonly Tool[], most: number, specOf: (tool: Tool) => ToolSpec): ToolSpec[] | null {
  const specs: ToolSpec[] = [];
  let characters = 0;
  for (const tool of tools) {
    const spec = specOf(tool);
    characters += countCharacters(spec);
    if (characters > most) return null;
    specs.push(spec);
  }
  return specs;
}

/** True for the tools that find and call others. */
export function isSearchTool(name: string): boolean {
  return name === FIND_TOOLS || name === CALL_TOOL;
}

function countCharacters(spec: ToolSpec): number {
  return JSON.stringify(spec).length + WIRE_CHARACTERS;
}
