/**
 * Chooses the tools that a model is shown, by one rule for every number of tools: the fixed core, cut to what the
 * envelope admits, then the actions of apps that were chosen for the task (`core/apps/choice/resolve.ts`), then the tools that the agent or the request lists by name, then `find_tools` and `call_tool`. Every
 * other tool inside the envelope is in the index of `find_tools` and can be called by its own name all the same.
 *
 * The choice depends only on the catalogue and the task's facts, so it is the same at every step until a skill with
 * `allowed-tools` comes into force. More tools change the index, never the core.
 */
import type { ToolSpec } from "../ports/model.ts";
import type { Tool } from "../tool/tool.ts";
import { listNames } from "../gateway/envelope.ts";
import { formatToolIndex } from "./tool-index.ts";

export const FIND_TOOLS = "find_tools";
export const CALL_TOOL = "call_tool";

/** The core, in the order of a request. */
export const CORE_TOOLS: readonly string[] = [
  "ask_human",
  "read_file",
  "write_file",
  "list_directory",
  "grep",
  "expand_result",
  "dispatch_subagent",
  "attach_file",
  "load_skill",
  "web_search",
  "http_request",
  "memory_search",
];
/** The core of a task with apps. The envelope of others lacks the last one. */
const CORE_WITH_APPS = [...CORE_TOOLS, "request_connection"];

/** The most characters of the specs that the agent lists by name, some 6,000 tokens. Further ones are in the index. */
export const MAX_NAMED_CHARACTERS = 24_000;
/**
 * A request, a skill or a dispatch lists names to narrow the tools. What it names is shown while all specs have at most
 * this many characters, some 1,000 tokens: a list of many leaves most of them to the index.
 */
const MAX_NARROWED_CHARACTERS = 4_600;

/** The tools of a task: what a request shows, and what a search may find. */
export interface ShownTools {
  readonly specs: readonly ToolSpec[];
  /** True when the task has tools that are not shown; then the two search tools are. */
  readonly hasMore: boolean;
  /** The names of the tools that models may hear of: without the aliases of others. */
  readonly findable: readonly string[];
}

/** What the choice needs: the agent's patterns, and the lists that narrow them for this task. */
export interface ShownToolsRequest {
  /** The tools inside the envelope, in the order of the catalogue. */
  readonly inside: readonly Tool[];
  /** `find_tools` and `call_tool`. Without both, everything is shown. */
  readonly search: readonly Tool[];
  readonly patterns: readonly string[];
  readonly narrowing: readonly (readonly string[])[];
  /** Names of the tools that were chosen for the task, the best first. */
  readonly preferred: readonly string[];
  readonly specOf: (tool: Tool) => ToolSpec;
  /** The name that the model sees. */
  readonly nameOf: (tool: Tool) => string;
}

export function chooseShownTools(request: ShownToolsRequest): ShownTools {
  const { inside, search, patterns, narrowing, preferred, specOf, nameOf } = request;
  const isOfAgent = matchNames(patterns);
  const isOfTask = matchNames(narrowing.flat());
  const isListed = (tool: Tool) => isOfAgent(tool) || isOfTask(tool);
  const others = hideTwins(
    inside.filter(({ name }) => !isSearchTool(name)),
    isListed,
  );
  const findable = others.map(({ name }) => name);
  if (search.length < 2) return { specs: others.map(specOf), hasMore: false, findable };
  const core = CORE_WITH_APPS.flatMap((slot) =>
    others.filter(({ name, aliasOf }) => name === slot || aliasOf === slot),
  );
  const shown = new Map(core.map((tool) => [tool, specOf(tool)]));
  for (const name of preferred) for (const tool of others) if (tool.name === name) shown.set(tool, specOf(tool));
  addFitting(shown, others.filter(isOfAgent), MAX_NAMED_CHARACTERS, specOf);
  const narrowed = MAX_NARROWED_CHARACTERS - countCharacters([...shown.values()]);
  addFitting(shown, others.filter(isOfTask), narrowed, specOf);
  const rest = others.filter((tool) => !shown.has(tool));
  const specs = [...shown.values()];
  if (rest.length === 0) return { specs, hasMore: false, findable };
  const index = formatToolIndex(
    rest.map((tool) => ({ name: nameOf(tool), toolbox: tool.toolbox, summary: tool.summary })),
  );
  const last = [FIND_TOOLS, CALL_TOOL].flatMap((name) => search.filter((tool) => tool.name === name)).map(specOf);
  const indexed = last.map((spec) =>
    spec.name === FIND_TOOLS ? { ...spec, description: `${spec.description}\n${index}` } : spec,
  );
  return { specs: [...specs, ...indexed], hasMore: true, findable };
}

/** Adds the first tools that fit. */
function addFitting(
  shown: Map<Tool, ToolSpec>,
  tools: readonly Tool[],
  most: number,
  specOf: (tool: Tool) => ToolSpec,
): void {
  let left = most;
  for (const tool of tools) {
    if (shown.has(tool)) continue;
    const spec = specOf(tool);
    left -= countCharacters([spec]);
    if (left < 0) return;
    shown.set(tool, spec);
  }
}

function countCharacters(specs: readonly ToolSpec[]): number {
  return specs.reduce((sum, spec) => sum + JSON.stringify(spec).length, 0);
}

/** Returns a test for the tools that one of the patterns names exactly. */
function matchNames(patterns: readonly string[]): (tool: Tool) => boolean {
  const names = new Set(patterns.filter((pattern) => !/[*?[]/.test(pattern)));
  if (names.size === 0) return () => false;
  return (tool) => listNames(tool).some((name) => names.has(name));
}

/** True for the tools that find and call others. */
export function isSearchTool(name: string): boolean {
  return name === FIND_TOOLS || name === CALL_TOOL;
}

/** Leaves one tool of each ability: an alias only when it alone is listed by name, or when its twin is not inside. */
function hideTwins(tools: readonly Tool[], isListed: (tool: Tool) => boolean): Tool[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const replaces = (tool: Tool) => {
    const twin = tool.aliasOf === undefined ? undefined : byName.get(tool.aliasOf);
    return twin !== undefined && isListed(tool) && !isListed(twin);
  };
  const replaced = new Set(tools.filter(replaces).map(({ aliasOf }) => aliasOf));
  return tools.filter((tool) =>
    tool.aliasOf === undefined ? !replaced.has(tool.name) : replaces(tool) || !byName.has(tool.aliasOf),
  );
}
