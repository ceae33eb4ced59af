/** How much memory ended tasks hold, and whether it keeps growing. */
import { setTimeout as sleep } from "node:timers/promises";
import { memoryKib } from "../processes.ts";
import { slopeOf } from "../slope.ts";
import { runTasks } from "./run-tasks.ts";
import type { Section, Stage } from "./section.ts";

const TASKS = 500;
const AT_ONCE = 100;
const BATCHES = 5;
/** Longer than an object that nobody calls stays in memory. */
const IDLE_MS = 12_000;

export const FINISHED: Section = {
  name: "finished",
  once: true,
  rows: [
    { key: "finished-first", label: `memory left by each of ${TASKS} finished tasks, KiB`, digits: 1, target: "" },
    { key: "finished-last", label: `– by each of the last ${TASKS} of ${BATCHES * TASKS}, KiB`, digits: 1, target: "" },
    { key: "finished-slope", label: `– slope over the ${BATCHES * TASKS}, KiB a task`, digits: 1, target: "no growth" },
  ],
  async measure(stage, note) {
    const memory = new Map<string, number[]>(stage.contenders.map(({ name }) => [name, []]));
    // The first batch makes what the others find.
    for (let batch = 0; batch <= BATCHES; batch += 1) {
      await runBatch(stage);
      for (const contender of stage.contenders) memory.get(contender.name)?.push(memoryKib(contender.runtimePid()));
    }
    for (const [name, kib] of memory) {
      const growth = kib.slice(1).map((after, index) => (after - (kib[index] ?? Number.NaN)) / TASKS);
      note("finished-first", name, growth.at(0) ?? Number.NaN);
      note("finished-last", name, growth.at(-1) ?? Number.NaN);
      note("finished-slope", name, slopeOf(kib) / TASKS);
    }
  },
};

/** So many tasks of each contender, and then a rest. */
async function runBatch(stage: Stage): Promise<void> {
  for (const contender of stage.contenders) {
    for (let run = 0; run < TASKS; run += AT_ONCE) {
      await runTasks(stage, contender, AT_ONCE, { kind: "clock", steps: 1, modelMs: 0 });
    }
  }
  await sleep(IDLE_MS);
}
