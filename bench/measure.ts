/** The two figures, taken at the model server: the time between two model calls of a task, and the rate of many tasks. */
import { quantile } from "../test/drill/random.ts";
import { until } from "../test/drill/started-system.ts";
import type { ModelRecord, ModelServer } from "../test/stand-ins/model-server.ts";
import type { Contender } from "./contenders.ts";

const TIMEOUT_MS = 300_000;
/** Steps that are run and not counted at the beginning of a task. */
const WARM_UP_STEPS = 10;

/** Milliseconds from the end of one reply to the next request of the same task, at the median. */
export async function measureGap(server: ModelServer, contender: Contender, steps: number): Promise<number> {
  const records = await runTasks(server, contender, 1, steps);
  const gaps = records.slice(WARM_UP_STEPS).flatMap((record, index) => {
    const before = records[index + WARM_UP_STEPS - 1]?.repliedAt;
    return before === null || before === undefined ? [] : [record.at - before];
  });
  return quantile(gaps, 0.5);
}

/** Tasks and steps a second with so many tasks at once, from the first request to start one to the last answer. */
export async function measureRate(
  server: ModelServer,
  contender: Contender,
  tasks: number,
  steps: number,
): Promise<{ tasksPerSecond: number; stepsPerSecond: number }> {
  const startedAt = performance.now();
  const records = await runTasks(server, contender, tasks, steps);
  const endedAt = Math.max(...records.map((record) => record.repliedAt ?? 0));
  const seconds = (endedAt - startedAt) / 1000;
  return { tasksPerSecond: tasks / seconds, stepsPerSecond: (tasks * (steps + 1)) / seconds };
}

async function runTasks(
  server: ModelServer,
  contender: Contender,
  tasks: number,
  steps: number,
): Promise<ModelRecord[]> {
  const from = server.requests.length;
  let answered = 0;
  let looked = from;
  await contender.run(tasks, steps);
  await until(
    () => {
      for (; looked < server.requests.length; looked += 1) {
        const record = server.requests[looked];
        if (record?.repliedAt === null) break;
        if (record?.step === steps + 1) answered += 1;
      }
      return answered >= tasks;
    },
    TIMEOUT_MS,
    () => `${contender.name}: ${answered} of ${tasks} tasks were answered`,
    5,
  );
  const records = server.requests.slice(from);
  const expected = tasks * (steps + 1);
  if (records.length !== expected)
    throw new Error(`${contender.name} made ${records.length} model calls, not ${expected}`);
  return records;
}
