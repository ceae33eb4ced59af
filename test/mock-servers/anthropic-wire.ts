/**
 * Anthropic's Messages API by its public reference (`docs/decisions/0095-model-providers.md` links the pages): validation of requests,
 * events of a streamed reply, and errors.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { ScriptedReply } from "./model-server.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly input?: unknown;
}
interface Body {
  readonly model?: unknown;
  readonly max_tokens?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: string | null | readonly Block[] }[];
  readonly tools?: readonly unknown[] | undefined;
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** Formats the body of an error reply. */
export function anthropicError(status: number, message: string): unknown {
  const type = ERROR_TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  return { type: "error", error: { type, message }, request_id: "req_1" };
}

/** Returns the status and the reason of a refusal, or null for a valid request. */
export function findRequestFault(
  headers: IncomingHttpHeaders,
  body: Body,
): readonly [status: number, why: string] | null {
  if (!headers["x-api-key"]) return [401, "x-api-key header is required"];
  if (headers["anthropic-version"] !== "2023-06-01") return [400, "anthropic-version: header is required"];
  if (typeof body.model !== "string") return [400, "model: Field required"];
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1) return [400, "max_tokens: Field required"];
  const { messages } = body;
  if (messages[0]?.role !== "user") return [400, "messages: first message must use the user role"];
  if (messages.at(-1)?.role === "assistant") return [400, "This model does not support assistant message prefill."];
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" || content === null ? [] : content));
  if (messages.some(({ content }) => content === null || content.length === 0))
    return [400, "messages: content must be non-empty"];
  if (blocks.some(({ type, text }) => type === "text" && text?.trim() === ""))
    return [400, "messages: text content blocks must contain non-whitespace text"];
  const calls = blocks.filter(({ type }) => type === "tool_use");
  if (calls.length > 0 && body.tools === undefined)
    return [400, "Requests which include `tool_use` or `tool_result` blocks must define tools"];
  if (calls.some(({ input }) => typeof input !== "object" || input === null || Array.isArray(input)))
    return [400, "messages: tool_use.input: Input should be a valid dictionary"];
  const results = new Set(blocks.flatMap(({ tool_use_id }) => tool_use_id ?? []));
  const open = calls.find(({ id }) => !results.has(id ?? ""));
  return open === undefined
    ? null
    : [400, `messages: tool_use ids were found without tool_result blocks immediately after: ${open.id}`];
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  content_filter: "refusal",
};

/** Formats a reply as server-sent events. `finish` is OpenAI's stop reason or the API's own. */
export function anthropicEvents(reply: ScriptedReply, model: string): string[] {
  const { input, output } = reply.usage === null ? { input: 0, output: 0 } : (reply.usage ?? { input: 10, output: 5 });
  const events: ({ type: string } & Record<string, unknown>)[] = [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        content: [],
        model,
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: input, output_tokens: Math.min(1, output) },
      },
    },
  ];
  let index = 0;
  const block = (content_block: unknown, deltas: readonly unknown[]): void => {
    events.push({ type: "content_block_start", index, content_block });
    if (index === 0) events.push({ type: "ping" });
    for (const delta of deltas) events.push({ type: "content_block_delta", index, delta });
    events.push({ type: "content_block_stop", index });
    index += 1;
  };
  if (reply.text) {
    const deltas = cut(reply.text, reply.pieceCharacters ?? 20).map((text) => ({ type: "text_delta", text }));
    block({ type: "text", text: "" }, deltas);
  }
  for (const [at, call] of (reply.calls ?? []).entries()) {
    const text = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
    const deltas = ["", ...cut(text, 4096)].map((partial_json) => ({ type: "input_json_delta", partial_json }));
    block({ type: "tool_use", id: `toolu_${at + 1}`, name: call.name, input: {} }, deltas);
  }
  const finish = reply.finish ?? (reply.calls?.length ? "tool_use" : "stop");
  const stop_reason = STOP_REASONS[finish] ?? finish;
  events.push({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: output } });
  events.push({ type: "message_stop" });
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** Formats the first events of an endless text, and an event with a piece of it. */
export function anthropicTextEvents(text: string): { readonly first: string; readonly piece: unknown } {
  const [start = "", open = ""] = anthropicEvents({ text }, "m");
  return {
    first: start + open,
    piece: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
  };
}

function cut(text: string, size: number): string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
}
