/**
 * What an agent's `tool_config` may hold: settings of a tool, which the tool declares and its calls find in `config`, and
 * settings of a toolbox, which are those of the agent that its tools go by, or those of each of its tools. Anything else
 * is refused by its name.
 */
import { getOwn } from "../base/own-field.ts";
import { z } from "zod";
import type { AgentConfig } from "../agents/agent.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { toolsByKey } from "./tool-bus.ts";
import { shellSettings } from "../sandbox/shell-settings.ts";
import { nameKey } from "../tool/source.ts";
import type { Tool } from "../tool/tool.ts";
import { idempotentHostSchema } from "../web/idempotent-hosts.ts";

const strings = (most: number, characters: number) => z.array(z.string().min(1).max(characters)).max(most).optional();

/** By toolbox. The names are those of the agent's own fields, under `sandbox` for files. */
const TOOLBOX_SETTINGS = {
  files: z.strictObject({
    allow_write: z.boolean().optional(),
    allowed_paths: strings(100, 1_024),
    denied_patterns: strings(100, 200),
    extensions: strings(100, 20),
  }),
  web: z.strictObject({
    allowed_domains: strings(200, 260),
    idempotent_hosts: z.array(idempotentHostSchema).max(200).optional(),
  }),
  shell: shellSettings,
} as const;

/** The configuration, unless its `tool_config` names what there is not. `invalid_input` names every field at fault. */
export function checkToolConfig(config: AgentConfig, tools: readonly Tool[]): Result<AgentConfig> {
  const byKey = toolsByKey(tools);
  const toolboxes = new Set(tools.map(({ toolbox }) => toolbox));
  const faults = Object.entries(config.tool_config ?? {}).flatMap(([name, given]) => {
    const field = `tool_config.${name}`;
    const tool = byKey.get(nameKey(name));
    const schema = toolboxSchema(name) ?? tool?.settings;
    if (schema !== undefined)
      return [...settingFaults(schema, given, field), ...doubleFaults(config, name, given, field, tool?.toolbox)];
    const isKnown = tool !== undefined || toolboxes.has(name);
    return [{ field, message: isKnown ? "has nothing that can be set" : "there is no tool or toolbox of this name" }];
  });
  const [first] = faults;
  if (first === undefined) return ok(config);
  const message = faults.map((fault) => `${fault.field}: ${fault.message}`).join("; ");
  return failed("invalid_input", message.slice(0, 2_000), { field: first.field, fields: faults });
}

/** The configuration as tasks go by it: the settings of toolboxes stand where the agent's own would. */
export function withToolboxSettings(config: AgentConfig): AgentConfig {
  const { files, web } = config.tool_config ?? {};
  if (files === undefined && web === undefined) return config;
  // They were checked when the agent was made.
  const sandbox = { ...config.sandbox, ...(files as AgentConfig["sandbox"]) };
  return { ...config, ...(web as Partial<AgentConfig>), ...(files === undefined ? {} : { sandbox }) };
}

/** The agent's settings of a tool: those of its toolbox, where the tool has the same ones, and its own, by whichever of its names they stand. */
export function settingsOf(
  config: AgentConfig,
  tool: Pick<Tool, "name" | "alsoNamed" | "toolbox" | "settings">,
): Readonly<Record<string, unknown>> {
  const given = config.tool_config ?? {};
  const own = Object.entries(given).find(([name]) => isNamed(tool, name))?.[1];
  return isOfToolbox(tool) ? { ...getOwn(given, tool.toolbox), ...own } : (own ?? {});
}

/** Whether the tool takes the settings of its toolbox. */
function isOfToolbox({ toolbox, settings }: Pick<Tool, "toolbox" | "settings">): boolean {
  return settings !== undefined && toolboxSchema(toolbox) === settings;
}

function toolboxSchema(name: string): z.ZodObject | undefined {
  return Object.hasOwn(TOOLBOX_SETTINGS, name) ? TOOLBOX_SETTINGS[name as keyof typeof TOOLBOX_SETTINGS] : undefined;
}

function settingFaults(schema: z.ZodObject, given: unknown, field: string) {
  const parsed = schema.strict().safeParse(given);
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ field: `${field}.${key}`, message: "there is no such setting" }))
      : [{ field: [field, ...issue.path].join("."), message: issue.message }],
  );
}

/** A setting stands in one place: which of two would hold, nobody could tell. */
function doubleFaults(
  config: AgentConfig,
  name: string,
  given: Readonly<Record<string, unknown>>,
  field: string,
  toolbox = "",
) {
  const { own, place } = otherPlace(config, name, toolbox);
  return Object.keys(given)
    .filter(
      (key) => own?.[key] !== undefined && toolboxSchema(toolbox === "" ? name : toolbox)?.shape[key] !== undefined,
    )
    .map((key) => ({ field: `${field}.${key}`, message: `is set in ${place}${key} too` }));
}

/** Where a setting of a toolbox can stand too: in the agent's own fields, or for the toolbox of the tool that is named. */
function otherPlace(
  config: AgentConfig,
  name: string,
  toolbox: string,
): { readonly own: Readonly<Record<string, unknown>> | undefined; readonly place: string } {
  if (name === "files") return { own: config.sandbox, place: "sandbox." };
  if (name === "web") return { own: config, place: "" };
  return { own: toolbox === "" ? undefined : config.tool_config?.[toolbox], place: `tool_config.${toolbox}.` };
}

function isNamed({ name, alsoNamed = [] }: Pick<Tool, "name" | "alsoNamed">, given: string): boolean {
  return [name, ...alsoNamed].some((one) => nameKey(one) === nameKey(given));
}
