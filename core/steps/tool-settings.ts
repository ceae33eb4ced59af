/**
 * The settings of an agent's `tool_config`: those that a tool declares and its calls read from `config`, and those of a
 * toolbox, which apply to the agent or to each of its tools. Other settings are refused by name.
 */
import "../base/describe-issue.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { getOwn } from "../base/own-field.ts";
import { z } from "zod";
import { type AgentConfig, deniedPatternSchema } from "../agents/agent.ts";
import { ok, type Result } from "../base/errors.ts";
import { indexByKey } from "./tool-bus.ts";
import { compileBlocked } from "../lib/shell/blocked-patterns.ts";
import type { PatternsPort } from "../lib/patterns.ts";
import { listBlockedPatterns, shellSettings } from "../sandbox/shell-settings.ts";
import { toNameKey } from "../tool/source.ts";
import type { Tool } from "../tool/tool.ts";
import { idempotentHostSchema } from "../web/idempotent-hosts.ts";

const strings = (most: number, characters: number) => z.array(z.string().min(1).max(characters)).max(most).optional();

/** Settings by toolbox, named like the agent's own fields; `sandbox` for files. */
const TOOLBOX_SETTINGS = {
  files: z.strictObject({
    allow_write: z.boolean().optional(),
    allowed_paths: strings(100, 1_024),
    denied_patterns: z.array(deniedPatternSchema).max(100).optional(),
    extensions: strings(100, 20),
  }),
  web: z.strictObject({
    allowed_domains: strings(200, 260),
    idempotent_hosts: z.array(idempotentHostSchema).max(200).optional(),
  }),
  shell: shellSettings,
} as const;

/** Returns the configuration, or `invalid_input` that names every unknown or invalid field of its `tool_config`. */
export function checkToolConfig(
  config: AgentConfig,
  tools: readonly Tool[],
  patterns: PatternsPort,
): Result<AgentConfig> {
  const byKey = indexByKey(tools);
  const toolboxes = new Set(tools.map(({ toolbox }) => toolbox));
  const faults = Object.entries(config.tool_config ?? {}).flatMap(([name, given]) => {
    const field = `tool_config.${name}`;
    const tool = byKey.get(toNameKey(name));
    const schema = getToolboxSchema(name) ?? tool?.settings;
    if (schema !== undefined)
      return [
        ...findSettingFaults(schema, given, field),
        ...(schema === shellSettings ? findPatternFaults(given, field, patterns) : []),
        ...findDuplicates(config, name, given, field, tool?.toolbox),
      ];
    const isKnown = tool !== undefined || toolboxes.has(name);
    return [{ field, message: isKnown ? "has nothing that can be set" : "there is no tool or toolbox of this name" }];
  });
  return faults.length === 0 ? ok(config) : { ok: false, error: invalidInput(faults) };
}

/** Applies the settings of toolboxes as the agent's own fields. */
export function applyToolboxSettings(config: AgentConfig): AgentConfig {
  const { files, web } = config.tool_config ?? {};
  if (files === undefined && web === undefined) return config;
  // Checked when the agent was created.
  const sandbox = { ...config.sandbox, ...(files as AgentConfig["sandbox"]) };
  return { ...config, ...(web as Partial<AgentConfig>), ...(files === undefined ? {} : { sandbox }) };
}

/**
 * Returns the agent's settings of a tool: those of its toolbox if the tool uses them, and its own, under any of its
 * names.
 */
export function getSettings(
  config: AgentConfig,
  tool: Pick<Tool, "name" | "alsoNamed" | "toolbox" | "settings">,
): Readonly<Record<string, unknown>> {
  const given = config.tool_config ?? {};
  const own = Object.entries(given).find(([name]) => isNamed(tool, name))?.[1];
  return usesToolboxSettings(tool) ? { ...getOwn(given, tool.toolbox), ...own } : (own ?? {});
}

/** Returns the arguments that an agent's settings of a tool supply to calls that omit them. */
export function getSupplied(
  { fills = {} }: Pick<Tool, "fills">,
  settings: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fills).flatMap(([argument, setting = argument]) => {
      const value = getOwn(settings, setting);
      return value === undefined ? [] : [[argument, value]];
    }),
  );
}

/** Whether the tool uses the settings of its toolbox. */
function usesToolboxSettings({ toolbox, settings }: Pick<Tool, "toolbox" | "settings">): boolean {
  return settings !== undefined && getToolboxSchema(toolbox) === settings;
}

function getToolboxSchema(name: string): z.ZodObject | undefined {
  return Object.hasOwn(TOOLBOX_SETTINGS, name) ? TOOLBOX_SETTINGS[name as keyof typeof TOOLBOX_SETTINGS] : undefined;
}

function findSettingFaults(schema: z.ZodObject, given: unknown, field: string) {
  const parsed = schema.strict().safeParse(given);
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ field: `${field}.${key}`, message: "there is no such setting" }))
      : [{ field: [field, ...issue.path].join("."), message: issue.message }],
  );
}

/** Finds a blocked pattern that the engine cannot run. */
function findPatternFaults(given: unknown, field: string, patterns: PatternsPort) {
  const parsed = shellSettings.safeParse(given);
  if (!parsed.success) return [];
  const compiled = compileBlocked(listBlockedPatterns(parsed.data), patterns);
  if (compiled.ok) return [];
  return [{ field: `${field}.blocked_patterns.${compiled.error.field}`, message: compiled.error.message }];
}

/** Finds settings that are set twice, whose effect would be ambiguous. */
function findDuplicates(
  config: AgentConfig,
  name: string,
  given: Readonly<Record<string, unknown>>,
  field: string,
  toolbox = "",
) {
  const { own, place } = findOtherField(config, name, toolbox);
  return Object.keys(given)
    .filter(
      (key) => own?.[key] !== undefined && getToolboxSchema(toolbox === "" ? name : toolbox)?.shape[key] !== undefined,
    )
    .map((key) => ({ field: `${field}.${key}`, message: `is set in ${place}${key} too` }));
}

/** Returns the other location of a toolbox's setting: the agent's own fields, or the toolbox of the named tool. */
function findOtherField(
  config: AgentConfig,
  name: string,
  toolbox: string,
): { readonly own: Readonly<Record<string, unknown>> | undefined; readonly place: string } {
  if (name === "files") return { own: config.sandbox, place: "sandbox." };
  if (name === "web") return { own: config, place: "" };
  return { own: toolbox === "" ? undefined : config.tool_config?.[toolbox], place: `tool_config.${toolbox}.` };
}

function isNamed({ name, alsoNamed = [] }: Pick<Tool, "name" | "alsoNamed">, given: string): boolean {
  return [name, ...alsoNamed].some((one) => toNameKey(one) === toNameKey(given));
}
