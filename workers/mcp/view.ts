/** An MCP server as the API shows it: never a header's value, a client's secret or a token. */
import { z } from "zod";
import type { McpProcessSettings } from "../../core/mcp/process-config.ts";
import type { McpServerRecord } from "../../core/ports/mcp-server-table.ts";
import { diffLists } from "../../core/mcp/tool-list.ts";
import type { OutsideTool } from "../../core/tool/source.ts";
import { isoOrNull } from "../../core/base/iso.ts";

const time = z.iso.datetime();

const summary = {
  name: z.string(),
  url: z.string().nullable().describe("Null: it is a process."),
  process: z
    .strictObject({
      command: z.string(),
      args: z.array(z.string()),
      env: z.array(z.string()).describe("The names."),
      network: z.array(z.string()),
    })
    .nullable()
    .describe("Null: it is reached by its URL."),
  headers: z.array(z.string()).describe("Their names."),
  oauth: z
    .strictObject({ grant: z.string(), client_id: z.string().nullable(), scope: z.string().nullable() })
    .nullable(),
  trusted: z.boolean(),
  timeout_ms: z.int(),
  status: z
    .enum(["connected", "failed", "authorization_needed", "changed"])
    .describe("`changed`: it is connected, and its tools are others than those that a person agreed to."),
  error: z.string().nullable(),
  tool_count: z.int().describe("The tools that tasks have."),
  hash: z.string().nullable().describe("SHA-256, in hex, of the tools that tasks have, as the server wrote them."),
  pending_hash: z.string().nullable().describe("The same of the tools that wait for a person."),
  refused: z.array(z.strictObject({ name: z.string(), reason: z.string() })).describe("Tools that are left out."),
  stale: z.boolean().describe("True when the server said since the last look that its tools are others now."),
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
        "Where a person authorizes Otto; open it within ten minutes, and go all the way in one browser. For a session it is the authorization server's page, and the session's browser has to open it; for a key it is a page of Otto's own, which leads on. Another look gives another one.",
      ),
    tools: z.array(
      z.strictObject({
        tool: z.string().describe("As the server calls it."),
        name: z.string().describe("As agents call it."),
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
          .describe("What the server says of those that `added` names."),
      })
      .nullable()
      .describe("What an approval would change; null when nothing waits."),
  })
  .meta({ id: "McpServerDetail" });

/** True when the tools that the server lists are others than those that were agreed to. */
function isChanged({ status, approved, seen }: McpServerRecord): boolean {
  return status === "connected" && approved !== null && seen !== null && approved.hash !== seen.hash;
}

export function shownServer(record: McpServerRecord): z.infer<typeof mcpServerSchema> {
  const { settings, approved, seen } = record;
  const { oauth, process: program } = settings;
  return {
    name: record.name,
    url: settings.url,
    process: program == null ? null : shownProcess(program),
    headers: [...settings.headerNames],
    oauth: oauth === null ? null : { grant: oauth.grant, client_id: oauth.clientId, scope: oauth.scope },
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
export function shownDetail(
  record: McpServerRecord,
  published: readonly OutsideTool[],
  authorizationUrl: string | null,
): z.infer<typeof mcpServerDetailSchema> {
  const diff = isChanged(record) ? pendingDiff(record) : null;
  return {
    ...shownServer(record),
    authorization_url: authorizationUrl,
    tools: published.flatMap(({ name, summary: description, security, effect, origin }) =>
      origin.kind === "mcp" ? [{ tool: origin.tool, name, description, security, effect }] : [],
    ),
    diff: diff === null ? null : (structuredClone(diff) as z.infer<typeof mcpServerDetailSchema>["diff"]),
  };
}

function pendingDiff({ approved, seen }: McpServerRecord) {
  const diff = diffLists(approved?.tools ?? [], seen?.tools ?? []);
  const isAdded = new Set(diff.added);
  const added = (seen?.tools ?? []).filter(({ name }) => isAdded.has(name));
  return { ...diff, added_tools: added.map(({ name, description, input }) => ({ tool: name, description, input })) };
}

function shownProcess({ command, args, envNames, network }: McpProcessSettings) {
  return { command, args: [...args], env: [...envNames], network: [...network] };
}
