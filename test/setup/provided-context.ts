/** Where the mock mail providers listen (`test/mock-servers/mail-providers.ts`). */
export interface MailAddresses {
  readonly url: string;
  readonly smtpPort: number;
  /** Offers STARTTLS with an untrusted certificate, and requires a login. */
  readonly strictSmtpPort: number;
  /** Offers no TLS, and requires a login: `otto` with the password `right`. */
  readonly plainSmtpPort: number;
  /** Offers STARTTLS with a trusted certificate, and refuses a login without it. */
  readonly upgradingSmtpPort: number;
  /** Uses TLS from the first byte, with that certificate. */
  readonly secureSmtpPort: number;
  /** The same with a certificate that is trusted for a different name. */
  readonly otherNameSmtpPort: number;
  /** Servers that violate SMTP: see `odd-smtp.ts`. */
  readonly oddSmtpPort: number;
  readonly muteSmtpPort: number;
}

/** Values that the servers of the runtime suite provide to its configuration and its tests, by `inject("servers")`. */
export interface WorkerdServers {
  readonly databaseUrl: string;
  /** The URL of a role that bypasses row-level security. */
  readonly databaseOwnerUrl: string;
  readonly databaseEndpoint: string;
  /** A model that answers by the task's input: see test/setup/workerd-servers.ts. */
  readonly modelUrl: string;
  /** An outside service that records every request; `GET /records` reads them. */
  readonly recorderUrl: string;
  /** The mock server for MCP (`test/mock-servers/mcp-servers.ts`). */
  readonly mcpUrl: string;
  /** The mock app with its authorization server (`test/mock-servers/oauth-app.ts`), and one whose grants one test counts. */
  readonly oauthApp: string;
  readonly countedOAuthApp: string;
  /** The demo apps (`scripts/demo-apps/server.ts`). A test that uses them sets the Worker's variables (`test/workerd/variables.ts`). */
  readonly demoApps: { readonly url: string; readonly apiKey: string };
  /** A receiver of webhooks (`test/mock-servers/webhook-receiver.ts`). */
  readonly receiverUrl: string;
  /** The mock server of Slack, for `test/mock-servers/slack-client.ts`. */
  readonly slackUrl: string;
  /** A server of SSH on loopback (`test/mock-servers/ssh-server.ts`): `password:right` logs in. */
  readonly ssh: { readonly port: number; readonly fingerprint: string };
  /** A real Postgres with a table `orders`, by a role that only reads it, and one that may write it. */
  readonly postgres: { readonly reader: string; readonly writer: string };
  /** The Worker sends through the mail provider at `smtpPort`. */
  readonly mail: MailAddresses;
  /** The key that may create tenants. The Worker knows its hash. */
  readonly operatorKey: string;
  /** The values of the Worker's variables. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Values that the setup of the console suite provides to its tests, by `inject("console")`. */
export interface ConsoleSystem {
  /** The address of the system, as `npm start` runs it. */
  readonly url: string;
  readonly stateFolder: string;
  /** The key of the local tenant. */
  readonly key: string;
  readonly operatorKey: string;
  /** Chromium, for playwright's `connect`. */
  readonly browser: string;
  /**
   * An outside service that records every request (`test/mock-servers/recorder.ts`) and answers all but `/never-answered`.
   * `GET /records` reads them.
   */
  readonly recorderUrl: string;
  /** Mock MCP servers, created by a request (`test/mock-servers/mcp-servers.ts`). */
  readonly mcpUrl: string;
  /** The mock app with its authorization server (`test/mock-servers/oauth-app.ts`). */
  readonly oauthApp: string;
  /** The mock server of Slack, for `test/mock-servers/slack-client.ts`. */
  readonly slackUrl: string;
  /** A Postgres with a table of orders: the addresses of a role that reads, and of one that writes. */
  readonly postgres: { readonly reader: string; readonly writer: string };
  /** A git server with the repositories `open`, and `vault`, which only a request with the token may read. */
  readonly git: { readonly url: string; readonly token: string };
}

declare module "vitest" {
  interface ProvidedContext {
    readonly servers: WorkerdServers;
    readonly console: ConsoleSystem;
    /** The state folder of a system that was started and stopped: see test/setup/ended-state.ts. */
    readonly endedState: string;
    /** The system that runs during the suite (`test/setup/shared-system.ts`). */
    readonly sharedSystem: { readonly url: string; readonly stateFolder: string };
  }
}
