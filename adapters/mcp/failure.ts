/** What the MCP package throws, as failures of the port. What a server writes of an error is cut and plain. */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import { ANSWERED, asNotSent, type ErrorCode, type Failure } from "../../core/base/errors.ts";
import { cleanText } from "../../core/mcp/tool-list.ts";
import { NoReply } from "./web-fetch.ts";

const MAX_SAID = 500;
/** JSON-RPC 2.0, section 5.1. */
const [METHOD_NOT_FOUND, INVALID_PARAMS] = [-32601, -32602];

/** The failure of an operation. `mayHaveCalled`: a tool's call was on its way; otherwise it surely never left. */
export function mcpFailure(server: string, thrown: unknown, mayHaveCalled: boolean): Failure {
  const failure = readFailure(server, thrown);
  return mayHaveCalled ? failure : asNotSent(failure).error;
}

function readFailure(server: string, thrown: unknown): Failure {
  const noReply = replyIn(thrown);
  if (noReply !== null) {
    const { field: _, fields: __, ...rest } = noReply.failure;
    return { ...rest, message: `The MCP server ${server} cannot be reached: ${rest.message}` };
  }
  if (thrown instanceof UnauthorizedError) return unauthorized(server);
  if (thrown instanceof SdkHttpError) return ofStatus(server, thrown.data.status);
  if (thrown instanceof ProtocolError) return ofProtocol(server, thrown);
  if (thrown instanceof SdkError) return ofPackage(server, thrown);
  if (thrown instanceof DOMException && (thrown.name === "TimeoutError" || thrown.name === "AbortError")) {
    return { code: "timeout", message: `The MCP server ${server} did not answer in time.` };
  }
  const said = thrown instanceof Error ? cleanText(thrown.message, MAX_SAID) : "";
  return { code: "upstream_failed", message: `The MCP server ${server} gave an answer that is none: ${said}` };
}

/** The package wraps what `fetch` throws once or twice. */
function replyIn(thrown: unknown): NoReply | null {
  for (let one: unknown = thrown; one instanceof Error; one = one.cause) if (one instanceof NoReply) return one;
  return null;
}

function unauthorized(server: string): Failure {
  const message = `The MCP server ${server} does not accept Otto's credentials. An administrator has to set or renew them (/v1/mcp-servers/${server}).`;
  return { code: "permission_denied", message, cause: ANSWERED };
}

function ofStatus(server: string, status: number): Failure {
  if (status === 401 || status === 403) return unauthorized(server);
  const message = `The MCP server ${server} answered with the status ${status}.`;
  if (status === 429) return { code: "rate_limited", message, cause: ANSWERED };
  return { code: "upstream_failed", message, ...(status < 500 ? { cause: ANSWERED } : {}) };
}

/** The server's own error (JSON-RPC): it says itself that there is no result. */
function ofProtocol(server: string, { code, message }: ProtocolError): Failure {
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

function ofPackage(server: string, { code, message }: SdkError): Failure {
  if (code === SdkErrorCode.RequestTimeout) {
    return { code: "timeout", message: `The MCP server ${server} did not answer in time.` };
  }
  if (code === SdkErrorCode.ListPaginationExceeded) {
    return { code: "too_large", message: `The list of tools of the MCP server ${server} has no end.` };
  }
  return {
    code: "upstream_failed",
    message: `The MCP server ${server} did not answer: ${cleanText(message, MAX_SAID)}`,
  };
}
