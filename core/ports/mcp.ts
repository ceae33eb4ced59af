/** The port to the MCP servers of a tenant, with its data. */
import type { Result } from "../base/errors.ts";
import type { Account } from "../connections/account.ts";

/** A tool as an MCP server lists it, within the bounds of `core/mcp/tool-list.ts`. All of it is unverified. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>> | null;
  readonly readOnly: boolean;
  readonly idempotent: boolean;
}

/** The description of an MCP server. */
export interface McpListing {
  /** The unvalidated tools, which `core/mcp/tool-list.ts` reads. */
  readonly tools: readonly unknown[];
  readonly protocolVersion: string;
  /** Adapter state that saves the protocol negotiation of the next connection. */
  readonly prior: unknown;
}

/** A server's question to a person (an `elicitation/create` request). */
export interface McpQuestion {
  readonly mode: "form" | "url";
  readonly message: string;
  /** In form mode: JSON Schema of a flat object. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** In URL mode: the page for the person. */
  readonly url: string | null;
}

/** A person's answer to a server's question. */
export interface McpAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>>;
}

/** One call of a server's tool. */
export interface McpCall {
  readonly server: string;
  readonly tool: string;
  /** The schema that was approved; it may name arguments that are sent as headers too. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** For a call that the server answered with questions: the answers by its keys, and its state. */
  readonly answers: Readonly<Record<string, McpAnswer>>;
  readonly state: string | null;
  /** Only calls of one task may share a session. */
  readonly task: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The account through which it acts: a person's, or the server's one grant. Only the context of a call sets it. */
  readonly account?: Account;
}

/** One part of a result. `data` is base64. */
export type McpContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "media"; readonly mimeType: string; readonly data: string; readonly uri: string | null }
  | { readonly type: "resource"; readonly uri: string; readonly text: string }
  | { readonly type: "link"; readonly uri: string; readonly name: string; readonly description: string }
  | { readonly type: "other"; readonly kind: string };

/** The reply to a call of a server's tool. `listChanged`: the server announced a changed tool list meanwhile. */
export type McpReply =
  | {
      readonly kind: "result";
      readonly content: readonly McpContent[];
      /** Undefined if absent. */
      readonly structured: unknown;
      readonly isError: boolean;
      readonly listChanged: boolean;
    }
  /** The server needs answers, or its state, before it acts. */
  | {
      readonly kind: "input_required";
      readonly questions: Readonly<Record<string, McpQuestion>>;
      readonly state: string | null;
    };

/**
 * The MCP servers of one tenant, by its names for them. Failures: `not_found` (no such server, or no such tool),
 * `invalid_input`, `permission_denied` (the server requires other credentials), `blocked_by_policy`, `rate_limited`,
 * `timeout`, `too_large`, `upstream_failed`; `happened` is "no" when the call was not sent. The cause `connection_ended`:
 * the account was refused, and the call was not made.
 */
export interface McpPort {
  /** Connects, and reads all tools of the server; through an account of a person if each person connects one. */
  list(server: string, signal: AbortSignal, account?: Account): Promise<Result<McpListing>>;
  call(call: McpCall): Promise<Result<McpReply>>;
}
