/** Converts what the MCP package throws to failures. A server's error text is cut and made plain. */
import {
  AuthorizationServerMismatchError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { ANSWERED, asNotSent, type ErrorCode, type Failure } from "../../core/base/errors.ts";
import { cleanText } from "../../core/mcp/tool-list.ts";
import { NoReply } from "./web-fetch.ts";

const MAX_SAID = 500;
const MAX_ISSUER = 200;
/** JSON-RPC 2.0, section 5.1. */
const [METHOD_NOT_FOUND, INVALID_PARAMS] = [-32601, -32602];

/** The failure of an operation. `mayHaveCalled`: the call may have been sent; otherwise it certainly was not. */
export function toMcpFailure(server: string, thrown: unknown, mayHaveCalled: boolean): Failure {
  const failure = readFailure(server, thrown);
  return mayHaveCalled ? failure : asNotSent(failure).error;
}

function readFailure(server: string, thrown: unknown): Failure {
  const noReply = findNoReply(thrown);
  if (noReply !== null) {
    const { field: _, fields: __, ...rest } = noReply.failure;
    if (rest.cause?.kind === "connection_ended") return rest;
    return { ...rest, message: `The MCP server ${server} cannot be reached: ${rest.message}` };
  }
  if (thrown instanceof UnauthorizedError) return failUnauthorized(server);
  if (thrown instanceof AuthorizationServerMismatchError) return failMigrated(server, thrown);
  if (thrown instanceof SdkHttpError) return fromStatus(server, thrown.data.status);
  if (thrown instanceof ProtocolError) return fromProtocolError(server, thrown);
  if (thrown instanceof SdkError) return fromPackageError(server, thrown);
  if (thrown instanceof DOMException && (thrown.name === "TimeoutError" || thrown.name === "AbortError")) {
    return { code: "timeout", message: `The MCP server ${server} did not reply in time.` };
  }
  const said = thrown instanceof Error ? cleanText(thrown.message, MAX_SAID) : "";
  return { code: "upstream_failed", message: `The MCP server ${server} sent an invalid reply: ${said}` };
}

/** True if the server, or its authorization server, refused Otto's authorization finally. A fault of either is no refusal. */
export function isRefusedAuthorization(thrown: unknown): boolean {
  if (thrown instanceof SdkHttpError) return thrown.data.status === 401;
  return thrown instanceof UnauthorizedError || thrown instanceof AuthorizationServerMismatchError;
}

/** The package wraps what `fetch` throws once or twice. */
function findNoReply(thrown: unknown): NoReply | null {
  for (let one: unknown = thrown; one instanceof Error; one = one.cause) if (one instanceof NoReply) return one;
  return null;
}

function failUnauthorized(server: string): Failure {
  const message = `The MCP server ${server} does not accept Otto's credentials. An administrator has to set or renew them (/v1/mcp-servers/${server}).`;
  return { code: "permission_denied", message, cause: ANSWERED };
}

/** Names both authorization servers: the MCP server's word alone is no reason to trust the new one. */
function failMigrated(server: string, { recordedIssuer, currentIssuer }: AuthorizationServerMismatchError): Failure {
  const [old, next] = [recordedIssuer, currentIssuer].map((issuer) => cleanText(issuer, MAX_ISSUER));
  const message = `The MCP server ${server} now names the authorization server ${next}, but Otto's credentials belong to ${old}. If the change is right, an administrator has to reload the server and authorize Otto again (/v1/mcp-servers/${server}); with a client_id of your own, delete the server and add it with a client_id of the new authorization server.`;
  return { code: "permission_denied", message, cause: ANSWERED };
}

function fromStatus(server: string, status: number): Failure {
  if (status === 401 || status === 403) return failUnauthorized(server);
  const message = `The MCP server ${server} replied with status ${status}.`;
  if (status === 429) return { code: "rate_limited", message, cause: ANSWERED };
  return { code: "upstream_failed", message, ...(status < 500 ? { cause: ANSWERED } : {}) };
}

/** The server's own JSON-RPC error: it confirms that there is no result. */
function fromProtocolError(server: string, { code, message }: ProtocolError): Failure {
  const codes: Readonly<Record<number, ErrorCode>> = {
    [METHOD_NOT_FOUND]: "not_found",
    [INVALID_PARAMS]: "invalid_input",
  };
  return {
    code: codes[code] ?? "upstream_failed",
    message: `The MCP server ${server} refused: ${cleanText(message, MAX_SAID)}`,
    cause: ANSWERED,
  };
}

function fromPackageError(server: string, { code, message }: SdkError): Failure {
  if (code === SdkErrorCode.RequestTimeout) {
    return { code: "timeout", message: `The MCP server ${server} did not reply in time.` };
  }
  if (code === SdkErrorCode.ListPaginationExceeded) {
    return { code: "too_large", message: `The tool list of the MCP server ${server} has no end.` };
  }
  return {
    code: "upstream_failed",
    message: `The MCP server ${server} did not reply: ${cleanText(message, MAX_SAID)}`,
  };
}
