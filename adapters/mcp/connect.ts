/**
 * A connection to an MCP server for one operation. Two generations of the protocol are in use: since 2026-07-28 every
 * request stands for itself, before it a handshake opens a session. A server's question to a person needs the former: in the
 * latter it would hold a stream open for as long as the person takes, so there no such capability is declared.
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
import { type AskedConsent, oauthProvider } from "./oauth.ts";
import type { Consent, McpServer } from "./server.ts";

const CLIENT = { name: "otto", title: "Otto", version: "1" };
const MODERN = ["2026-07-28"];
const LEGACY = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => !MODERN.includes(version));
const MAX_PAGES = 100;

/** What a server was found to speak. */
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

/** What a connection begins from. `session` is one of the legacy era. */
export interface ConnectOptions {
  readonly send: FetchLike;
  readonly prior: Prior | null;
  readonly session: Session | null;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly consent: Consent | null;
  readonly asked: AskedConsent;
}

/** Connects. Throws what the package throws. */
export async function connect(server: McpServer, options: ConnectOptions): Promise<Connected> {
  const { prior, session } = options;
  if (session !== null || prior?.era === "legacy") return await connectLegacy(server, options);
  try {
    return await connectModern(server, options);
  } catch (thrown) {
    if (prior !== null || !isOfBefore(thrown)) throw thrown;
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
  const transport = await transportTo(server, options);
  const known = prior?.era === "modern" ? { prior: { kind: "modern", discover: prior.discover } as const } : {};
  await client.connect(transport, { timeout, signal, ...known });
  const discover = client.getDiscoverResult();
  if (discover === undefined) throw new Error("the server told nothing of itself");
  const protocolVersion = client.getNegotiatedProtocolVersion() ?? "";
  return { client, transport, prior: { era: "modern", discover }, protocolVersion };
}

async function connectLegacy(server: McpServer, options: ConnectOptions): Promise<Connected> {
  const client = new Client(CLIENT, { supportedProtocolVersions: LEGACY, listMaxPages: MAX_PAGES });
  const { session, timeoutMs: timeout, signal } = options;
  const transport = await transportTo(server, options);
  await client.connect(transport, { timeout, signal });
  const protocolVersion = session?.protocolVersion ?? client.getNegotiatedProtocolVersion() ?? "";
  return { client, transport, prior: { era: "legacy" }, protocolVersion };
}

/** What carries the messages of a connection. */
export async function transportTo(
  server: McpServer,
  { send, session, consent, asked }: ConnectOptions,
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
    ...(oauth === null ? {} : { authProvider: await oauthProvider(oauth, consent, asked) }),
    ...(session === null ? {} : { sessionId: session.id, protocolVersion: session.protocolVersion }),
  });
}

/** Whether the server answered as one of before 2026-07-28 does: not away, not broken, only not of that generation. */
function isOfBefore(thrown: unknown): boolean {
  if (thrown instanceof UnsupportedProtocolVersionError)
    return thrown.supported.some((version) => LEGACY.includes(version));
  if (thrown instanceof SdkHttpError || !(thrown instanceof SdkError)) return false;
  return thrown.code === SdkErrorCode.EraNegotiationFailed && thrown.cause === undefined;
}
