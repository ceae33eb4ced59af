/**
 * The MCP servers of a tenant over streamable HTTP: at their URL, or as processes in the sidecar. The protocol package
 * is loaded with the first operation, because most isolates never need it.
 */
import type { Result } from "../../core/base/errors.ts";
import type { Account } from "../../core/connections/account.ts";
import type { McpPort } from "../../core/ports/mcp.ts";
import type { WebPort } from "../../core/ports/web.ts";
import type { McpAuthority } from "./authority.ts";
import type { OperationDeps } from "./operation.ts";
import { type ProcessParts, openProcessWeb } from "./process-web.ts";
import type { Consent, McpServer } from "./server.ts";

/** `find` returns a server by its name. `consent`: a person can authorize Otto now. */
export interface McpDeps {
  readonly web: Pick<WebPort, "open">;
  readonly processes: Omit<ProcessParts, "tenant">;
  readonly tenant: string;
  readonly find: (server: string) => Promise<Result<McpServer>>;
  readonly consent: Consent | null;
  /** Called when a server reports during a call that its tools changed. */
  readonly noteListChanged: (server: string) => Promise<unknown>;
  /** Called when a server refuses the one grant through which a call acts. `why` is for people. */
  readonly noteGrantEnded: (account: Account, why: string) => Promise<unknown>;
}

/** The port, and what no tool needs: who authorizes people, and the end of an authorization. */
export interface McpServers extends McpPort {
  /** `callback`: the query with which the authorization server sent the person back. */
  finish(server: string, callback: URLSearchParams): Promise<Result<void>>;
  /** Who authorizes people for a server to which each person connects. */
  findAuthority(server: string, signal: AbortSignal): Promise<Result<McpAuthority>>;
}

/** Opens the port without sending anything. */
export function openMcp(deps: McpDeps): McpServers {
  const { find, noteListChanged, noteGrantEnded, web, processes, tenant, consent } = deps;
  async function withServer<T>(
    name: string,
    work: (on: Operations, server: McpServer, operation: OperationDeps) => Promise<Result<T>>,
  ) {
    const found = await find(name);
    if (!found.ok) return found;
    const server = found.value;
    const way = server.process === null ? web : openProcessWeb(name, server.process, { ...processes, tenant });
    return await work(await import("./operation.ts"), server, { web: way, tenant, consent, noteGrantEnded });
  }
  return {
    list: (name, signal, account) =>
      withServer(name, (on, server, operation) =>
        on.listTools(server, { signal, account: account ?? null }, operation),
      ),
    async call(call) {
      const replied = await withServer(call.server, (on, server, operation) => on.callTool(server, call, operation));
      if (replied.ok && replied.value.kind === "result" && replied.value.listChanged)
        await noteListChanged(call.server);
      return replied;
    },
    findAuthority: (name, signal) =>
      withServer(name, (on, server, operation) => on.findAuthority(server, signal, operation)),
    finish: (name, callback) =>
      withServer(name, (on, server, operation) => on.finishAuthorization(server, callback, operation)),
  };
}

type Operations = typeof import("./operation.ts");
