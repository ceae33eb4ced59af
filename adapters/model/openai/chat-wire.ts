/**
 * A request in the format of chat completions. Differences between OpenAI's own models are derived from their names.
 */
import { WeakCache } from "../../../core/base/weak-cache.ts";
import type { Message } from "../../../core/model/messages.ts";
import type { ModelRequest, ToolSpec } from "../../../core/ports/model.ts";
import { toAcceptedName, toAcceptedSchema } from "../accepted-schema.ts";

type Json = Readonly<Record<string, unknown>>;
type SystemRole = "system" | "developer";

/** The body of `POST /chat/completions`, as JSON. */
export function formatChatBody(request: ModelRequest): string {
  const { model, maxOutputTokens, tools } = request;
  const reasons = isReasoningModel(model);
  const head = JSON.stringify({
    model,
    // A reasoning model's thoughts count too, under a name of their own.
    [reasons ? "max_completion_tokens" : "max_tokens"]: maxOutputTokens,
    ...(tools.length > 0 && refusesToolsWhileReasoning(model) ? { reasoning_effort: "none" } : {}),
  });
  const messages = formatMessages(request.messages, reasons ? "developer" : "system");
  // Some servers reject an empty list.
  const tail = tools.length === 0 ? "" : `,"tools":${formatTools(tools)}`;
  return `${head.slice(0, -1)},"messages":[${messages}],"stream":true,"stream_options":{"include_usage":true}${tail}}`;
}

/** The characters of messages' JSON in memory, of all tasks of the isolate. */
const MAX_CACHED_CHARACTERS = 8_000_000;

/** The JSON of messages. A conversation grows at its end, so most of a request was formatted in earlier steps. */
const messageTexts = new WeakCache<Message, string>(MAX_CACHED_CHARACTERS);

function formatMessages(messages: readonly Message[], systemRole: SystemRole): string {
  return messages.map((message) => formatMessage(message, systemRole)).join(",");
}

function formatMessage(message: Message, systemRole: SystemRole): string {
  // Its role depends on the model, and it is another object in each request.
  if (message.role === "system") return JSON.stringify(toWireMessage(message, systemRole));
  const known = messageTexts.get(message);
  if (known !== undefined) return known;
  const text = JSON.stringify(toWireMessage(message, systemRole));
  messageTexts.set(message, text, text.length);
  return text;
}

/**
 * True for o1, o3-mini, gpt-5, gpt-5.2-chat-latest, …; false for gpt-4o, gpt-4.1, gpt-5-chat-latest and models of other
 * makers.
 */
function isReasoningModel(model: string): boolean {
  if (/^o\d+(-|$)/.test(model)) return true;
  const [, major, minor, variant = ""] = GPT_NAME.exec(model) ?? [];
  return Number(major) >= 5 && !(minor === undefined && variant.startsWith("chat"));
}

/** From gpt-5.6 to the end of gpt-5, chat completions accept function tools only with `reasoning_effort: "none"`. */
function refusesToolsWhileReasoning(model: string): boolean {
  const [, major, minor] = GPT_NAME.exec(model) ?? [];
  return Number(major) === 5 && Number(minor) >= 6;
}

const GPT_NAME = /^gpt-(\d+)(?:\.(\d+))?(?:-(.+))?$/;

/**
 * Call ids are sent unchanged, so a provider sees the same ones after a crash. Text is made well-formed: a lone
 * surrogate has no UTF-8, and servers reject its escape.
 */
function toWireMessage(message: Message, systemRole: SystemRole): Json {
  const content = message.content.toWellFormed();
  switch (message.role) {
    case "system":
      return { role: systemRole, content };
    case "user":
      return { role: "user", content };
    case "assistant": {
      const calls = message.calls ?? [];
      if (calls.length === 0) return { role: "assistant", content };
      return {
        role: "assistant",
        content: content === "" ? null : content,
        tool_calls: calls.map((call) => ({
          id: call.id,
          type: "function",
          function: { name: toAcceptedName(call.name), arguments: toAcceptedArguments(call.arguments) },
        })),
      };
    }
    case "tool":
      return { role: "tool", tool_call_id: message.callId, content };
  }
}

/** Arguments as the model wrote them, or `{}`: servers reject anything but a JSON object. */
function toAcceptedArguments(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? text.toWellFormed() : "{}";
  } catch {
    return "{}";
  }
}

/** Cached: a task's tools are the same list in every step, and most of a short request. */
const toolsTexts = new WeakMap<readonly ToolSpec[], string>();

function formatTools(tools: readonly ToolSpec[]): string {
  const known = toolsTexts.get(tools);
  if (known !== undefined) return known;
  const text = JSON.stringify(tools.map(toWireTool));
  toolsTexts.set(tools, text);
  return text;
}

function toWireTool({ name, description, parameters }: ToolSpec): Json {
  return { type: "function", function: { name, description, parameters: toAcceptedSchema(parameters) } };
}
