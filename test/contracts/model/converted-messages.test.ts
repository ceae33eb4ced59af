/** Converted messages are shared by the requests of a task: no provider of the AI SDK changes them. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { expect, test } from "vitest";
import { toSdkPrompt } from "../../../adapters/model/ai-sdk/prompt.ts";
import type { Message } from "../../../core/model/messages.ts";

const MESSAGES: readonly Message[] = [
  { role: "system", content: "Follow the script." },
  { role: "user", content: "do it" },
  { role: "user", content: " " },
  { role: "assistant", content: "", calls: [{ id: "call_1", name: "wait", arguments: '{"a":[{"b":1}]}' }] },
  { role: "tool", callId: "call_1", name: "wait", content: "done" },
  { role: "assistant", content: "done " },
];

test.each(["anthropic", "responses"] as const)("%s sends the same body for frozen messages", async (provider) => {
  const bodies: unknown[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    bodies.push(init?.body);
    return await Promise.resolve(new Response("", { headers: { "content-type": "text/event-stream" } }));
  };
  const server = { baseURL: "http://model.invalid/v1", apiKey: "key", fetch };
  const model = provider === "anthropic" ? createAnthropic(server)("m") : createOpenAI(server).responses("m");
  for (let call = 0; call < 2; call += 1) {
    const prompt = freezeAll(toSdkPrompt(MESSAGES, provider === "anthropic"));
    const { stream } = await model.doStream({ prompt, maxOutputTokens: 100 });
    await stream.cancel();
  }
  expect(bodies).toHaveLength(2);
  expect(bodies[1]).toBe(bodies[0]);
});

function freezeAll<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  Object.values(value).forEach(freezeAll);
  return Object.freeze(value);
}
