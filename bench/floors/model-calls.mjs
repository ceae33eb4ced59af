/** Model and tool calls of the floor and the peers in workerd: the same code in each, so that they differ in what they store. */

/** The tools, named as Otto's own; each has one field, a text. */
const TOOLS = [
  ["get_current_datetime", "Tell the current date and time in a time zone.", "timezone"],
  ["evaluate_expression", "Evaluate a mathematical expression.", "expression"],
  ["http_request", "Send an HTTP request to a public web address and read the reply.", "url"],
  ["dispatch_subagent", "Hand a self-contained part of the work to a subagent.", "task_description"],
  ["ask_human", "Ask a person a question and wait for the answer.", "query"],
].map(([name, description, field]) => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties: { [field]: { type: "string" } } } },
}));

/** Makes a model call and returns the reply's message. */
export async function callModel(modelUrl, messages) {
  const response = await fetch(`${modelUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer bench" },
    body: JSON.stringify({
      model: "bench",
      messages,
      tools: TOOLS,
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  return readReply(await response.text());
}

/** Runs a tool call and returns the message with its result. `startBelow` runs a subtask. */
export async function runTool(call, startBelow) {
  const given = JSON.parse(call.function.arguments);
  return { role: "tool", tool_call_id: call.id, content: await resultOf(call.function.name, given, startBelow) };
}

async function resultOf(tool, given, startBelow) {
  if (tool === "evaluate_expression") return sumOf(given.expression);
  if (tool === "http_request") return await (await fetch(given.url)).text();
  if (tool === "dispatch_subagent") return await startBelow(given.task_description);
  return new Date().toISOString();
}

/** The message that the events of a streamed reply add up to. */
function readReply(text) {
  let content = "";
  const calls = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const delta = JSON.parse(line.slice(6)).choices[0]?.delta;
    content += delta?.content ?? "";
    for (const part of delta?.tool_calls ?? []) {
      const call = (calls[part.index] ??= {
        id: part.id,
        type: "function",
        function: { name: part.function.name, arguments: "" },
      });
      call.function.arguments += part.function.arguments ?? "";
    }
  }
  return { role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

/** Of an expression of numbers and plus signs. */
export function sumOf(expression) {
  return String(expression.split("+").reduce((sum, part) => sum + Number(part), 0));
}
