/** A process that was started for one measurement: memory that was in use once is not returned, and compiled code stays. */
import type { Contender } from "../contenders/contender.ts";
import { runTasks } from "./run-tasks.ts";
import type { Stage } from "./section.ts";

const WARM_UP_TASKS = 50;
const WARM_UP_ROUNDS = 2;

/** Restarts the process that runs the tasks, by `restart`, and runs 100 tasks. */
export async function freshProcess(
  stage: Stage,
  contender: Contender,
  restart: () => Promise<void> = async () => await contender.restart(),
): Promise<void> {
  await restart();
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1)
    await runTasks(stage, contender, WARM_UP_TASKS, { kind: "clock", steps: 4, modelMs: 0 });
}
