/**
 * The floor below Otto in its own runtime: a Durable Object that makes the same model calls and keeps one row a step. It has
 * no ledger, no log, no alarm and no step runner, and a crash loses the task. JavaScript, as workerd takes no types.
 */
import { DurableObject } from "cloudflare:workers";

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

export class BareTask extends DurableObject {
  /** Makes one call and keeps its result. */
  call(expression) {
    const result = sumOf(expression);
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS calls (expression TEXT NOT NULL, result TEXT NOT NULL)");
    this.ctx.storage.sql.exec("INSERT INTO calls VALUES (?, ?)", expression, result);
    return result;
  }

  /** Runs a task to its answer, or to its first question (null). */
  async start(name, input) {
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS steps (step INTEGER PRIMARY KEY, messages TEXT NOT NULL)");
    return await this.goOn(name, [], [{ role: "user", content: input }]);
  }

  /** Continues from the stored messages with the answer to the question of the last one. */
  async answer(name, text) {
    const rows = this.ctx.storage.sql.exec("SELECT messages FROM steps ORDER BY step").toArray();
    const messages = rows.flatMap((row) => JSON.parse(row.messages));
    const [call] = messages.at(-1).tool_calls;
    return await this.goOn(name, messages, [{ role: "tool", tool_call_id: call.id, content: text }]);
  }

  /** `stored`: the messages that are rows; `unstored`: those that the next row begins with. */
  async goOn(name, stored, unstored) {
    const messages = [...stored, ...unstored];
    let step = messages.filter(({ role }) => role === "assistant").length;
    let from = stored.length;
    for (;;) {
      step += 1;
      const reply = await this.callModel(messages);
      messages.push(reply);
      const calls = reply.tool_calls ?? [];
      const asks = calls.some((call) => call.function.name === "ask_human");
      if (!asks) {
        const results = await Promise.all(calls.map((call, index) => this.runTool(`${name}-${step}-${index}`, call)));
        messages.push(...results);
      }
      this.ctx.storage.sql.exec("INSERT INTO steps VALUES (?, ?)", step, JSON.stringify(messages.slice(from)));
      from = messages.length;
      if (asks) return null;
      if (calls.length === 0) return reply.content;
    }
  }

  async callModel(messages) {
    const response = await fetch(`${this.env.MODEL_URL}/chat/completions`, {
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

  /** `below`: the name of the object that a subagent gets. */
  async runTool(below, call) {
    const given = JSON.parse(call.function.arguments);
    const content = await this.resultOf(call.function.name, given, below);
    return { role: "tool", tool_call_id: call.id, content };
  }

  async resultOf(tool, given, below) {
    if (tool === "evaluate_expression") return sumOf(given.expression);
    if (tool === "http_request") return await (await fetch(given.url)).text();
    if (tool === "dispatch_subagent") return await objectOf(this.env, below).start(below, given.task_description);
    return new Date().toISOString();
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

/** Of an expression of numbers and plus signs. */
function sumOf(expression) {
  return String(expression.split("+").reduce((sum, part) => sum + Number(part), 0));
}

function objectOf(env, name) {
  return env.TASKS.get(env.TASKS.idFromName(name));
}

/** As many files as Otto's grep reads at once. */
const READS_AT_ONCE = 16;

/** Reads every file of the bucket and does nothing with it; gives how many there were. */
async function readAll(bucket) {
  const keys = (await bucket.list({ limit: 1000 })).objects.map(({ key }) => key);
  const left = keys.values();
  const readOn = async () => {
    for (const key of left) await (await bucket.get(key)).arrayBuffer();
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, readOn));
  return keys.length;
}

export default {
  /**
   * `POST /<task>` starts one, `POST /<task>/answer` answers its question, `POST /<name>/call` makes one call without a task.
   * `POST /files/put` stores a file in the bucket, `POST /files/read` reads all that are there.
   */
  async fetch(request, env) {
    const [, name, what] = new URL(request.url).pathname.split("/");
    const { input, text, path, expression } = await request.json();
    if (name === "files" && what === "read") return new Response(String(await readAll(env.FILES)));
    if (name === "files") return new Response((await env.FILES.put(path, text)).key);
    const task = objectOf(env, name);
    if (what === "call") return new Response(await task.call(expression));
    const answer = what === undefined ? await task.start(name, input) : await task.answer(name, text);
    return new Response(answer ?? "waiting");
  },
};
