/** Drill `waiting`: many tasks wait for an answer, the runtime is killed, every answer is sent twice. */
import { eachAtOnce, type TaskBody } from "../api-client.ts";
import { readInput } from "./script.ts";
import type { Stage } from "../stage.ts";
import { kill, until } from "../started-system.ts";

const AT_ONCE = 20;

export interface WaitingDrillReport {
  readonly tasks: number;
  readonly kills: number;
  readonly answered: number;
  readonly refused: number;
  readonly violations: readonly string[];
}

interface WaitingTask {
  readonly drill: string;
  readonly id: string;
  readonly question: string;
}

/**
 * Kills the runtime while all tasks wait. Sends half of the answers twice concurrently. Sends the other half, kills the runtime again after
 * they were accepted, and resends them.
 */
export async function runWaitingDrill(
  stage: Stage,
  count: number,
  say: (line: string) => void,
): Promise<WaitingDrillReport> {
  const { api, system, model } = stage;
  const violations: string[] = [];
  const names = Array.from({ length: count }, (_, index) => `waiting${index + 1}`);
  const ids = await eachAtOnce(names, AT_ONCE, (name) => stage.createTask(name, "question"));
  const waiting = await eachAtOnce(ids, AT_ONCE, (id, index) => untilWaiting(stage, id, names[index] ?? ""));
  say(`  ${waiting.length} tasks wait`);

  let kills = 0;
  const killRuntime = async (): Promise<void> => {
    const pid = system.workerdPid();
    if (pid !== null && kill(pid)) kills += 1;
    await until(
      () => system.workerdPid() !== pid,
      30_000,
      () => `workerd did not come back:\n${system.output()}`,
    );
    await system.up();
  };
  await killRuntime();

  const half = Math.ceil(count / 2);
  const statuses: number[][] = [];
  statuses.push(
    ...(await eachAtOnce(waiting.slice(0, half), AT_ONCE, (task) =>
      Promise.all([answer(stage, task), answer(stage, task)]),
    )),
  );
  await untilAllEnded(stage, waiting.slice(0, half));
  const firsts = await eachAtOnce(waiting.slice(half), AT_ONCE, (task) => answer(stage, task));
  await killRuntime();
  const seconds = await eachAtOnce(waiting.slice(half), AT_ONCE, (task) => answer(stage, task));
  statuses.push(...firsts.map((first, index) => [first, seconds[index] ?? 0]));
  await untilAllEnded(stage, waiting);

  for (const [index, pair] of statuses.entries()) {
    if (pair.toSorted((a, b) => a - b).join(" ") !== "200 409")
      violations.push(`${names[index]}: the two answers got ${pair.join(" and ")}`);
  }
  await eachAtOnce(waiting, AT_ONCE, async (task, index) => {
    const last = await api.task(task.id);
    const events = await api.events(task.id);
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    if (last.status !== "completed" || last.output?.text !== `${task.drill} was told: ${getAnswer(task)}`) {
      violations.push(`${task.drill}: ended as ${last.status} with ${JSON.stringify(last.output?.text)}`);
    }
    for (const type of ["question.asked", "question.answered", "task.completed"]) {
      if (count(type) !== 1) violations.push(`${task.drill}: ${type} ${count(type)} times`);
    }
    // No kill followed the first half's answers, so each second step was requested exactly once.
    const requestCount = model.requests.filter(
      (record) => record.step === 2 && readInput(record.body.messages)?.drill === task.drill,
    ).length;
    if (requestCount === 0 || (index < half && requestCount !== 1))
      violations.push(`${task.drill}: resumed ${requestCount} times`);
  });
  if (waiting.length === 0 || kills === 0) violations.push("no call was made, or nothing was killed");
  const all = statuses.flat();
  return {
    tasks: waiting.length,
    kills,
    answered: all.filter((status) => status === 200).length,
    refused: all.filter((status) => status === 409).length,
    violations,
  };
}

function getAnswer(task: WaitingTask): string {
  return `the answer of ${task.drill}`;
}

async function answer(stage: Stage, task: WaitingTask): Promise<number> {
  const path = `/v1/tasks/${task.id}/questions/${task.question}/answer`;
  return (await stage.api.send("POST", path, { text: getAnswer(task) })).status;
}

async function untilWaiting(stage: Stage, id: string, drill: string): Promise<WaitingTask> {
  let task: TaskBody | null = null;
  await until(
    async () => {
      task = await stage.api.task(id);
      return task.status === "waiting_input";
    },
    60_000,
    () => `${drill} does not wait: ${task?.status}`,
    100,
  );
  const question = (task as TaskBody | null)?.pending.find((entry) => entry.kind === "question")?.id;
  if (question === undefined) throw new Error(`${drill} waits and shows no question`);
  return { drill, id, question };
}

async function untilAllEnded(stage: Stage, tasks: readonly WaitingTask[]): Promise<void> {
  await eachAtOnce(tasks, AT_ONCE, (task) =>
    until(
      async () => ["completed", "failed", "cancelled"].includes((await stage.api.task(task.id)).status),
      60_000,
      () => `${task.drill} did not end after its answer`,
      100,
    ),
  );
}
