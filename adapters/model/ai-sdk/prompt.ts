/** Otto's conversation in the form of the SDK's provider interface, for the Responses API. */
import type { OpenAIResponsesLanguageModel } from "@ai-sdk/openai/internal";
import { acceptedName } from "../accepted-schema.ts";
import type { Message } from "../../../core/model/messages.ts";
import type { ToolSpec } from "../../../core/ports/tool-ports.ts";

/** What the SDK's models are called with, by the interface that all of its providers share. */
type SdkCall = Parameters<OpenAIResponsesLanguageModel["doStream"]>[0];
type SdkPrompt = SdkCall["prompt"];
type SdkTools = NonNullable<SdkCall["tools"]>;
type AssistantPart = Extract<SdkPrompt[number], { role: "assistant" }>["content"][number];

/**
 * Call ids go out as they are, so a provider sees the same ones after any crash. Text is made well-formed: a lone
 * surrogate has no UTF-8, and servers refuse its escape.
 */
export function toSdkPrompt(messages: readonly Message[]): SdkPrompt {
  return messages.map((message): SdkPrompt[number] => {
    const text = message.content.toWellFormed();
    switch (message.role) {
      case "system":
        return { role: "system", content: text };
      case "user":
        return { role: "user", content: [{ type: "text", text }] };
      case "assistant": {
        const content: AssistantPart[] = [];
        if (text !== "") content.push({ type: "text", text });
        for (const call of message.calls ?? []) {
          content.push({
            type: "tool-call",
            toolCallId: call.id,
            toolName: acceptedName(call.name),
            input: call.arguments.toWellFormed(),
          });
        }
        return { role: "assistant", content };
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
  });
}

/** Tool definitions; undefined when there are none, because some servers refuse an empty list. */
export function toSdkTools(tools: readonly ToolSpec[]): SdkTools | undefined {
  if (tools.length === 0) return undefined;
  return tools.map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters,
  }));
}
