/** The tool bus of a request: the built-in tools and the tenant's own. Its actions run on behalf of the request. */
import { toolSourcesFromEnv } from "../../adapters/env/tool-sources.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { CUSTOM_SOURCE, type CustomTool } from "../../core/custom-tools/custom-tool.ts";
import { findSourceServer } from "../../core/mcp/outside-tools.ts";
import { type NamedTool, openToolBus, type ToolBus, type ToolBusActs } from "../../core/steps/tool-bus.ts";
import { getInputSchema } from "../../core/tool/input-schema.ts";
import { getOutputSchema, getSettingsSchema } from "../../core/steps/toolset.ts";
import type { OutsideTool, PinnedSource } from "../../core/tool/source.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import { changeDefinitions } from "../custom-tools/custom-tools.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import { readSources } from "../http/tenant-facts.ts";
import { getRequestPatterns } from "../http/request-patterns.ts";
import { reloadServer } from "../mcp/access.ts";
import { isImportSource, reimport } from "../openapi/imported-sources.ts";
import { listTools } from "./tenant-tools.ts";

/** Creates the bus over these sources, by default the tenant's current ones. `call` makes a call. */
export async function openBus(
  c: AppContext,
  { sources, call = refuseCall }: { sources?: readonly PinnedSource[]; call?: ToolBusActs["call"] } = {},
): Promise<ToolBus> {
  const tools = await listTools(c, sources ?? (await readSources(c)));
  const acts: ToolBusActs = {
    call,
    reload: async (tool) => await reload(c, tool, tools),
    register: async (tool, definition) => await register(c, tool, definition),
  };
  return await openToolBus({ tools, patterns: getRequestPatterns(c).patterns, acts });
}

/** Formats a tool for the API. */
export function toToolView({ tool, modelName }: NamedTool) {
  return {
    name: tool.name,
    model_name: modelName,
    also_named: [...(tool.alsoNamed ?? [])],
    summary: tool.summary,
    toolbox: tool.toolbox,
    category: tool.category,
    source: tool.written?.source ?? "built_in",
    permissions: [...tool.permissions],
    security: typeof tool.security === "function" ? "by arguments" : tool.security,
    effect: typeof tool.effect === "function" ? "by arguments" : tool.effect,
    steers: tool.steers,
    only_by_name: tool.onlyByName ?? false,
    aliases: { ...tool.aliases },
    input_schema: { ...getInputSchema(tool) },
    output_schema: { ...getOutputSchema(tool) },
    settings_schema: getSettingsSchema(tool),
    examples: tool.examples.map(({ note, given }) => ({ note, arguments: given })),
  };
}

async function refuseCall(): Promise<never> {
  throw new Error("this bus makes no calls");
}

/** Reads the server's list. A changed tool that awaits consent keeps its previous form. */
async function reloadTools(c: AppContext, server: string): Promise<Result<void>> {
  const looked = await reloadServer(c, server);
  if (!looked.ok) return looked;
  const { status, error } = looked.value.record;
  if (status === "connected") return ok(undefined);
  return failed("upstream_failed", error ?? `The MCP server ${server} was not reached.`);
}

async function reload(c: AppContext, { name, written }: Tool, tools: readonly Tool[]): Promise<Result<void>> {
  const source = written?.source ?? "";
  const server = findSourceServer(source);
  if (server !== null) return await reloadTools(c, server);
  const act = await createAuditEntry(c, "tool.reload", name);
  if (source === CUSTOM_SOURCE) return await changeDefinitions(c, () => ok(null), act);
  if (isImportSource(source)) return await reimport(c, source, { tools, act });
  return failed("not_available", `${name} comes from ${source}, which cannot be reloaded this way.`, { field: "name" });
}

/**
 * Registers a tool. A repeat of a request that was cut off finds its own definition, and registers nothing twice.
 * Also announces a tool whose announcement was cut off.
 */
async function register(c: AppContext, { name }: OutsideTool, definition: CustomTool): Promise<Result<void>> {
  const act = await createAuditEntry(c, "tool.create", name);
  const changed = await changeDefinitions(
    c,
    (present) => {
      const known = present.get(name);
      if (known === undefined) return ok({ name, definition });
      const isRepeat = c.get("idempotency") !== null && known.definition === JSON.stringify(definition);
      if (isRepeat) return ok(null);
      return failed(
        "conflict",
        `${name} is registered twice: you have another tool of this name. Choose another name.`,
        { field: "name" },
      );
    },
    act,
  );
  if (!changed.ok) await toolSourcesFromEnv(c.env).present(getTenant(c));
  return changed;
}
