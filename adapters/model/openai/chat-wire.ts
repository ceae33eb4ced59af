/** A request as chat completions take it. What differs between OpenAI's own models is told by their names. */
import type { Message } from "../../../core/model/messages.ts";
import type { ModelRequest, ToolSpec } from "../../../core/ports/model.ts";
import { acceptedName, acceptedSchema } from "../accepted-schema.ts";

type Json = Readonly<Record<string, unknown>>;

/** The body of `POST /chat/completions`, as JSON. */
export function chatBody(request: ModelRequest): string {
  const { model, maxOutputTokens, tools } = request;
  const reasons = isReasoningModel(model);
  const body = JSON.stringify({
    model,
    // What a reasoning model thinks counts too, under a name of its own.
    [reasons ? "max_completion_tokens" : "max_tokens"]: maxOutputTokens,
    ...(tools.length > 0 && refusesToolsWhileReasoning(model) ? { reasoning_effort: "none" } : {}),
    messages: request.messages.map((message) => wireMessage(message, reasons ? "developer" : "system")),
    stream: true,
    stream_options: { include_usage: true },
  });
  // Some servers refuse an empty list.
  return tools.length === 0 ? body : `${body.slice(0, -1)},"tools":${toolsText(tools)}}`;
}

/** o1, o3-mini, gpt-5, gpt-5.2-chat-latest, …; not gpt-4o, gpt-4.1, gpt-5-chat-latest, nor a name of another maker's. */
function isReasoningModel(model: string): boolean {
  if (/^o\d+(-|$)/.test(model)) return true;
  const [, major, minor, variant = ""] = GPT_NAME.exec(model) ?? [];
  return Number(major) >= 5 && !(minor === undefined && variant.startsWith("chat"));
}

/** From gpt-5.6 to the end of gpt-5, chat completions take function tools only with `reasoning_effort: "none"`. */
function refusesToolsWhileReasoning(model: string): boolean {
  const [, major, minor] = GPT_NAME.exec(model) ?? [];
  return Number(major) === 5 && Number(minor) >= 6;
}

const GPT_NAME = /^gpt-(\d+)(?:\.(\d+))?(?:-(.+))?$/;

/**
 * Call ids go out as they are, so a provider sees the same ones after any crash. Text is made well-formed: a lone
 * surrogate has no UTF-8, and servers refuse its escape.
 */
function wireMessage(message: Message, systemRole: "system" | "developer"): Json {
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
          function: { name: acceptedName(call.name), arguments: acceptedArguments(call.arguments) },
        })),
      };
    }
    case "tool":
      return { role: "tool", tool_call_id: message.callId, content };
  }
}

/** Arguments as the model wrote them, or `{}`: servers refuse what is no JSON object. */
function acceptedArguments(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? text.toWellFormed() : "{}";
  } catch {
    return "{}";
  }
}

/** The tools of a task stay the same list from step to step, and are most of a short request. */
const toolsTexts = new WeakMap<readonly ToolSpec[], string>();

function toolsText(tools: readonly ToolSpec[]): string {
  const known = toolsTexts.get(tools);
  if (known !== undefined) return known;
  const text = JSON.stringify(tools.map(wireTool));
  toolsTexts.set(tools, text);
  return text;
}

function wireTool({ name, description, parameters }: ToolSpec): Json {
  return { type: "function", function: { name, description, parameters: acceptedSchema(parameters) } };
}
