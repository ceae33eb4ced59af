/** What the servers of the runtime suite hand to its configuration and its tests, by `inject("servers")`. */
export interface WorkerdServers {
  readonly databaseUrl: string;
  /** Of a role that row-level security does not bind. */
  readonly databaseOwnerUrl: string;
  readonly databaseEndpoint: string;
  /** Answers by the task's own input: see test/setup/workerd-servers.ts. */
  readonly modelUrl: string;
  /** An outside service that writes down every request; `GET /records` reads them. */
  readonly recorderUrl: string;
  /** The stand-in for MCP servers (`test/stand-ins/mcp-desk.ts`). */
  readonly mcpUrl: string;
  /** A server of SSH on loopback (`test/stand-ins/ssh-server.ts`): `password:right` logs in. */
  readonly ssh: { readonly port: number; readonly fingerprint: string };
  /** The key that may make tenants; the Worker knows its hash. */
  readonly operatorKey: string;
  /** The values of the Worker's variables, ready to be set. */
  readonly variables: Readonly<Record<string, string>>;
}

declare module "vitest" {
  interface ProvidedContext {
    readonly servers: WorkerdServers;
  }
}
