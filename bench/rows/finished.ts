/** Whether tasks that have ended leave something in memory. */
import { setTimeout as sleep } from "node:timers/promises";
import { memoryKib } from "../processes.ts";
import { runTasks } from "./run-tasks.ts";
import type { Section } from "./section.ts";

const TASKS = 500;
const AT_ONCE = 100;
/** Longer than an object that nobody calls stays in memory. */
const IDLE_MS = 12_000;
/** The first makes what the others find. */
const KEYS = [null, "finished-1", "finished-2"] as const;

export const FINISHED: Section = {
  name: "finished",
  once: true,
  rows: [
    { key: "finished-1", label: `memory left by each of ${TASKS} finished tasks, KiB`, digits: 1, target: "no growth" },
    { key: "finished-2", label: `– by each of ${TASKS} more, KiB`, digits: 1, target: "no growth" },
  ],
  async measure(stage, note) {
    const before = new Map<string, number>();
    for (const key of KEYS) {
      for (const contender of stage.contenders) {
        for (let run = 0; run < TASKS; run += AT_ONCE) {
          await runTasks(stage, contender, AT_ONCE, { kind: "clock", steps: 1, modelMs: 0 });
        }
      }
      await sleep(IDLE_MS);
      for (const contender of stage.contenders) {
        const kib = memoryKib(contender.runtimePid());
        if (key !== null) note(key, contender.name, (kib - (before.get(contender.name) ?? Number.NaN)) / TASKS);
        before.set(contender.name, kib);
      }
    }
  },
};
