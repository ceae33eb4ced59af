/** An MCP server in the API, without a header's value, a client secret or a token. */
import { z } from "zod";
import type { McpOAuthSettings } from "../../core/mcp/config.ts";
import type { McpProcessSettings } from "../../core/mcp/process-config.ts";
import type { McpServerRecord } from "../../core/ports/mcp-server-table.ts";
import { diffLists } from "../../core/mcp/tool-list.ts";
import type { OutsideTool } from "../../core/tool/source.ts";
import { isoOrNull } from "../../core/base/iso.ts";

const time = z.iso.datetime();

const summary = {
  name: z.string(),
  url: z.string().nullable().describe("Null for a process."),
  process: z
    .strictObject({
      command: z.string(),
      args: z.array(z.string()),
      env: z.array(z.string()).describe("The names."),
      network: z.array(z.string()),
    })
    .nullable()
    .describe("Null for a server with a URL."),
  headers: z.array(z.string()).describe("Their names."),
  oauth: z
    .strictObject({
      grant: z.string(),
      client_id: z.string().nullable(),
      scope: z.string().nullable(),
      per: z.enum(["shared", "person"]),
    })
    .nullable(),
  trusted: z.boolean(),
  timeout_ms: z.int(),
  status: z
    .enum(["connected", "failed", "authorization_needed", "changed"])
    .describe("`changed`: it is connected, and its tools differ from the approved ones."),
  error: z.string().nullable(),
  tool_count: z.int().describe("The number of published tools."),
  hash: z.string().nullable().describe("SHA-256, in hex, of the published tools in the server's own form."),
  pending_hash: z.string().nullable().describe("The hash of the tools that wait for a person."),
  refused: z
    .array(z.strictObject({ name: z.string(), reason: z.string() }))
    .describe("Tools that were left out, with the reason."),
  stale: z.boolean().describe("True if the server announced a change of its tools since the last read."),
  protocol_version: z.string().nullable(),
  checked_at: time.nullable(),
  created_at: time,
  updated_at: time,
};

export const mcpServerSchema = z.strictObject(summary).meta({ id: "McpServer" });

const change = z.strictObject({
  what: z.enum(["description", "input", "output", "annotations"]),
  before: z.unknown(),
  after: z.unknown(),
});

export const mcpServerDetailSchema = z
  .strictObject({
    ...summary,
    authorization_url: z
      .string()
      .nullable()
      .describe(
        "Where a person authorizes Otto. Open it within ten minutes, and complete every step in one browser. For a session, it is the authorization server's page, which that session's browser has to open; for a key, a page of Otto that links to it. Each reload gives a new one.",
      ),
    tools: z.array(
      z.strictObject({
        tool: z.string().describe("The server's name for the tool."),
        name: z.string().describe("The agents' name for the tool."),
        description: z.string(),
        security: z.string(),
        effect: z.string(),
      }),
    ),
    diff: z
      .strictObject({
        added: z.array(z.string()),
        removed: z.array(z.string()),
        changed: z.array(z.strictObject({ name: z.string(), changes: z.array(change) })),
        added_tools: z
          .array(
            z.strictObject({ tool: z.string(), description: z.string(), input: z.record(z.string(), z.unknown()) }),
          )
          .describe("The server's descriptions of the `added` tools."),
      })
      .nullable()
      .describe("The changes that wait for approval; null without one."),
  })
  .meta({ id: "McpServerDetail" });

/** Whether the server lists other tools than the approved ones. */
function isChanged({ status, approved, seen }: McpServerRecord): boolean {
  return status === "connected" && approved !== null && seen !== null && approved.hash !== seen.hash;
}

export function toServerView(record: McpServerRecord): z.infer<typeof mcpServerSchema> {
  const { settings, approved, seen } = record;
  const { oauth, process: program } = settings;
  return {
    name: record.name,
    url: settings.url,
    process: program == null ? null : toProcessView(program),
    headers: [...settings.headerNames],
    oauth: oauth === null ? null : toOAuthView(oauth),
    trusted: settings.trusted,
    timeout_ms: settings.timeoutMs,
    status: isChanged(record) ? "changed" : record.status,
    error: record.error,
    tool_count: approved?.tools.length ?? 0,
    hash: approved?.hash ?? null,
    pending_hash: isChanged(record) ? (seen?.hash ?? null) : null,
    refused: [...record.refused],
    stale: record.listChangedAt !== null,
    protocol_version: record.protocolVersion,
    checked_at: isoOrNull(record.checkedAt),
    created_at: new Date(record.createdAt).toISOString(),
    updated_at: new Date(record.updatedAt).toISOString(),
  };
}

/** `published` are the tools that tasks have. */
export function toDetailView(
  record: McpServerRecord,
  published: readonly OutsideTool[],
  authorizationUrl: string | null,
): z.infer<typeof mcpServerDetailSchema> {
  const diff = isChanged(record) ? diffPending(record) : null;
  return {
    ...toServerView(record),
    authorization_url: authorizationUrl,
    tools: published.flatMap(({ name, summary: description, security, effect, origin }) =>
      origin.kind === "mcp" ? [{ tool: origin.tool, name, description, security, effect }] : [],
    ),
    diff: diff === null ? null : (structuredClone(diff) as z.infer<typeof mcpServerDetailSchema>["diff"]),
  };
}

function diffPending({ approved, seen }: McpServerRecord) {
  const diff = diffLists(approved?.tools ?? [], seen?.tools ?? []);
  const isAdded = new Set(diff.added);
  const added = (seen?.tools ?? []).filter(({ name }) => isAdded.has(name));
  return { ...diff, added_tools: added.map(({ name, description, input }) => ({ tool: name, description, input })) };
}

function toOAuthView({ grant, clientId, scope, per }: McpOAuthSettings) {
  return { grant, client_id: clientId, scope, per: per ?? ("shared" as const) };
}

function toProcessView({ command, args, envNames, network }: McpProcessSettings) {
  return { command, args: [...args], env: [...envNames], network: [...network] };
}
