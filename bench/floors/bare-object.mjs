/**
 * The floor below Otto in its own runtime: a Durable Object that makes the same model calls and keeps one row a step. It has
 * no ledger, no log, no alarm and no step runner, and a crash loses the task. JavaScript, as workerd takes no types.
 */
import { DurableObject } from "cloudflare:workers";
import { callModel, runTool, sumOf } from "./model-calls.mjs";

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
      const reply = await callModel(this.env.MODEL_URL, messages);
      messages.push(reply);
      const calls = reply.tool_calls ?? [];
      const asks = calls.some((call) => call.function.name === "ask_human");
      if (!asks) {
        const results = await Promise.all(
          calls.map((call, index) => runTool(call, (task) => this.startBelow(`${name}-${step}-${index}`, task))),
        );
        messages.push(...results);
      }
      this.ctx.storage.sql.exec("INSERT INTO steps VALUES (?, ?)", step, JSON.stringify(messages.slice(from)));
      from = messages.length;
      if (asks) return null;
      if (calls.length === 0) return reply.content;
    }
  }

  /** Runs a subtask in an object of its own. */
  async startBelow(name, task) {
    return await objectOf(this.env, name).start(name, task);
  }
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
