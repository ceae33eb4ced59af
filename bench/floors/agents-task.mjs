/**
 * A task as an Agent of the npm package `agents` runs it, for times: durable execution (`tasks`), in which a step is a model call with its
 * tools' results, and is stored once. A question ends the run with the conversation as its result, and the answer begins the next one. It
 * has no tenants, ledger, budgets, index or watchers.
 */
import { Agent } from "agents";
import { callModel, runTool } from "./model-calls.mjs";

const [FIRST, SECOND] = ["question", "answer"];

export class TaskAgent extends Agent {
  taskDefinitions = {
    job: async (given, step) => {
      const messages = [...given];
      for (let number = 1; ; number += 1) {
        messages.push(...(await step.do(`step-${number}`, () => this.makeStep(messages))));
        const last = messages.at(-1);
        // An answer, or a question that waits.
        if (last.role === "assistant") return messages;
      }
    },
  };

  /** Accepts the task durably, and starts it. */
  async start(input) {
    await this.tasks.run("job", [{ role: "user", content: input }], { idempotencyKey: FIRST });
  }

  /** True once the task waits with its question. */
  async isWaiting() {
    return (await this.tasks.getByIdempotencyKey(FIRST))?.state === "completed";
  }

  /** Continues from the stored conversation with the answer to the question of its last message. */
  async answer(text) {
    const { result: messages } = await this.tasks.getByIdempotencyKey(FIRST);
    const [call] = messages.at(-1).tool_calls;
    const answered = [...messages, { role: "tool", tool_call_id: call.id, content: text }];
    await this.tasks.run("job", answered, { idempotencyKey: SECOND });
  }

  async makeStep(messages) {
    const reply = await callModel(this.env.MODEL_URL, messages);
    const calls = reply.tool_calls ?? [];
    if (calls.some((call) => call.function.name === "ask_human")) return [reply];
    return [reply, ...(await Promise.all(calls.map((call) => runTool(call, refuseSubtask))))];
  }
}

function refuseSubtask() {
  throw new Error("this agent starts no subtasks");
}

export default {
  /** `POST /<task>` starts one, `GET /<task>` says whether it waits, `POST /<task>/answer` answers its question. */
  async fetch(request, env) {
    const [, name, what] = new URL(request.url).pathname.split("/");
    const task = env.TASKS.get(env.TASKS.idFromName(name));
    if (request.method === "GET") return Response.json(await task.isWaiting());
    const { input, text } = await request.json();
    await (what === undefined ? task.start(input) : task.answer(text));
    return new Response("accepted");
  },
};
