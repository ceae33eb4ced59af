/**
 * The MCP servers of a tenant, over streamable HTTP: at their URL, or as processes that the sidecar runs. The package that
 * speaks the protocol is loaded with the first operation: most isolates never need it.
 */
import type { Result } from "../../core/base/errors.ts";
import type { McpPort } from "../../core/ports/mcp.ts";
import type { WebPort } from "../../core/ports/web.ts";
import type { OperationDeps } from "./operation.ts";
import { type ProcessWays, processWeb } from "./process-web.ts";
import type { Consent, McpServer } from "./server.ts";

/** `find` gives a server by its name. `consent`: a person is there who can authorize Otto. */
export interface McpDeps {
  readonly web: Pick<WebPort, "open">;
  readonly processes: Omit<ProcessWays, "tenant">;
  readonly tenant: string;
  readonly find: (server: string) => Promise<Result<McpServer>>;
  readonly consent: Consent | null;
  /** A server said during a call that its tools are others now. */
  readonly noteListChanged: (server: string) => Promise<unknown>;
}

/** The port, and the end of an authorization, which is no tool's business. */
export interface McpServers extends McpPort {
  /** `callback`: the query that the authorization server sent the person back with. */
  finish(server: string, callback: URLSearchParams): Promise<Result<void>>;
}

/** Nothing is sent yet. */
export function openMcp({ find, noteListChanged, web, processes, tenant, consent }: McpDeps): McpServers {
  async function withServer<T>(
    name: string,
    work: (on: Operations, server: McpServer, deps: OperationDeps) => Promise<Result<T>>,
  ) {
    const found = await find(name);
    if (!found.ok) return found;
    const server = found.value;
    const way = server.process === null ? web : processWeb(name, server.process, { ...processes, tenant });
    return await work(await import("./operation.ts"), server, { web: way, tenant, consent });
  }
  return {
    list: (name, signal) => withServer(name, (on, server, deps) => on.listTools(server, signal, deps)),
    async call(call) {
      const replied = await withServer(call.server, (on, server, deps) => on.callTool(server, call, deps));
      if (replied.ok && replied.value.kind === "result" && replied.value.listChanged)
        await noteListChanged(call.server);
      return replied;
    },
    finish: (name, callback) => withServer(name, (on, server, deps) => on.finishAuthorization(server, callback, deps)),
  };
}

type Operations = typeof import("./operation.ts");
