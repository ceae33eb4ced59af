/**
 * The floor of an agent that keeps nothing: the AI SDK's own loop in Node, in a process of its own. Reads a job a line
 * from its input, `{"baseUrl", "input", "count"}`, runs that many tasks at once, and writes `done` for each job.
 */
import { createInterface } from "node:readline";
import { createOpenAI } from "@ai-sdk/openai";
import { isStepCount, jsonSchema, streamText, tool } from "ai";
import { CLOCK_TOOL, MAX_STEPS } from "../scripted-task.ts";

const { name, description, parameters } = CLOCK_TOOL.function;
const tools = {
  [name]: tool({ description, inputSchema: jsonSchema(parameters), execute: () => new Date().toISOString() }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { baseUrl, input, count } = JSON.parse(line) as { baseUrl: string; input: string; count: number };
  const model = createOpenAI({ baseURL: baseUrl, apiKey: "bench" }).chat("bench");
  await Promise.all(
    Array.from({ length: count }, async () => {
      const result = streamText({ model, prompt: input, tools, maxRetries: 0, stopWhen: isStepCount(MAX_STEPS + 1) });
      await result.consumeStream();
    }),
  );
  console.log("done");
}
