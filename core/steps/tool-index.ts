/**
 * The index of the tools that a request does not show, inside the description of `find_tools`: one line for each
 * toolbox, within a budget. A line is `name: five words` for every tool of the toolbox, then names only, then their
 * count. While the index is too long, the largest line is reduced, so one more tool changes one line.
 */
import { measureTokens } from "../model/tokens.ts";

/** The most tokens of the index. */
export const MAX_INDEX_TOKENS = 300;
/** The most tokens of the counts of all toolboxes. The rest of the budget is for names. */
const MAX_COUNT_TOKENS = 200;
/** Words of a summary in the index. */
const WORDS = 5;
/** A toolbox with more tools than this is a count from the start: its names alone would exceed the budget. */
const MAX_NAMED = 150;
/** The most characters of the name of a toolbox, which a tenant or a server chose. */
const MAX_TOOLBOX = 40;
/** Words that end no phrase. */
const JOINING = new Set(
  "a an and as at by for from in into its of on or so than that the their to which with your".split(" "),
);

/** A tool of the index, under the name that the model sees. */
export interface IndexedTool {
  readonly name: string;
  readonly toolbox: string;
  readonly summary: string;
}

type Level = 0 | 1 | 2;

interface Line {
  readonly toolbox: string;
  readonly tools: readonly IndexedTool[];
  readonly level: Level;
  readonly tokens: number;
}

/** Formats the index of tools, by toolbox in the order of the first tool of each. */
export function formatToolIndex(tools: readonly IndexedTool[]): string {
  const byToolbox = new Map<string, IndexedTool[]>();
  for (const tool of tools) {
    const group = byToolbox.get(tool.toolbox);
    if (group === undefined) byToolbox.set(tool.toolbox, [tool]);
    else group.push(tool);
  }
  const { first, last } = foldToolboxes([...byToolbox]);
  const lines = first.map(([toolbox, group]) => toLine(toolbox, group, group.length > MAX_NAMED ? 2 : 0));
  const most = MAX_INDEX_TOKENS - measureTokens(last);
  while (countTokens(lines) > most) {
    const at = findLargest(lines);
    const line = lines[at];
    if (line === undefined) break;
    lines[at] = toLine(line.toolbox, line.tools, line.level === 0 ? 1 : 2);
  }
  return [...lines.map(formatLine), ...(last === "" ? [] : [last])].join("\n");
}

/** Returns the first words of a summary that make a phrase, without the joining word that five words may end in. */
export function toPhrase(summary: string): string {
  const [clause = ""] = summary.trim().split(/[.;:(]\s|[.;:]$|\n/, 1);
  const words = clause.split(/\s+/).slice(0, WORDS);
  while (words.length > 1 && JOINING.has(words.at(-1)?.toLowerCase() ?? "")) words.pop();
  return words.join(" ").replace(/,$/, "").slice(0, 60).toWellFormed();
}

/** Returns the place of the longest line that can still be reduced; -1 without one. */
function findLargest(lines: readonly Line[]): number {
  let largest = -1;
  for (const [at, { level, tokens }] of lines.entries())
    if (level < 2 && tokens > (lines[largest]?.tokens ?? -1)) largest = at;
  return largest;
}

type Toolbox = readonly [toolbox: string, tools: readonly IndexedTool[]];

/** Hundreds of toolboxes exceed the budget even as counts: the last ones become one line. */
function foldToolboxes(toolboxes: readonly Toolbox[]): { readonly first: readonly Toolbox[]; readonly last: string } {
  let tokens = 0;
  const at = toolboxes.findIndex(([toolbox, tools]) => (tokens += toLine(toolbox, tools, 2).tokens) > MAX_COUNT_TOKENS);
  if (at < 0) return { first: toolboxes, last: "" };
  const rest = toolboxes.slice(at);
  const count = rest.reduce((sum, [, tools]) => sum + tools.length, 0);
  return { first: toolboxes.slice(0, at), last: `${rest.length} more groups: ${count} tools` };
}

function toLine(toolbox: string, tools: readonly IndexedTool[], level: Level): Line {
  const line = { toolbox, tools, level, tokens: 0 };
  return { ...line, tokens: measureTokens(formatLine(line)) + 1 };
}

function formatLine({ toolbox, tools, level }: Line): string {
  const box = toolbox.replace(/\s+/g, " ").slice(0, MAX_TOOLBOX).toWellFormed();
  if (level === 2) return `[${box}] ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  const entries = tools.map(({ name, summary }) => (level === 0 ? `${name}: ${toPhrase(summary)}` : name));
  return `[${box}] ${entries.join(level === 0 ? "; " : ", ")}`;
}

function countTokens(lines: readonly Line[]): number {
  return lines.reduce((sum, { tokens }) => sum + tokens, 0);
}
