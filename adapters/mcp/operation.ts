/** What is done with an MCP server, one connection each: reading its tools, calling one, ending an authorization. */
import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type Progress,
  ProtocolError,
  SdkHttpError,
} from "@modelcontextprotocol/client";
import { asNotSent, type Failure, ok, OttoError, type Result } from "../../core/base/errors.ts";
import { cleanText } from "../../core/mcp/tool-list.ts";
import type { McpCall, McpListing, McpReply } from "../../core/ports/mcp.ts";
import type { WebPort } from "../../core/ports/web.ts";
import { connect, type Connected, type Prior, type Session, transportTo } from "./connect.ts";
import { mcpFailure } from "./failure.ts";
import type { AskedConsent } from "./oauth.ts";
import { readInputRequired, readResult } from "./result.ts";
import type { Consent, McpServer } from "./server.ts";
import { forgetSession, knownSession, rememberSession, sessionKey } from "./sessions.ts";
import { operationFetch } from "./web-fetch.ts";

const LIST_TIMEOUT_MS = 30_000;
/** A process has to be started first, and one of those that install themselves takes its time. */
const PROCESS_LIST_TIMEOUT_MS = 60_000;
/** A call's cancellation is sent after its time is over. */
const GRACE_MS = 2_000;

export interface OperationDeps {
  readonly web: Pick<WebPort, "open">;
  readonly tenant: string;
  readonly consent: Consent | null;
}

/** Reads the tools of a server. A session that the server opens for it is ended again. */
export async function listTools(
  server: McpServer,
  signal: AbortSignal,
  deps: OperationDeps,
): Promise<Result<McpListing>> {
  const timeoutMs = server.process === null ? LIST_TIMEOUT_MS : PROCESS_LIST_TIMEOUT_MS;
  const operation = { server, deps, signal, timeoutMs, task: null };
  return await operate(operation, async ({ client, transport, prior, protocolVersion }, left) => {
    const { tools } = await client.listTools(undefined, { timeout: left(), signal });
    if (transport.sessionId !== undefined) await transport.terminateSession().catch(() => undefined);
    return { tools, protocolVersion, prior };
  });
}

/** Calls a tool. */
export async function callTool(server: McpServer, call: McpCall, deps: OperationDeps): Promise<Result<McpReply>> {
  const { signal, timeoutMs, task } = call;
  let heard: Progress | null = null;
  const done = await operate({ server, deps, signal, timeoutMs, task }, async ({ client }, left) => {
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
        heard = progress;
      },
    });
    return isInputRequiredResult(result) ? readInputRequired(server.name, result) : readResult(result, listChanged);
  });
  if (done.ok || done.error.code !== "timeout" || heard === null) return done;
  return { ok: false, error: { ...done.error, message: `${done.error.message} ${lastHeard(heard)}` } };
}

/** Ends an authorization that a person agreed to: `callback` is the query that brought them back. */
export async function finishAuthorization(
  server: McpServer,
  callback: URLSearchParams,
  deps: OperationDeps,
): Promise<Result<void>> {
  const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
  const asked: AskedConsent = { url: null };
  const requests = operationFetch(deps.web, { ...server, timeoutMs: LIST_TIMEOUT_MS });
  try {
    const options = { send: requests.send, prior: null, session: null, timeoutMs: LIST_TIMEOUT_MS, signal };
    const transport = await transportTo(server, { ...options, consent: deps.consent, asked });
    await transport.finishAuth(callback);
    return ok(undefined);
  } catch (thrown) {
    return { ok: false, error: failureOf(server, thrown, false) };
  }
}

interface Operation {
  readonly server: McpServer;
  readonly deps: OperationDeps;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Whose session may be used and kept; null: nobody's. */
  readonly task: string | null;
}

type Work<T> = (connected: Connected, left: () => number) => Promise<T>;

/** Connects, works, and closes. What is known of the server may be out of date: then it is asked anew, once. */
async function operate<T>(operation: Operation, work: Work<T>): Promise<Result<T>> {
  const { server, deps, task } = operation;
  const key = task === null ? null : sessionKey(deps.tenant, server, task);
  const session = key === null ? null : knownSession(key);
  const prior = server.prior as Prior | null;
  const first = await attempt(operation, { prior, session, key }, work);
  if (first.ok || (prior === null && session === null) || !first.isStale) return first.result;
  if (key !== null) forgetSession(key);
  return (await attempt(operation, { prior: null, session: null, key }, work)).result;
}

interface Attempt<T> {
  readonly ok: boolean;
  readonly result: Result<T>;
  /** The server took none of it, as one does that has forgotten the session or speaks another revision by now. */
  readonly isStale: boolean;
}

async function attempt<T>(
  { server, deps, signal, timeoutMs }: Operation,
  { prior, session, key }: { prior: Prior | null; session: Session | null; key: string | null },
  work: Work<T>,
): Promise<Attempt<T>> {
  const startedAt = Date.now();
  const left = () => Math.max(1, timeoutMs - (Date.now() - startedAt));
  const requests = operationFetch(deps.web, { ...server, timeoutMs: timeoutMs + GRACE_MS });
  const asked: AskedConsent = { url: null };
  let connected: Connected | null = null;
  try {
    const { send } = requests;
    const { consent } = deps;
    const connecting = connect(server, { send, prior, session, timeoutMs, signal, consent, asked });
    connected = await Promise.race([connecting, requests.hopeless]);
    const { sessionId } = connected.transport;
    const { protocolVersion } = connected;
    if (key !== null && sessionId !== undefined) rememberSession(key, { id: sessionId, protocolVersion });
    const done = await Promise.race([work(connected, left), requests.hopeless]);
    return { ok: true, result: ok(done), isStale: false };
  } catch (thrown) {
    const failure = failureOf(server, thrown, requests.mayHaveCalled());
    const error = asked.url === null ? failure : withConsent(failure, asked.url);
    return { ok: false, result: { ok: false, error }, isStale: isRefusal(thrown) };
  } finally {
    await requests.settled();
    await connected?.client.close();
  }
}

/** Whether the server took none of it because of the way in which it was asked: JSON-RPC's codes for that, and HTTP's. */
function isRefusal(thrown: unknown): boolean {
  if (thrown instanceof ProtocolError) return [-32_600, -32_601, -32_022].includes(thrown.code);
  return thrown instanceof SdkHttpError && [400, 404, 405].includes(thrown.data.status);
}

function failureOf({ name }: McpServer, thrown: unknown, mayHaveCalled: boolean): Failure {
  if (thrown instanceof OttoError) return asNotSent(thrown.failure).error;
  return mcpFailure(name, thrown, mayHaveCalled);
}

function withConsent(failure: Failure, url: URL): Failure {
  return { ...failure, code: "permission_denied", cause: { kind: "needs_consent", url: url.href } };
}

/** What a server said of its progress, for the message that it was not waited for any longer. */
function lastHeard({ progress, total, message }: Progress): string {
  const of = total === undefined ? "" : ` of ${total}`;
  const said = message === undefined ? "" : ` (${cleanText(message, 200)})`;
  return `It was at ${progress}${of}${said}.`;
}
