/** Which tools a skill's patterns mean. It is for showing: what a task may do, the server decides. */
import { isMatchedBy } from "../../api/tool-patterns.ts";
import type { Tool } from "../../api/types.generated.ts";

/** What is known of a tool. */
export type KnownTool = Pick<Tool, "name" | "also_named" | "toolbox" | "summary" | "permissions">;

/** The tools that one of the patterns means, by any of their names; null means all. */
export function matchedTools<T extends KnownTool>(
  tools: readonly T[],
  patterns: readonly string[] | null,
): readonly T[] {
  if (patterns === null) return tools;
  return tools.filter((tool) => patterns.some((pattern) => isMatchedBy(tool, pattern)));
}

/** True when the pattern may mean more than one tool. */
export function isFamily(pattern: string): boolean {
  return /[*?[]/.test(pattern);
}
