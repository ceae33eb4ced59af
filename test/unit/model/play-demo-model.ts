/** Plays conversations of the demo model on the real tools' schemas, with results that the test gives. */
import { replyTo } from "../../../adapters/model/demo/reply.ts";
import { buildToolset, toModelSpec } from "../../../core/steps/toolset.ts";
import type { Message, RequestedCall } from "../../../core/model/messages.ts";
import type { ToolSpec } from "../../../core/ports/model.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { BUILT_IN, builtInFacts } from "../prompt/first-request.ts";

/** What the model of the built-in agent is shown. */
export const TOOLS: readonly ToolSpec[] = (await buildToolset(BUILT_IN, builtInFacts())).specs;

/** A tool's arguments under other names, and the tool under another name. */
export function renamed(tool: ToolSpec, name: string, fields: Record<string, string>): ToolSpec {
  const rename = (field: string): string => fields[field] ?? field;
  const properties = Object.entries(tool.parameters["properties"] ?? {}).map(([field, schema]) => [
    rename(field),
    schema,
  ]);
  const required = ((tool.parameters["required"] ?? []) as string[]).map(rename);
  return {
    name,
    description: tool.description,
    parameters: { ...tool.parameters, properties: Object.fromEntries(properties), required },
  };
}

export function spec(name: string): ToolSpec {
  const found = catalogue.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return toModelSpec(found, name, null);
}

export type Result = (call: { name: string; given: Record<string, unknown> }) => string;

/** What the tools say when all goes well. */
export const happy: Result = ({ name, given }) => {
  if ("query" in given || "question" in given) return "Berlin";
  if ("url" in given) return `HTTP 200, text/plain\n\nthe page at ${String(given["url"])}`;
  if ("content" in given) return `Wrote to ${String(given["path"] ?? given["target_path"])}`;
  if ("seconds" in given) return `Waited ${String(given["seconds"])} seconds.`;
  if (name === "get_current_datetime" || "timezone" in given) return "2026-11-21T10:00:00Z (UTC)";
  return "what the file says";
};

/** Runs a conversation to its answer; gives every step's calls and the answer. */
export function play(
  input: string | readonly Message[],
  tools: readonly ToolSpec[],
  result: Result = happy,
  maxSteps = 40,
) {
  const messages: Message[] = [{ role: "system", content: "You are Otto." }];
  if (typeof input === "string") messages.push({ role: "user", content: input });
  else messages.push(...input);
  const steps: { name: string; given: Record<string, unknown> }[][] = [];
  for (let step = 1; step <= maxSteps; step += 1) {
    const reply = replyTo(messages, tools);
    if (reply.calls.length === 0) return { steps, calls: steps.flat(), answer: reply.text, messages };
    const calls: RequestedCall[] = reply.calls.map((call, index) => ({
      id: `call_${step}_${index}`,
      name: call.name,
      arguments: JSON.stringify(call.arguments),
    }));
    messages.push({ role: "assistant", content: reply.text, calls });
    steps.push(reply.calls.map((call) => ({ name: call.name, given: call.arguments })));
    for (const [index, call] of reply.calls.entries()) {
      messages.push({
        role: "tool",
        callId: calls[index]!.id,
        name: call.name,
        content: result({ name: call.name, given: call.arguments }),
      });
    }
  }
  throw new Error(`no answer after ${maxSteps} steps`);
}
