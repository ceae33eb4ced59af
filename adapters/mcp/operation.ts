/** Operations with an MCP server, one connection each: listing its tools, calling one, ending an authorization. */
import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type Progress,
  ProtocolError,
  SdkHttpError,
} from "@modelcontextprotocol/client";
import { asNotSent, type Failed, type Failure, notSent, ok, OttoError, type Result } from "../../core/base/errors.ts";
import { type Account, isServerGrant } from "../../core/connections/account.ts";
import { cleanText } from "../../core/mcp/tool-list.ts";
import type { McpCall, McpListing, McpReply } from "../../core/ports/mcp.ts";
import type { WebPort } from "../../core/ports/web.ts";
import { connect, type Connected, type Prior, type Session, openTransport } from "./connect.ts";
import { isRefusedAuthorization, toMcpFailure } from "./failure.ts";
import type { AskedConsent } from "./oauth.ts";
import { type McpAuthority, readAuthority } from "./authority.ts";
import { readInputRequired, readResult } from "./result.ts";
import type { Consent, McpServer } from "./server.ts";
import { deleteSession, findSession, saveSession, toSessionKey } from "./sessions.ts";
import { openOperationFetch } from "./web-fetch.ts";

const LIST_TIMEOUT_MS = 30_000;
/** A process has to be started first, and installing one takes time. */
const PROCESS_LIST_TIMEOUT_MS = 60_000;
/** The cancellation of a call is sent after its time limit. */
const GRACE_MS = 2_000;

export interface OperationDeps {
  readonly web: Pick<WebPort, "open">;
  readonly tenant: string;
  readonly consent: Consent | null;
  /** As in `McpDeps`. */
  readonly noteGrantEnded: (account: Account, why: string) => Promise<unknown>;
}

/** Lists the tools of a server. A session that the server opens for it is ended. */
export async function listTools(
  server: McpServer,
  { signal, account }: { readonly signal: AbortSignal; readonly account: Account | null },
  deps: OperationDeps,
): Promise<Result<McpListing>> {
  const timeoutMs = server.process === null ? LIST_TIMEOUT_MS : PROCESS_LIST_TIMEOUT_MS;
  const operation = { server, deps, signal, timeoutMs, task: null, account };
  return await operate(operation, async ({ client, transport, prior, protocolVersion }, left) => {
    const { tools } = await client.listTools(undefined, { timeout: left(), signal });
    if (transport.sessionId !== undefined) await transport.terminateSession().catch(() => undefined);
    return { tools, protocolVersion, prior };
  });
}

export async function callTool(server: McpServer, call: McpCall, deps: OperationDeps): Promise<Result<McpReply>> {
  const { signal, timeoutMs, task, account = null } = call;
  let lastProgress: Progress | null = null;
  const done = await operate({ server, deps, signal, timeoutMs, task, account }, async ({ client }, left) => {
    let listChanged = false;
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      listChanged = true;
    });
    const params = {
      name: call.tool,
      arguments: { ...call.arguments },
      ...(Object.keys(call.answers).length === 0 ? {} : { inputResponses: call.answers }),
      ...(call.state === null ? {} : { requestState: call.state }),
    };
    const result: CallToolResult | InputRequiredResult = await client.callTool(params, {
      signal,
      timeout: left(),
      allowInputRequired: true,
      toolDefinition: { name: call.tool, inputSchema: { ...call.input, type: "object" } },
      onprogress: (progress) => {
        lastProgress = progress;
      },
    });
    return isInputRequiredResult(result) ? readInputRequired(server.name, result) : readResult(result, listChanged);
  });
  if (done.ok || done.error.code !== "timeout" || lastProgress === null) return done;
  return { ok: false, error: { ...done.error, message: `${done.error.message} ${describeProgress(lastProgress)}` } };
}

/** Ends an authorization that a person agreed to; `callback` is the query with which they returned. */
export async function finishAuthorization(
  server: McpServer,
  callback: URLSearchParams,
  deps: OperationDeps,
): Promise<Result<void>> {
  const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
  const asked: AskedConsent = { url: null };
  const requests = openOperationFetch(deps.web, { ...server, timeoutMs: LIST_TIMEOUT_MS });
  try {
    const options = { send: requests.send, prior: null, session: null, timeoutMs: LIST_TIMEOUT_MS, signal };
    const asking = { ...options, consent: deps.consent, asked, mayRestart: true };
    const transport = await openTransport(server, asking, "callback");
    await transport.finishAuth(callback);
    return ok(undefined);
  } catch (thrown) {
    return { ok: false, error: toFailure(server, thrown, false) };
  }
}

/**
 * Finds the authorization server to which a person is sent, and the resource for which they consent (RFC 9728): from the
 * answer to a request without a token.
 */
export async function findAuthority(
  server: McpServer,
  signal: AbortSignal,
  deps: OperationDeps,
): Promise<Result<McpAuthority>> {
  const requests = openOperationFetch(deps.web, { ...server, timeoutMs: LIST_TIMEOUT_MS });
  try {
    return ok(await Promise.race([readAuthority(server.url, requests.send, signal), requests.hopeless]));
  } catch (thrown) {
    return { ok: false, error: toFailure(server, thrown, false) };
  } finally {
    await requests.settled();
  }
}

