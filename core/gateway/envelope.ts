/** The envelope: is a tool inside what this task may use? Checked when the model is shown its tools, and at every call. */
import { fnmatch, matchesOneOf } from "../lib/fnmatch.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import type { AgentConfig } from "../agents/agent.ts";
import type { Permission, Tool } from "../tool/tool.ts";

/** What of a tool the envelope is about. */
type JudgedTool = Pick<Tool, "name" | "alsoNamed" | "permissions" | "onlyByName">;

/** What of a task: its agent, and the patterns that each dispatch above it and its request narrowed its tools to. */
interface Envelope {
  readonly agent: { readonly config: Pick<AgentConfig, "name" | "permissions" | "tools"> };
  readonly tools: readonly (readonly string[])[];
}

/** Passes a tool that the agent lists, that neither the request nor a dispatch narrowed away, and whose permissions the agent has. */
export function checkEnvelope(tool: JudgedTool, facts: Envelope): Result<void> {
  const { config } = facts.agent;
  if (tool.onlyByName === true && !isNamed(tool, config.tools)) {
    return failed("permission_denied", `The tool ${tool.name} is off: the tools of "${config.name}" do not name it.`);
  }
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
export function matchesTool(tool: Pick<Tool, "name" | "alsoNamed">, pattern: string): boolean {
  return namesOf(tool).some((name) => fnmatch(name, pattern));
}

/** Every name by which patterns know a tool. */
export function namesOf({ name, alsoNamed = [] }: Pick<Tool, "name" | "alsoNamed">): string[] {
  return [...new Set([name, ...alsoNamed].flatMap((one) => [one, one.replaceAll(".", "_")]))];
}

/** True when one of the patterns is one of the tool's names, letter by letter. */
function isNamed(tool: Pick<Tool, "name" | "alsoNamed">, patterns: readonly string[]): boolean {
  const names = namesOf(tool);
  return patterns.some((pattern) => names.includes(pattern));
}

/** True when one of the patterns matches the tool, by any of its names. */
export function matchesAny(tool: Pick<Tool, "name" | "alsoNamed">, patterns: readonly string[]): boolean {
  return namesOf(tool).some((name) => matchesOneOf(name, patterns));
}

/** The refusal of document 003, word for word. */
export function missingPermission(missing: Permission, had: readonly Permission[]): string {
  return `Tool requires :${missing} permission but agent only has [${had.map((permission) => `:${permission}`).join(", ")}]`;
}
