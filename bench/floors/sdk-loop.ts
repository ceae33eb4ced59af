/**
 * The floor of an agent that keeps nothing: the AI SDK's own loop in Node, in a process of its own. `sdk-loop.ts MODEL_URL`
 * writes where it listens. `POST /<task>` starts a task, `GET /<task>` is answered when it waits, and
 * `POST /<task>/answer` answers its question. A subagent is a loop inside the loop.
 */
import { createServer, type IncomingMessage } from "node:http";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, jsonSchema, tool } from "ai";
import { listenOnLoopback } from "../../test/mock-servers/listen.ts";

const MAX_STEPS = 100;

const model = createOpenAI({ baseURL: process.argv[2] ?? "", apiKey: "bench" }).chat("bench");
/** What answers the question of a task. */
const questions = new Map<string, PromiseWithResolvers<string>>();
/** Called when the task of that name asks a question. */
const onQuestion = new Map<string, () => void>();

const server = createServer((request, response) => {
  const [, task = "", answers] = (request.url ?? "").split("/");
  if (request.method === "GET") {
    if (questions.has(task)) response.end();
    else onQuestion.set(task, () => response.end());
    return;
  }
  void readJson(request).then(({ input = "", text = "" }) => {
    if (answers === undefined) void runTask(task, input);
    else {
      const question = questions.get(task);
      questions.delete(task);
      question?.resolve(text);
    }
    response.end();
  });
});
console.log(`http://127.0.0.1:${await listenOnLoopback(server, 0)}`);
process.stdin.once("end", () => process.exit(0)).resume();

async function runTask(task: string, input: string): Promise<string> {
  const result = await generateText({
    model,
    prompt: input,
    tools: toolsOf(task),
    maxRetries: 0,
    stopWhen: isStepCount(MAX_STEPS),
  });
  return result.text;
}

function toolsOf(task: string) {
  return {
    get_current_datetime: toolOf("Tell the current date and time in a time zone.", "timezone", () =>
      Promise.resolve(new Date().toISOString()),
    ),
    evaluate_expression: toolOf("Evaluate a mathematical expression.", "expression", (expression) =>
      Promise.resolve(String(expression.split("+").reduce((sum, part) => sum + Number(part), 0))),
    ),
    http_request: toolOf(
      "Send an HTTP request to a public web address and read the reply.",
      "url",
      async (url) => await (await fetch(url)).text(),
    ),
    dispatch_subagent: toolOf("Hand a self-contained part of the work to a subagent.", "task_description", (input) =>
      runTask(`${task}-`, input),
    ),
    ask_human: toolOf("Ask a person a question and wait for the answer.", "query", () => ask(task)),
  };
}

/** A tool whose one field is a text. */
function toolOf(description: string, field: string, run: (text: string) => Promise<string>) {
  return tool({
    description,
    inputSchema: jsonSchema<Record<string, string>>({ type: "object", properties: { [field]: { type: "string" } } }),
    execute: (given) => run(given[field] ?? ""),
  });
}

async function ask(task: string): Promise<string> {
  const question = Promise.withResolvers<string>();
  questions.set(task, question);
  onQuestion.get(task)?.();
  onQuestion.delete(task);
  return await question.promise;
}

async function readJson(request: IncomingMessage): Promise<{ input?: string; text?: string }> {
  let read = "";
  for await (const piece of request.setEncoding("utf8")) read += piece as string;
  return JSON.parse(read) as { input?: string; text?: string };
}
