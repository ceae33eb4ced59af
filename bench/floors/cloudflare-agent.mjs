/**
 * A task as an Agent of the npm package `agents` runs it, for counts alone: durable execution (`tasks`), in which a step is a
 * model call with its tool's result, and is stored once. It has no tenants, ledger, budgets, index or watchers. It counts
 * what the platform bills: rows, alarms, and requests to the object.
 */
import { Agent } from "agents";

const counts = { alarmsSet: 0, alarmRuns: 0, calls: 0, keysRead: 0, keysWritten: 0, modelRequests: 0 };
const cursors = [];

/** Counts at the prototypes of the object's storage. */
function watch({ storage }) {
  const sql = Object.getPrototypeOf(storage.sql);
  const { exec } = sql;
  sql.exec = function count(...args) {
    const cursor = exec.apply(this, args);
    cursors.push(cursor);
    return cursor;
  };
  watchMethods(Object.getPrototypeOf(storage), { setAlarm: "alarmsSet" });
  // Key-value methods are billed as rows.
  for (const part of [storage, storage.kv])
    watchMethods(Object.getPrototypeOf(part), {
      get: "keysRead",
      list: "keysRead",
      put: "keysWritten",
      delete: "keysWritten",
    });
}

function watchMethods(prototype, names) {
  for (const [name, count] of Object.entries(names)) {
    const method = prototype[name];
    prototype[name] = function counted(...args) {
      counts[count] += 1;
      return method.apply(this, args);
    };
  }
}

export class TaskAgent extends Agent {
  taskDefinitions = {
    job: async ({ text, steps }, step) => {
      const messages = [{ role: "user", content: text }];
      for (let number = 0; number <= steps; number += 1)
        messages.push(...(await step.do(`step-${number}`, () => this.makeStep(messages, number === steps))));
      this.isDone = true;
      return messages.at(-1);
    },
  };

  constructor(ctx, env) {
    watch(ctx);
    super(ctx, env);
    const run = this.alarm;
    this.alarm = async (...args) => {
      counts.alarmRuns += 1;
      await run.apply(this, args);
    };
  }

  /** Accepts the task durably, and starts it. */
  async start(input) {
    counts.calls += 1;
    await this.tasks.run("job", input, { idempotencyKey: "job" });
  }

  async makeStep(messages, isLast) {
    counts.modelRequests += 1;
    const response = await fetch(this.env.MODEL_URL, { method: "POST", body: JSON.stringify({ messages }) });
    const text = await response.text();
    if (isLast) return [{ role: "assistant", content: text }];
    const call = { id: "call_1", type: "function", function: { name: "get_current_datetime", arguments: "{}" } };
    const result = { role: "tool", tool_call_id: call.id, content: new Date().toISOString() };
    return [{ role: "assistant", content: text, tool_calls: [call] }, result];
  }

  /** The counts; not itself counted. */
  read() {
    const sum = (field) => cursors.reduce((total, cursor) => total + cursor[field], 0);
    return {
      ...counts,
      isDone: this.isDone === true,
      rowsRead: sum("rowsRead") + counts.keysRead,
      rowsWritten: sum("rowsWritten") + counts.keysWritten,
      bytesStored: this.ctx.storage.sql.databaseSize,
    };
  }
}

export default {
  /** `POST /` starts the task; `GET /` reads its counts. */
  async fetch(request, env) {
    const task = env.AGENTS.get(env.AGENTS.idFromName("task"));
    if (request.method === "POST") await task.start(await request.json());
    return Response.json(await task.read());
  },
};
