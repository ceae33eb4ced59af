/** Otto's conversation in the format of the AI SDK's public provider interface. */
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import { WeakCache } from "../../../core/base/weak-cache.ts";
import type { Message } from "../../../core/model/messages.ts";
import type { ModelRequest, ToolSpec } from "../../../core/ports/model.ts";
import { toAcceptedName } from "../accepted-schema.ts";

type SdkTools = NonNullable<LanguageModelV4CallOptions["tools"]>;
type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];
type Json = Extract<AssistantPart, { type: "tool-call" }>["input"];

/** Replaces a text without a visible character where the provider rejects one. */
const BLANK = "(empty)";
/** The characters of converted messages in memory, of all tasks of the isolate. */
const MAX_CACHED_CHARACTERS = 8_000_000;

/** Converted messages by `refusesBlankText`: a later step of the task has them too. */
const converted = { true: createCache(), false: createCache() };

function createCache(): WeakCache<Message, LanguageModelV4Message> {
  return new WeakCache(MAX_CACHED_CHARACTERS / 2);
}

/**
 * Call ids are sent unchanged, so a provider sees the same ones after a crash. Text is made well-formed: a lone
 * surrogate has no UTF-8, and servers reject its escape.
 */
export function toSdkPrompt(messages: readonly Message[], refusesBlankText = false): LanguageModelV4Message[] {
  const cache = converted[`${refusesBlankText}`];
  return messages.map((message) => {
    const known = cache.get(message);
    if (known !== undefined) return known;
    const shown = toSdkMessage(message, refusesBlankText);
    cache.set(message, shown, countCharacters(message));
    return shown;
  });
}

function countCharacters({ content, ...message }: Message): number {
  const calls = message.role === "assistant" ? (message.calls ?? []) : [];
  return calls.reduce((sum, call) => sum + call.arguments.length, content.length);
}

function toSdkMessage(message: Message, refusesBlankText: boolean): LanguageModelV4Message {
  const isBlank = (text: string): boolean => refusesBlankText && text.trim() === "";
  const text = message.content.toWellFormed();
  switch (message.role) {
    case "system":
      return { role: "system", content: text };
    case "user":
      return { role: "user", content: [{ type: "text", text: isBlank(text) ? BLANK : text }] };
    case "assistant": {
      const calls = (message.calls ?? []).map(
        (call): AssistantPart => ({
          type: "tool-call",
          toolCallId: call.id,
          toolName: toAcceptedName(call.name),
          input: parseArguments(call.arguments),
        }),
      );
      const isWritten = text !== "" && !isBlank(text);
      if (!isWritten && calls.length > 0) return { role: "assistant", content: calls };
      const said: AssistantPart[] = isWritten ? [{ type: "text", text }] : [];
      if (!isWritten && refusesBlankText) said.push({ type: "text", text: BLANK });
      return { role: "assistant", content: [...said, ...calls] };
    }
    case "tool":
      return {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: message.callId,
            toolName: message.name,
            output: { type: "text", value: text },
          },
        ],
      };
  }
}

/** Tool definitions; undefined without tools, because some servers reject an empty list. */
export function toSdkTools(tools: readonly ToolSpec[]): SdkTools | undefined {
  if (tools.length === 0) return undefined;
  return tools.map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters,
  }));
}

/** Names the tools of earlier calls, for a provider that rejects such calls in a request without tools. */
export function toToolsOfCalls(messages: ModelRequest["messages"]): ToolSpec[] {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.calls ?? []) : []));
  const names = new Set(calls.map(({ name }) => toAcceptedName(name)));
  return Array.from(names, (name) => ({ name, description: "Not available now.", parameters: { type: "object" } }));
}

/** Arguments as the model wrote them, or `{}`: servers reject anything but a JSON object. */
function parseArguments(text: string): Json {
  try {
    const value: unknown = JSON.parse(text, (_, part: unknown) =>
      typeof part === "string" ? part.toWellFormed() : part,
    );
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
