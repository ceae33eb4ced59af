/**
 * A connection to an MCP server for one operation. Two generations of the protocol are in use: since 2026-07-28 every
 * request is self-contained; before, a handshake opens a session. A server's question to a person needs the former:
 * with a session a stream would stay open while the person thinks, so that capability is not declared there.
 */
import {
  Client,
  type DiscoverResult,
  type FetchLike,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnsupportedProtocolVersionError,
} from "@modelcontextprotocol/client";
import { type AskedConsent as ConsentRequest, type AuthorizationStep, openOAuthProvider } from "./oauth.ts";
import type { Consent, McpServer } from "./server.ts";
import { OperationTransport } from "./transport.ts";

const CLIENT = { name: "otto", title: "Otto", version: "1" };
const MODERN = ["2026-07-28"];
const LEGACY = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => !MODERN.includes(version));
const MAX_PAGES = 100;

/** The protocol that a server was found to speak. */
export type Prior = { readonly era: "legacy" } | { readonly era: "modern"; readonly discover: DiscoverResult };

/** A session that a server opened for an earlier operation. */
export interface Session {
  readonly id: string;
  readonly protocolVersion: string;
}

export interface Connected {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  readonly prior: Prior;
  readonly protocolVersion: string;
}

/** The start of a connection. `session` belongs to the legacy era. */
export interface ConnectOptions {
  readonly send: FetchLike;
  readonly prior: Prior | null;
  readonly session: Session | null;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly consent: Consent | null;
  readonly asked: ConsentRequest;
  /** As in `AuthorizationOptions`. */
  readonly mayRestart: boolean;
}

/** Connects. Throws what the package throws. */
export async function connect(server: McpServer, options: ConnectOptions): Promise<Connected> {
  const { prior, session } = options;
  if (session !== null || prior?.era === "legacy") return await connectLegacy(server, options);
  try {
    return await connectModern(server, options);
  } catch (thrown) {
    if (prior !== null || !isLegacyServer(thrown)) throw thrown;
    return await connectLegacy(server, options);
  }
}

async function connectModern(server: McpServer, options: ConnectOptions): Promise<Connected> {
  const client = new Client(CLIENT, {
    capabilities: { elicitation: { form: {}, url: {} } },
    supportedProtocolVersions: MODERN,
    versionNegotiation: { mode: "auto" },
    inputRequired: { autoFulfill: false },
    listMaxPages: MAX_PAGES,
  });
  const { prior, timeoutMs: timeout, signal } = options;
  const transport = await openTransport(server, options);
  const known = prior?.era === "modern" ? { prior: { kind: "modern", discover: prior.discover } as const } : {};
  await client.connect(new OperationTransport(transport), { timeout, signal, ...known });
  const discover = client.getDiscoverResult();
  if (discover === undefined) throw new Error("the server did not describe itself");
  const protocolVersion = client.getNegotiatedProtocolVersion() ?? "";
  return { client, transport, prior: { era: "modern", discover }, protocolVersion };
}

async function connectLegacy(server: McpServer, options: ConnectOptions): Promise<Connected> {
  const client = new Client(CLIENT, { supportedProtocolVersions: LEGACY, listMaxPages: MAX_PAGES });
  const { session, timeoutMs: timeout, signal } = options;
  const transport = await openTransport(server, options);
  await client.connect(new OperationTransport(transport), { timeout, signal });
  const protocolVersion = session?.protocolVersion ?? client.getNegotiatedProtocolVersion() ?? "";
  return { client, transport, prior: { era: "legacy" }, protocolVersion };
}

/** The transport of a connection's messages. `step`: whether a person has just returned from an authorization server. */
export async function openTransport(
  server: McpServer,
  { send, session, consent, asked, mayRestart }: ConnectOptions,
  step: AuthorizationStep = "request",
): Promise<StreamableHTTPClientTransport> {
  const { oauth } = server;
  return new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: send,
    reconnectionOptions: {
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 5_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 3,
    },
    // The egress module fills in the credential of a person's account.
    ...(oauth === null || oauth.per === "person"
      ? {}
      : { authProvider: await openOAuthProvider(oauth, { consent, asked, step, mayRestart }) }),
    ...(session === null ? {} : { sessionId: session.id, protocolVersion: session.protocolVersion }),
  });
}

/** True if the server replied like one before 2026-07-28, rather than being unavailable or broken. */
function isLegacyServer(thrown: unknown): boolean {
  if (thrown instanceof UnsupportedProtocolVersionError)
    return thrown.supported.some((version) => LEGACY.includes(version));
  if (thrown instanceof SdkHttpError || !(thrown instanceof SdkError)) return false;
  return thrown.code === SdkErrorCode.EraNegotiationFailed && thrown.cause === undefined;
}
