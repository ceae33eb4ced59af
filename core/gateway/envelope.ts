/** The envelope: is a tool inside what this task may use? Checked when the model is shown its tools, and at every call. */
import { fnmatch } from "../fnmatch.ts";
import { failed, ok, type Result } from "../errors.ts";
import type { TaskFacts } from "../task-state.ts";
import type { Permission, Tool } from "../tool.ts";

/** Passes a tool that the agent lists, that neither the request nor a dispatch narrowed away, and whose permissions the agent has. */
export function checkEnvelope(tool: Pick<Tool, "name" | "alsoNamed" | "permissions">, facts: TaskFacts): Result<void> {
  const { config } = facts.agent;
  if (!matchesAny(tool, config.tools)) {
    return failed("permission_denied", `The agent "${config.name}" does not have the tool ${tool.name}.`);
  }
  if (!facts.tools.every((patterns) => matchesAny(tool, patterns))) {
    return failed("permission_denied", `This task was not given the tool ${tool.name}.`);
  }
  const missing = tool.permissions.find((permission) => !config.permissions.includes(permission));
  if (missing !== undefined) return failed("permission_denied", missingPermission(missing, config.permissions));
  return ok(undefined);
}

/** Patterns have fnmatch's rules; a tool is matched by any of its names, and a dotted one with underscores too. */
export function matchesTool({ name, alsoNamed = [] }: Pick<Tool, "name" | "alsoNamed">, pattern: string): boolean {
  return [name, ...alsoNamed].some((one) => fnmatch(one, pattern) || fnmatch(one.replaceAll(".", "_"), pattern));
}

function matchesAny(tool: Pick<Tool, "name" | "alsoNamed">, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesTool(tool, pattern));
}

/** The refusal of document 003, word for word. */
export function missingPermission(missing: Permission, had: readonly Permission[]): string {
  return `Tool requires :${missing} permission but agent only has [${had.map((permission) => `:${permission}`).join(", ")}]`;
}
