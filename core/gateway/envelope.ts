/** Checks the envelope: whether a task may use a tool. Applied when the model's tools are listed, and at every call. */
import { fnmatch, matchesOneOf } from "../lib/fnmatch.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import type { AgentConfig } from "../agents/agent.ts";
import type { Permission, Tool } from "../tool/tool.ts";

/** The fields of a tool that the envelope checks. */
type CheckedTool = Pick<
  Tool,
  "name" | "alsoNamed" | "permissions" | "onlyByName" | "onlyWithApps" | "runsPinnedSkills"
>;

/** The parts of a task that decide: its agent, and the tool patterns of its request and of each dispatch above it. */
interface Envelope {
  readonly agent: { readonly config: Pick<AgentConfig, "name" | "permissions" | "tools"> };
  readonly tools: readonly (readonly string[])[];
  /** Absent from a task without apps. */
  readonly apps?: object;
}

/**
 * Allows a tool that the agent lists, that the request and the dispatches allow, and whose permissions the agent has.
 * `hasSkills`: the task pinned a skill. Only administrators and releases publish skills, so for a tool that runs only
 * scripts of pinned skills, `read` replaces `exec`: they read the sandbox.
 */
export function checkEnvelope(tool: CheckedTool, facts: Envelope, hasSkills = false): Result<void> {
  const { config } = facts.agent;
  if (tool.onlyByName === true && !isNamed(tool, config.tools)) {
    return failed("permission_denied", `The tool ${tool.name} is off: the agent "${config.name}" does not name it.`);
  }
  if (!matchesAny(tool, config.tools)) {
    return failed("permission_denied", `The agent "${config.name}" does not have the tool ${tool.name}.`);
  }
  if (!facts.tools.every((patterns) => matchesAny(tool, patterns))) {
    return failed("permission_denied", `This task was not given the tool ${tool.name}.`);
  }
  if (tool.onlyWithApps === true && facts.apps === undefined) {
    return failed("permission_denied", `The tool ${tool.name} is only for tasks with apps, and this one has none.`);
  }
  const has = (permission: Permission) => config.permissions.includes(permission);
  const isGranted = (permission: Permission) =>
    has(permission) || (permission === "exec" && hasSkills && tool.runsPinnedSkills === true && has("read"));
  const missing = tool.permissions.find((permission) => !isGranted(permission));
  if (missing !== undefined) return failed("permission_denied", formatMissingPermission(missing, config.permissions));
  return ok(undefined);
}

/**
 * True when the pattern matches one of the tool's names, by fnmatch's rules; a dotted name also matches with
 * underscores.
 */
export function matchesTool(tool: Pick<Tool, "name" | "alsoNamed">, pattern: string): boolean {
  return listNames(tool).some((name) => fnmatch(name, pattern));
}

/** Returns every name that patterns may use for a tool. */
export function listNames({ name, alsoNamed = [] }: Pick<Tool, "name" | "alsoNamed">): string[] {
  return [...new Set([name, ...alsoNamed].flatMap((one) => [one, one.replaceAll(".", "_")]))];
}

/** True when one of the patterns is exactly one of the tool's names. */
function isNamed(tool: Pick<Tool, "name" | "alsoNamed">, patterns: readonly string[]): boolean {
  const names = listNames(tool);
  return patterns.some((pattern) => names.includes(pattern));
}

/** True when one of the patterns matches the tool, by any of its names. */
export function matchesAny(tool: Pick<Tool, "name" | "alsoNamed">, patterns: readonly string[]): boolean {
  return listNames(tool).some((name) => matchesOneOf(name, patterns));
}

/** Formats the error of a missing permission. Its text is part of the API's contract. */
export function formatMissingPermission(missing: Permission, granted: readonly Permission[]): string {
  return `Tool requires :${missing} permission but agent only has [${granted.map((permission) => `:${permission}`).join(", ")}]`;
}
