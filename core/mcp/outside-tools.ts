/** Turns an MCP server's tools into tools of its tenant: their names, and their effect class for the gateway. */
import { cutName, MAX_MODEL_NAME } from "../gateway/model-names.ts";
import type { ToolApp } from "../connections/account.ts";
import type { McpTool } from "../ports/mcp.ts";
import type { OutsideTool } from "../tool/source.ts";
import type { McpSettings } from "./config.ts";

const SOURCE_PREFIX = "mcp:";

/** The tenant's settings for the server. */
export interface ServerTrust {
  /** True when the tenant trusts the server's statements about its tools. */
  readonly trusted: boolean;
  readonly timeoutMs: number;
  /** Through whose account its tools act; absent or null: through none. */
  readonly app?: ToolApp | null;
}

/** What the tools of a server need an account for: a person's, or the server's one grant. Null without OAuth. */
export function getServerApp(server: string, { oauth }: Pick<McpSettings, "oauth">): ToolApp | null {
  return oauth === null ? null : { app: server, provider: "mcp", owner: oauth.per ?? "shared", scopes: [] };
}

/** The source with the tools of a server. */
export function getServerSource(server: string): string {
  return `${SOURCE_PREFIX}${server}`;
}

/** The server of a source; null for another source. */
export function findSourceServer(source: string): string | null {
  return source.startsWith(SOURCE_PREFIX) ? source.slice(SOURCE_PREFIX.length) : null;
}

/**
 * The tools of `server`. `isTaken` tells which names other tools of the tenant have. A name that is taken or too long
 * for a model is truncated and gets ten hex digits of the SHA-1 of server and tool.
 */
export async function toOutsideTools(
  server: string,
  tools: readonly McpTool[],
  { trusted, timeoutMs, app = null }: ServerTrust,
  isTaken: (name: string) => boolean,
): Promise<OutsideTool[]> {
  const own = new Set<string>();
  const named: OutsideTool[] = [];
  for (const tool of tools) {
    const name = await chooseToolName(server, tool.name, (candidate) => own.has(candidate) || isTaken(candidate));
    own.add(name);
    const readOnly = trusted && tool.readOnly;
    named.push({
      name,
      summary: tool.description,
      toolbox: getServerSource(server),
      category: "api",
      permissions: ["network"],
      security: readOnly ? "cautious" : "dangerous",
      effect: readOnly ? "none" : trusted && tool.idempotent ? "keyed" : "once",
      timeoutMs,
      input: tool.input,
      output: tool.output,
      origin: { kind: "mcp", server, tool: tool.name },
      ...(app === null ? {} : { app }),
    });
  }
  return named;
}

/** Why a tool has its security level and its effect, in one sentence for people. */
export function findSecurityReason({ effect, security }: Pick<OutsideTool, "effect" | "security">): string {
  if (security === "cautious") return "Its server says that it only reads, and this workspace trusts the server.";
  return effect === "keyed"
    ? "Its server says that it may be repeated, and this workspace trusts the server."
    : "What the server says of its tools does not count until an administrator trusts it under MCP servers.";
}

async function chooseToolName(server: string, tool: string, isTaken: (name: string) => boolean): Promise<string> {
  const plain = `${server}_${tool}`.replace(/[^A-Za-z0-9_-]/g, "_");
  if (plain.length <= MAX_MODEL_NAME && !isTaken(plain)) return plain;
  return await cutName(plain, `${server}/${tool}`);
}
