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
  /** The stand-in for MCP servers (`test/mock-servers/mcp-servers.ts`). */
  readonly mcpUrl: string;
  /** A receiver of webhooks (`test/mock-servers/webhook-receiver.ts`). */
  readonly receiverUrl: string;
  /** The stand-in for Slack, which `test/mock-servers/slack-client.ts` speaks to. */
  readonly slackUrl: string;
  /** A server of SSH on loopback (`test/mock-servers/ssh-server.ts`): `password:right` logs in. */
  readonly ssh: { readonly port: number; readonly fingerprint: string };
  /** Providers of mail (`test/mock-servers/mail-providers.ts`). The Worker sends by the one at `smtpPort`. */
  readonly mail: {
    readonly url: string;
    readonly smtpPort: number;
    readonly strictSmtpPort: number;
    readonly plainSmtpPort: number;
    readonly upgradingSmtpPort: number;
    readonly secureSmtpPort: number;
    readonly otherNameSmtpPort: number;
    readonly oddSmtpPort: number;
    readonly muteSmtpPort: number;
  };
  /** The key that may make tenants; the Worker knows its hash. */
  readonly operatorKey: string;
  /** The values of the Worker's variables, ready to be set. */
  readonly variables: Readonly<Record<string, string>>;
}

/** What the suite of the console hands to its tests, by `inject("console")`. */
export interface ConsoleSystem {
  /** Where the system answers, which was started as a person starts it. */
  readonly url: string;
  readonly stateFolder: string;
  /** The key of the local tenant. */
  readonly key: string;
  readonly operatorKey: string;
  /** Chromium, for playwright's `connect`. */
  readonly browser: string;
  /**
   * An outside service that takes every request (`test/mock-servers/recorder.ts`), and answers all but `/never-answered`;
   * `GET /records` reads them.
   */
  readonly recorderUrl: string;
  /** MCP servers, made by a request (`test/mock-servers/mcp-servers.ts`). */
  readonly mcpUrl: string;
  /** The stand-in for Slack, which `test/mock-servers/slack-client.ts` speaks to. */
  readonly slackUrl: string;
}

declare module "vitest" {
  interface ProvidedContext {
    readonly servers: WorkerdServers;
    readonly console: ConsoleSystem;
    /** The state folder of a system that started, made its things and ended: see test/setup/ended-state.ts. */
    readonly endedState: string;
    /** A system that runs for the whole suite: see test/setup/shared-system.ts. */
    readonly sharedSystem: { readonly url: string; readonly stateFolder: string };
  }
}
