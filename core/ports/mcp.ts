/** The port to the MCP servers of a tenant, and what goes through it. */
import type { Result } from "../base/errors.ts";

/** A tool as an MCP server lists it, within the bounds of `core/mcp/tool-list.ts`. Everything in it is the server's word. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>> | null;
  readonly readOnly: boolean;
  readonly idempotent: boolean;
}

/** What an MCP server tells of itself. */
export interface McpListing {
  /** As they came, unjudged: `core/mcp/tool-list.ts` reads them. */
  readonly tools: readonly unknown[];
  readonly protocolVersion: string;
  /** What spares the next contact the question which revisions the server speaks. It is the adapter's own. */
  readonly prior: unknown;
}

/** A question of a server to a person (an `elicitation/create` request). */
export interface McpQuestion {
  readonly mode: "form" | "url";
  readonly message: string;
  /** In form mode: JSON Schema of a flat object. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** In URL mode: where the person is to go. */
  readonly url: string | null;
}

/** A person's answer to a question of a server. */
export interface McpAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>>;
}

/** One call of a server's tool. */
export interface McpCall {
  readonly server: string;
  readonly tool: string;
  /** The schema that the tool was approved with; it may name arguments that travel as headers too. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** For a call that the server answered with questions: their answers by its keys, and the state that it wants back. */
  readonly answers: Readonly<Record<string, McpAnswer>>;
  readonly state: string | null;
  /** Calls of one task may share a session; others never do. */
  readonly task: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** One part of a result. `data` is base64. */
export type McpContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "media"; readonly mimeType: string; readonly data: string; readonly uri: string | null }
  | { readonly type: "resource"; readonly uri: string; readonly text: string }
  | { readonly type: "link"; readonly uri: string; readonly name: string; readonly description: string }
  | { readonly type: "other"; readonly kind: string };

/** What a call of a server's tool gave. `listChanged`: the server said meanwhile that its tools are others now. */
export type McpReply =
  | {
      readonly kind: "result";
      readonly content: readonly McpContent[];
      /** Undefined: there is none. */
      readonly structured: unknown;
      readonly isError: boolean;
      readonly listChanged: boolean;
    }
  /** The server wants answers, or only its state back, before it does anything. */
  | {
      readonly kind: "input_required";
      readonly questions: Readonly<Record<string, McpQuestion>>;
      readonly state: string | null;
    };

/**
 * The MCP servers of one tenant, by the names that it gave them. Failures: `not_found` (no such server, or no such tool),
 * `invalid_input`, `permission_denied` (the server wants other credentials), `blocked_by_policy`, `rate_limited`,
 * `timeout`, `too_large`, `upstream_failed`; `happened` is "no" when the call surely never left.
 */
export interface McpPort {
  /** Connects, and reads all the tools that the server has. */
  list(server: string, signal: AbortSignal): Promise<Result<McpListing>>;
  call(call: McpCall): Promise<Result<McpReply>>;
}
