/**
 * The floor below Otto in its own runtime: a Durable Object that makes the same model calls and keeps one row a step. It has
 * no ledger, no log, no alarm and no step runner, and a crash loses the task. JavaScript, as workerd takes no types.
 */
import { DurableObject } from "cloudflare:workers";

export class BareTask extends DurableObject {
  /** Runs a task of so many steps to its answer. */
  async fetch(request) {
    const { baseUrl, input, tool } = await request.json();
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS steps (step INTEGER PRIMARY KEY, messages TEXT NOT NULL)");
    const messages = [{ role: "user", content: input }];
    for (let step = 1; ; step += 1) {
      const response = await fetch(`${baseUrl}/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: "Bearer bench" },
        body: JSON.stringify({
          model: "bench",
          messages,
          tools: [tool],
          stream: true,
          stream_options: { include_usage: true },
        }),
      });
      const reply = readReply(await response.text());
      messages.push(reply);
      for (const call of reply.tool_calls ?? []) {
        messages.push({ role: "tool", tool_call_id: call.id, content: new Date().toISOString() });
      }
      this.ctx.storage.sql.exec("INSERT OR REPLACE INTO steps VALUES (?, ?)", step, JSON.stringify(messages.slice(-2)));
      if (reply.tool_calls === undefined) return new Response(reply.content);
    }
  }
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

export default {
  async fetch(request, env) {
    const name = new URL(request.url).pathname;
    return await env.TASKS.get(env.TASKS.idFromName(name)).fetch(request);
  },
};
