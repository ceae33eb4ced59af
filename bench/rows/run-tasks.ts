/** Tasks of one kind, run to their ends at once. */
import type { Contender } from "../contenders/contender.ts";
import { nowMs } from "../clock.ts";
import type { Job } from "../job.ts";
import type { ModelCall, ToolRequest } from "../model/records.ts";
import type { Stage } from "./section.ts";

/** A task that has ended. Its calls are in the order of their steps. */
export interface EndedTask {
  readonly name: string;
  /** When the request that starts it was sent. */
  readonly sentAt: number;
  readonly calls: readonly ModelCall[];
  /** The model calls of its subtasks. */
  readonly below: readonly ModelCall[];
  readonly requests: readonly ToolRequest[];
}

/** Runs so many tasks at once. Throws when one of them made more or fewer model calls than its job has. */
export async function runTasks(stage: Stage, contender: Contender, count: number, job: Job): Promise<EndedTask[]> {
  const { model } = stage;
  await model.take();
  const ended = model.until("answers", count);
  const sent = Array.from({ length: count }, () => ({ name: stage.taskName(), sentAt: nowMs() }));
  const started = Promise.all(
    sent.map(async (task) => {
      task.sentAt = nowMs();
      await contender.start(task.name, job);
    }),
  );
  await Promise.all([started, ended]);
  const { calls, requests } = await model.take();
  const byTask = Map.groupBy(calls, ({ task }) => task.split("-")[0] ?? "");
  const requestsByTask = Map.groupBy(requests, ({ task }) => task);
  return sent.map(({ name, sentAt }) => {
    const all = byTask.get(name) ?? [];
    const own = all.filter(({ task }) => task === name).sort((a, b) => a.step - b.step);
    if (own.length !== job.steps + 1)
      throw new Error(`${contender.name} made ${own.length} model calls for a task of ${job.steps + 1}`);
    return {
      name,
      sentAt,
      calls: own,
      below: all.filter(({ task }) => task !== name),
      requests: requestsByTask.get(name) ?? [],
    };
  });
}
