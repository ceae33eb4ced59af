/** What a step and a task cost, in counts that need no clock: as expected, and the same after 10,000 ended tasks. */
import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { type Caller, makeCaller } from "../http/entry.ts";
import { tenantStub } from "../tenant/client.ts";
import { countCosts } from "./counter.ts";
import { type Counts, EXPECTED, getSlack, MEASURES, type Scenario, SCENARIOS } from "./expected.ts";

const look = { calls: [{ name: "get_current_datetime", arguments: { timezone: "UTC" } }] };
const ask = { calls: [{ name: "ask_human", arguments: { query: "Which city?" } }] };
const done = { text: "Done." };

/** A step that creates a file of its own: a keyed call. */
const write = () => ({
  calls: [{ name: "write_file", arguments: { filename: `${crypto.randomUUID()}.md`, content: "A line." } }],
});

/** The input that scripts the model, with the tenant's name in it: the counter finds the model's requests by it. */
const toInput = ({ tenant }: Caller, replies: readonly unknown[]) => `${tenant}\n${JSON.stringify({ replies })}`;

/** A step that dispatches ten subtasks of one model call. */
const fanOut = (caller: Caller) => ({
  calls: Array.from({ length: 10 }, () => ({
    name: "dispatch_subagent",
    arguments: { task_description: toInput(caller, [done]) },
  })),
});

async function createTask(caller: Caller, replies: readonly unknown[]): Promise<string> {
  const created = await caller.send("POST", "/v1/tasks", { input: toInput(caller, replies) });
  expect(created.status, created.text).toBe(201);
  return (created.json as { id: string }).id;
}

/** The costs of a task from its request until it has ended or waits, and its last state. */
async function countTask(caller: Caller, replies: readonly unknown[], status: string) {
  let id = "";
  const counts = await countCosts(caller.tenant, async () => {
    id = await createTask(caller, replies);
  });
  const { json } = await caller.send("GET", `/v1/tasks/${id}`);
  expect(json).toMatchObject({ status });
  return { counts, id, pending: json.pending as readonly { id: string }[] };
}

const subtract = (more: Counts, less: Counts) =>
  Object.fromEntries(MEASURES.map((name) => [name, more[name] - less[name]])) as Counts;

/** A step is the difference between a task with it and one without, so it has no part of a task's beginning and end. */
async function countStep(caller: Caller, step: () => unknown): Promise<Counts> {
  const without = await countTask(caller, [step(), done], "completed");
  const withIt = await countTask(caller, [step(), step(), done], "completed");
  return subtract(withIt.counts, without.counts);
}

async function countAll(caller: Caller): Promise<Record<Scenario, Counts>> {
  const one = await countTask(caller, [done], "completed");
  const none = await countStep(caller, () => look);
  const keyed = await countStep(caller, write);
  const fan = await countTask(caller, [fanOut(caller), done], "completed");
  const asked = await countTask(caller, [ask, done], "waiting_input");
  const path = `/v1/tasks/${asked.id}/questions/${asked.pending[0]?.id ?? ""}/answer`;
  const resumed = await countCosts(caller.tenant, async () => {
    expect((await caller.send("POST", path, { text: "Oslo" })).status).toBe(200);
  });
  expect((await caller.send("GET", `/v1/tasks/${asked.id}`)).json).toMatchObject({ status: "completed" });
  return {
    "task of one model call": one.counts,
    "`none` step": none,
    "`keyed` step": keyed,
    "fan-out of 10": fan.counts,
    question: asked.counts,
    resume: resumed,
  };
}

/** Gives the tenant's object so many tasks that completed, as its own reports would have. */
async function addEnded(tenant: string, count: number): Promise<void> {
  await runInDurableObject(tenantStub(tenant), (_, { storage }) => {
    const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)";
    storage.sql.exec(`${numbers} INSERT INTO summaries SELECT 'task_' || i, NULL FROM n`, count);
    storage.sql.exec(
      `${numbers} INSERT INTO tasks SELECT 'task_' || i, 9, NULL, 'agent_default', 'completed', 0, NULL, NULL, 0, 0, NULL FROM n`,
      count,
    );
  });
}

/** The counts that are too far from the expected ones. */
function findWrong(counted: Readonly<Record<Scenario, Counts>>): string[] {
  return SCENARIOS.flatMap((scenario) =>
    MEASURES.flatMap((measure) => {
      const [got, wanted] = [counted[scenario][measure], EXPECTED[scenario][measure]];
      const isWrong = Math.abs(got - wanted) > getSlack(scenario, measure);
      return isWrong ? [`${scenario}, ${measure}: ${got} instead of ${wanted}`] : [];
    }),
  );
}

test.each([0, 10_000])(
  "steps and tasks cost what is expected after %i ended tasks",
  { timeout: 120_000 },
  async (ended) => {
    const caller = await makeCaller();
    // What a tenant's first task and file create is not counted.
    await countTask(caller, [look, write(), done], "completed");
    if (ended > 0) await addEnded(caller.tenant, ended);
    expect(findWrong(await countAll(caller))).toEqual([]);
  },
);