interface Operation {
  readonly server: McpServer;
  readonly deps: OperationDeps;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The task whose session may be used and stored; null without one. */
  readonly task: string | null;
  readonly account: Account | null;
}

type Work<T> = (connected: Connected, left: () => number) => Promise<T>;

/** Connects, works and closes. If the cached knowledge of the server is outdated, connects again once. */
async function operate<T>(operation: Operation, work: Work<T>): Promise<Result<T>> {
  const { server, deps, task, account } = operation;
  const refusal = findAccountRefusal(server, account);
  if (refusal !== null) return refusal;
  const key = task === null ? null : toSessionKey(deps.tenant, server, { task, account: getSentAccount(account) });
  const session = key === null ? null : findSession(key);
  const prior = server.prior as Prior | null;
  const first = await attempt(operation, { prior, session, key }, work);
  if (first.ok || (prior === null && session === null) || !first.isStale) return first.result;
  if (key !== null) deleteSession(key);
  return (await attempt(operation, { prior: null, session: null, key }, work)).result;
}

/**
 * A server to which each person connects is used through a person's account, and no other server is. The account of a
 * server's one grant only names that; tools that were published before it had one name none.
 */
function findAccountRefusal({ name, oauth }: McpServer, account: Account | null): Failed | null {
  const own = getSentAccount(account);
  if (oauth?.per === "person" && own === null)
    return notSent("permission_denied", `Each person connects an account of ${name}, and this call has none.`);
  if (oauth?.per !== "person" && own !== null)
    return notSent("permission_denied", `${name} is no longer used through accounts of people.`);
  if (oauth === null && account !== null)
    return notSent("permission_denied", `${name} is no longer used through an account.`);
  return null;
}

/** The account whose credential the egress module sends: a person's. The token of a server's one grant is sent here. */
function getSentAccount(account: Account | null): Account | null {
  return account === null || isServerGrant(account) ? null : account;
}

interface Attempt<T> {
  readonly ok: boolean;
  readonly result: Result<T>;
  /** The server rejected everything, because it forgot the session or speaks another revision now. */
  readonly isStale: boolean;
}

async function attempt<T>(
  operation: Operation,
  { prior, session, key }: { prior: Prior | null; session: Session | null; key: string | null },
  work: Work<T>,
): Promise<Attempt<T>> {
  const { server, deps, signal, timeoutMs, task } = operation;
  const startedAt = Date.now();
  const left = () => Math.max(1, timeoutMs - (Date.now() - startedAt));
  const account = getSentAccount(operation.account);
  const requests = openOperationFetch(deps.web, { ...server, account, timeoutMs: timeoutMs + GRACE_MS });
  const asked: AskedConsent = { url: null };
  let connected: Connected | null = null;
  try {
    const { send } = requests;
    const options = { consent: deps.consent, asked, mayRestart: task === null };
    const connecting = connect(server, { send, prior, session, timeoutMs, signal, ...options });
    connected = await Promise.race([connecting, requests.hopeless]);
    const { sessionId } = connected.transport;
    const { protocolVersion } = connected;
    if (key !== null && sessionId !== undefined) saveSession(key, { id: sessionId, protocolVersion });
    const done = await Promise.race([work(connected, left), requests.hopeless]);
    return { ok: true, result: ok(done), isStale: false };
  } catch (thrown) {
    const failure = toFailure(server, thrown, requests.mayHaveCalled());
    const error = asked.url === null ? await reportEnd(operation, failure, thrown) : addConsent(failure, asked.url);
    return { ok: false, result: { ok: false, error }, isStale: isRefusal(thrown) };
  } finally {
    await requests.settled();
    await connected?.client.close();
  }
}

/** True if the server rejected the form of the request, by JSON-RPC or HTTP code. */
function isRefusal(thrown: unknown): boolean {
  if (thrown instanceof ProtocolError) return [-32_600, -32_601, -32_022].includes(thrown.code);
  return thrown instanceof SdkHttpError && [400, 404, 405].includes(thrown.data.status);
}

function toFailure({ name }: McpServer, thrown: unknown, mayHaveCalled: boolean): Failure {
  if (thrown instanceof OttoError) return asNotSent(thrown.failure).error;
  return toMcpFailure(name, thrown, mayHaveCalled);
}

/**
 * Reports that a server refused its one grant. A call that was certainly not made waits for another authorization; one
 * that was accepted before is never repeated.
 */
async function reportEnd({ account, deps }: Operation, failure: Failure, thrown: unknown): Promise<Failure> {
  if (account === null || !isServerGrant(account) || !isRefusedAuthorization(thrown)) return failure;
  await deps.noteGrantEnded(account, failure.message);
  return failure.happened === "no"
    ? { ...failure, cause: { kind: "connection_ended", connection: account.connection } }
    : failure;
}

function addConsent(failure: Failure, url: URL): Failure {
  return { ...failure, code: "permission_denied", cause: { kind: "needs_consent", url: url.href } };
}

/** The server's last progress, for the message of a timeout. */
function describeProgress({ progress, total, message }: Progress): string {
  const of = total === undefined ? "" : ` of ${total}`;
  const said = message === undefined ? "" : ` (${cleanText(message, 200)})`;
  return `It was at ${progress}${of}${said}.`;
}
