/** Formats replies of an OpenAI-compatible server: the events of both APIs, and bodies without streaming. */
import { anthropicTextEvents } from "./anthropic-wire.ts";
import type { ScriptedReply } from "./model-server.ts";

/** One tool call in a reply. */
interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Adds ids to the calls of a reply (`wire_1`, `wire_2`, …). */
function wireCalls(reply: ScriptedReply): WireCall[] {
  return (reply.calls ?? []).map((call, index) => ({
    id: `wire_${index + 1}`,
    name: call.name,
    arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
  }));
}

/** Splits a text into pieces of `size` characters. */
function pieces(text: string, size: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size));
  return parts;
}

function makeUsage(
  reply: ScriptedReply,
): { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null {
  if (reply.usage === null) return null;
  const { input, output } = reply.usage ?? { input: 10, output: 5 };
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

/** Server-sent events of `POST /chat/completions`, without the closing `[DONE]`. */
export function chatEvents(reply: ScriptedReply, model: string): string[] {
  const events: unknown[] = [];
  const chunk = (delta: unknown, finish: string | null = null): void => {
    events.push({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  };
  chunk({ role: "assistant", content: "" });
  for (const piece of pieces(reply.text ?? "", reply.pieceCharacters ?? 20)) chunk({ content: piece });
  const calls = wireCalls(reply);
  for (const [index, call] of calls.entries()) {
    chunk({ tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }] });
    for (const piece of pieces(call.arguments, 4096)) {
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  chunk({}, reply.finish ?? (calls.length > 0 ? "tool_calls" : "stop"));
  const usage = makeUsage(reply);
  if (usage !== null)
    events.push({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model, choices: [], usage });
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
}

/** The body of `POST /chat/completions` without `stream`. */
export function chatBody(reply: ScriptedReply, model: string): unknown {
  const calls = wireCalls(reply).map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));
  const finish = reply.finish ?? (calls.length > 0 ? "tool_calls" : "stop");
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: reply.text ?? null, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
        finish_reason: finish,
      },
    ],
    ...(reply.usage === null ? {} : { usage: makeUsage(reply) }),
  };
}

/** Server-sent events of `POST /responses`. */
export function responsesEvents(reply: ScriptedReply, model: string): string[] {
  const events: ({ type: string } & Record<string, unknown>)[] = [
    { type: "response.created", response: { id: "resp_1", created_at: 1, model } },
  ];
  let output = 0;
  if (reply.text !== undefined && reply.text !== "") {
    const item = { type: "message", id: "msg_1", role: "assistant", content: [] };
    events.push({ type: "response.output_item.added", output_index: output, item });
    for (const delta of pieces(reply.text, reply.pieceCharacters ?? 20)) {
      events.push({ type: "response.output_text.delta", item_id: "msg_1", output_index: output, delta });
    }
    events.push({ type: "response.output_item.done", output_index: output, item });
    output += 1;
  }
  for (const call of wireCalls(reply)) {
    const item = { type: "function_call", id: `fc_${output}`, call_id: call.id, name: call.name, arguments: "" };
    events.push({ type: "response.output_item.added", output_index: output, item });
    events.push({
      type: "response.function_call_arguments.delta",
      item_id: item.id,
      output_index: output,
      delta: call.arguments,
    });
    events.push({
      type: "response.output_item.done",
      output_index: output,
      item: { ...item, arguments: call.arguments, status: "completed" },
    });
    output += 1;
  }
  const { input, output: written } = reply.usage ?? { input: 10, output: 5 };
  const cut = reply.finish === "length";
  events.push({
    type: cut ? "response.incomplete" : "response.completed",
    response: {
      ...(cut ? { incomplete_details: { reason: "max_output_tokens" } } : {}),
      ...(reply.usage === null ? {} : { usage: { input_tokens: input, output_tokens: written } }),
    },
  });
  return events.map(
    (event, sequence) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: sequence })}\n\n`,
  );
}

/** The APIs of the server. */
export type WireApi = "chat" | "responses" | "messages";

/** Formats an event with a piece of text for its API. */
export function textEvent(text: string, api: WireApi): unknown {
  if (api === "messages") return anthropicTextEvents(text).piece;
  return api === "chat"
    ? { id: "c", choices: [{ index: 0, delta: { content: text }, finish_reason: null }] }
    : { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, delta: text, sequence_number: 0 };
}

/** Formats an error event for its API. */
export function errorEvent(error: unknown, api: WireApi): unknown {
  if (api === "messages") return { type: "error", error };
  return api === "chat"
    ? { error }
    : { type: "error", sequence_number: 0, error: { type: "error", ...(error as object) } };
}
